// Package toolset is the one namespace of what can be called, and the one
// gate every call goes through.
package toolset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"regexp"
	"strings"
	"unicode/utf8"

	"agsh.dev/agent"
	"agsh.dev/internal/schema"
)

// Source says where a tool comes from.
type Source string

// The sources of tools.
const (
	Native    Source = "native"     // made from the agent's file tree
	Authored  Source = "authored"   // the agent's own
	Connected Source = "connection" // of an MCP server
)

// A Tool is one entry of the namespace.
type Tool struct {
	agent.Func
	Source Source
	// Connection is the MCP server a connected tool is of, and Connector the
	// service behind that server, or "".
	Connection, Connector string
	// Canonical, if set, turns arguments as callers write them into those the
	// schema names: it replaces accepted aliases. The log keeps what came.
	Canonical func(args json.RawMessage) json.RawMessage

	schema *schema.Schema
}

// A Set is an assembled namespace: names are unique, order is kept. It never
// changes after [Assemble] or [Set.Extend], so it is safe for concurrent use.
type Set struct {
	tools       []*Tool
	names       map[string]*Tool
	folds       map[string][]*Tool
	etag        string
	unavailable []Unavailable
	diagnostics []Diagnostic
}

// namePattern is what a tool may be called. Names go into URLs, model requests
// and the operator's shell as they are.
var namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// Assemble makes the namespace of a session from tools in the order given.
// Two tools of one name, a name that cannot be one, an input schema that is
// not an object and an approval that makes no sense are errors that name the
// tool.
func Assemble(tools ...Tool) (*Set, error) {
	s := &Set{names: make(map[string]*Tool, len(tools)), folds: make(map[string][]*Tool, len(tools))}
	sum := sha256.New()
	for i := range tools {
		t := tools[i]
		if err := s.add(&t); err != nil {
			return nil, err
		}
		enc, err := t.visible()
		if err != nil {
			return nil, err
		}
		sum.Write(enc)
	}
	s.etag = tag(sum)
	return s, nil
}

// visible is all that a client can see of a tool.
func (t *Tool) visible() ([]byte, error) {
	enc, err := json.Marshal([]any{
		t.Name, t.Title, t.Description, t.Input, t.Output, t.Effect, t.NeedsApproval, t.Source, t.Connection, t.Connector, t.Display,
	})
	if err != nil {
		return nil, fmt.Errorf("tool %s: encode its definition: %w", t.Name, err)
	}
	return enc, nil
}

func tag(sum hash.Hash) string { return `"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"` }

func (s *Set) add(t *Tool) error {
	if !namePattern.MatchString(t.Name) {
		return fmt.Errorf("tool %q: a name is a letter, then at most 63 letters, digits, _ or -", t.Name)
	}
	if other, ok := s.names[t.Name]; ok {
		return fmt.Errorf("tool %s: a %s tool has this name already; rename the %s one", t.Name, other.Source, t.Source)
	}
	if t.Run == nil {
		return fmt.Errorf("tool %s: it has no Run function", t.Name)
	}
	if err := checkApproval(t.NeedsApproval); err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	if len(t.Input) == 0 {
		t.Input = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if t.Effect == "" {
		t.Effect = agent.Write
	}
	if t.Timeout <= 0 {
		t.Timeout = agent.DefaultTimeout
	}
	if t.Title == "" {
		t.Title = titles[strings.ToLower(t.Name)]
	}
	t.Title = cut(t.Title, maxTitle)
	var err error
	if t.schema, err = schema.Compile(t.Input); err != nil {
		return fmt.Errorf("tool %s: input schema: %w", t.Name, err)
	}
	s.tools = append(s.tools, t)
	s.names[t.Name] = t
	fold := strings.ToLower(t.Name)
	s.folds[fold] = append(s.folds[fold], t)
	return nil
}

// Tools returns the namespace in order. The caller must not change it.
func (s *Set) Tools() []*Tool { return s.tools }

// Lookup finds a tool by its exact name.
func (s *Set) Lookup(name string) (*Tool, bool) {
	t, ok := s.names[name]
	return t, ok
}

// Fold finds a tool by its exact name, or the only one that has the name when
// case is ignored.
func (s *Set) Fold(name string) (*Tool, bool) {
	if t, ok := s.names[name]; ok {
		return t, true
	}
	if same := s.folds[strings.ToLower(name)]; len(same) == 1 {
		return same[0], true
	}
	return nil, false
}

// ETag changes whenever anything a client can see of the set changes. It is
// quoted, as HTTP wants it.
func (s *Set) ETag() string { return s.etag }

// maxTitle is the most characters of a title; upstream ones can be any size.
const maxTitle = 80

func cut(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	return string([]rune(s)[:runes])
}

// titles are those of the well-known tools, by lower-case name.
var titles = map[string]string{
	"read":           "Read a file",
	"ls":             "List a directory",
	"grep":           "Search file contents",
	"glob":           "Find files by pattern",
	"diff":           "Show workspace changes",
	"write":          "Write a file",
	"strreplace":     "Replace text in a file",
	"delete":         "Delete a file",
	"semanticsearch": "Search by meaning",
}
