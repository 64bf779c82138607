package sdkcli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"

	"agsh.dev/internal/agentdir"
)

// The SARIF 2.1.0 of validate, as far as code scanning services read it.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                `json:"tool"`
		ColumnKind string                   `json:"columnKind"`
		Bases      map[string]sarifArtifact `json:"originalUriBaseIds"`
		Results    []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID       string      `json:"id"`
		Short    sarifText   `json:"shortDescription"`
		Full     sarifText   `json:"fullDescription"`
		Help     sarifText   `json:"help"`
		Defaults sarifConfig `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

// sarifBase names the project in locations.
const sarifBase = "%SRCROOT%"

// newSARIF is what validate found in the project in dir, absolute. Locations
// are relative to it; a problem of a whole file is on its first line.
func newSARIF(dir string, problems []agentdir.Problem) sarifLog {
	base := url.URL{Scheme: "file", Path: filepath.ToSlash(dir) + "/"}
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "agent-sdk", Version: version(), Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Bases:      map[string]sarifArtifact{sarifBase: {URI: base.String()}},
		Results:    []sarifResult{},
	}
	rules := map[agentdir.Code]int{}
	for i, c := range agentdir.Codes {
		rules[c.Code] = i
		about := sarifText{c.Meaning}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: string(c.Code), Short: about, Full: about, Help: about, Defaults: sarifConfig{string(c.Severity)},
		})
	}
	seen := map[string]int{}
	for _, p := range problems {
		print := fingerprint(p)
		seen[print]++
		run.Results = append(run.Results, sarifResult{
			RuleID: string(p.Code), RuleIndex: rules[p.Code], Level: string(p.Severity), Message: sarifText{sentence(p)},
			Locations: []sarifLocation{{sarifPhysical{
				Artifact: sarifArtifact{URI: relativeURI(p.File), Base: sarifBase},
				Region:   sarifRegion{StartLine: max(p.Line, 1), StartColumn: max(p.Column, 1)},
			}}},
			Fingerprints: map[string]string{"primaryLocationLineHash": fmt.Sprintf("%s:%d", print, seen[print])},
		})
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// sentence is what is wrong, and the fix: SARIF has room for fixes only as
// edits.
func sentence(p agentdir.Problem) string {
	if p.Fix == "" {
		return p.Message
	}
	return p.Message + "\nfix: " + p.Fix
}

// relativeURI is a path within the project as a URI.
func relativeURI(file string) string {
	if file == "." {
		return "./"
	}
	return (&url.URL{Path: file}).String()
}

// fingerprint tells a problem from others wherever in its file it moves.
func fingerprint(p agentdir.Problem) string {
	sum := sha256.Sum256([]byte(string(p.Code) + "\x00" + p.File + "\x00" + p.Message))
	return hex.EncodeToString(sum[:8])
}
