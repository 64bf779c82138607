package toolset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Group is what one connection brings into a namespace: tools, or why there
// are none.
type Group struct {
	Connection string
	Tools      []Tool
	Err        error
}

// Unavailable is a connection without its tools.
type Unavailable struct {
	Connection string
	Err        error
}

// A Diagnostic tells of a connected tool that is not listed as it was meant.
type Diagnostic struct{ Code, Message string }

// The codes of a [Diagnostic].
const (
	toolRenamed = "tool_renamed"
	toolRefused = "tool_refused"
)

// Extend returns s with the tools of connections behind its own, in order. A
// connected tool never takes the name of another, nor one that differs only
// in case: the name of its connection is put in front. What cannot be called
// is left out. Both are said in [Set.Diagnostics]; a connection that failed
// is in [Set.Unavailable].
func (s *Set) Extend(groups []Group) (*Set, error) {
	if len(groups) == 0 {
		return s, nil
	}
	out := &Set{
		tools: slices.Clone(s.tools), names: maps.Clone(s.names), folds: maps.Clone(s.folds),
		unavailable: slices.Clone(s.unavailable), diagnostics: slices.Clone(s.diagnostics),
	}
	sum := sha256.New()
	fmt.Fprintln(sum, s.etag)
	for _, g := range groups {
		if g.Err != nil {
			out.unavailable = append(out.unavailable, Unavailable{g.Connection, g.Err})
			fmt.Fprintf(sum, "%s unavailable: %v\n", g.Connection, g.Err)
		}
		for _, t := range g.Tools {
			out.join(g.Connection, t)
		}
	}
	for _, t := range out.tools[len(s.tools):] {
		enc, err := t.visible()
		if err != nil {
			return nil, err
		}
		sum.Write(enc)
	}
	if err := json.NewEncoder(sum).Encode(out.diagnostics); err != nil {
		return nil, fmt.Errorf("encode the diagnostics of the namespace: %w", err)
	}
	out.etag = tag(sum)
	return out, nil
}

// join adds a connected tool under a name that is free.
func (s *Set) join(connection string, t Tool) {
	t.Source, t.Connection = Connected, connection
	wanted := t.Name
	if other := s.taken(t.Name); other != nil {
		t.Name = prefixed(connection, wanted)
		if s.taken(t.Name) != nil {
			s.diagnose(toolRefused, "tool %s of connection %s is left out: both %s and %s are taken; rename it in the connection's file",
				wanted, connection, wanted, t.Name)
			return
		}
		s.diagnose(toolRenamed, "tool %s of connection %s is listed as %s: %s is the name of %s", wanted, connection, t.Name, other.Name, other.whose())
	}
	if err := s.add(&t); err != nil {
		s.diagnose(toolRefused, "tool %s of connection %s is left out: %v", wanted, connection, err)
	}
}

// taken returns a tool that has the name, whatever its case: people and models
// do not tell names apart by case alone, and a server must not take over a
// tool that is the agent's own.
func (s *Set) taken(name string) *Tool {
	if same := s.folds[strings.ToLower(name)]; len(same) > 0 {
		return same[0]
	}
	return nil
}

func (t *Tool) whose() string {
	if t.Source == Connected {
		return "a tool of connection " + t.Connection
	}
	return "one of the agent's own tools"
}

// maxName is the most characters of a name.
const maxName = 64

// prefixed puts a connection's name in front of a tool's. One that gets too
// long ends in a hash, so that it differs from others that begin alike.
func prefixed(connection, name string) string {
	long := connection + "_" + name
	if len(long) <= maxName {
		return long
	}
	sum := sha256.Sum256([]byte(long))
	end := "_" + hex.EncodeToString(sum[:4])
	return long[:maxName-len(end)] + end
}

func (s *Set) diagnose(code, format string, args ...any) {
	s.diagnostics = append(s.diagnostics, Diagnostic{code, fmt.Sprintf(format, args...)})
}

// Unavailable returns the connections whose tools are missing. The caller must
// not change it.
func (s *Set) Unavailable() []Unavailable { return s.unavailable }

// Diagnostics returns what had to be changed for the namespace to be one. The
// caller must not change it.
func (s *Set) Diagnostics() []Diagnostic { return s.diagnostics }
