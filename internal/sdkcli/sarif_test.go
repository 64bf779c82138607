package sdkcli

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"agsh.dev/internal/agentdir"
)

// What services that read SARIF require of every result is there, and no
// array is null.
func TestSARIFHasWhatCodeScanningNeeds(t *testing.T) {
	problems := []agentdir.Problem{
		{File: "agent/a b#%?.yaml", Line: 3, Column: 7, Severity: agentdir.Error, Code: agentdir.KeyUnknown, Message: "m", Fix: "f"},
		{File: "agent/a b#%?.yaml", Line: 9, Column: 7, Severity: agentdir.Error, Code: agentdir.KeyUnknown, Message: "m", Fix: "f"},
		{File: "a:b", Severity: agentdir.Warning, Code: agentdir.InputMissing, Message: "é\x1b"},
		{File: ".", Severity: agentdir.Error, Code: agentdir.NoAgent, Message: "none"},
	}
	for _, problems := range [][]agentdir.Problem{problems, nil} {
		raw, err := json.Marshal(newSARIF("/the project", problems))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "null") {
			t.Errorf("something is null: %s", raw)
		}
		var log sarifLog
		if err := json.Unmarshal(raw, &log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 {
			t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
		}
		run := log.Runs[0]
		if base := run.Bases[sarifBase].URI; base != "file:///the%20project/" {
			t.Errorf("the project is at %q", base)
		}
		rules := run.Tool.Driver.Rules
		if run.Tool.Driver.Name != "agent-sdk" || len(rules) != len(agentdir.Codes) || len(run.Results) != len(problems) {
			t.Fatalf("%s has %d rules and %d results", run.Tool.Driver.Name, len(rules), len(run.Results))
		}
		for i, r := range run.Results {
			checkResult(t, r, rules, problems[i])
		}
		if len(problems) > 0 && run.Results[0].Fingerprints["primaryLocationLineHash"] == run.Results[1].Fingerprints["primaryLocationLineHash"] {
			t.Error("two problems have one fingerprint")
		}
	}
}

func checkResult(t *testing.T, r sarifResult, rules []sarifRule, p agentdir.Problem) {
	t.Helper()
	if rule := rules[r.RuleIndex]; rule.ID != r.RuleID || r.RuleID != string(p.Code) || rule.Short.Text == "" {
		t.Errorf("the result is of rule %s, index %d is %s", r.RuleID, r.RuleIndex, rule.ID)
	}
	if r.Level != string(p.Severity) || !strings.HasPrefix(r.Message.Text, p.Message) || !strings.HasSuffix(r.Message.Text, p.Fix) {
		t.Errorf("level %q, message %q of %+v", r.Level, r.Message.Text, p)
	}
	if !regexp.MustCompile(`^[0-9a-f]{16}:\d$`).MatchString(r.Fingerprints["primaryLocationLineHash"]) {
		t.Errorf("fingerprints %v", r.Fingerprints)
	}
	if len(r.Locations) != 1 {
		t.Fatalf("%d locations", len(r.Locations))
	}
	at := r.Locations[0].Physical
	u, err := url.Parse(at.Artifact.URI)
	if err != nil || u.IsAbs() || u.RawQuery != "" || u.Fragment != "" || strings.TrimPrefix(u.Path, "./") != strings.TrimPrefix(p.File, ".") {
		t.Errorf("the URI %q of %q, %v", at.Artifact.URI, p.File, err)
	}
	if at.Region.StartLine != max(p.Line, 1) || at.Region.StartColumn != max(p.Column, 1) || at.Artifact.Base != sarifBase {
		t.Errorf("the place %+v of %+v", at, p)
	}
}
