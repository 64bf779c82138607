// Package schema checks JSON values against a JSON Schema and tells everything
// that is wrong with them, in words for people and models.
//
// Schemas come from servers nobody vouches for, and values from models, so
// compiling and checking are bounded in depth and work: nothing recurses
// without end, whatever a $ref points at.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A Problem is one thing wrong with a value. Its texts quote the value and the
// schema as they are: a terminal must escape them.
type Problem struct {
	// Path is the JSON pointer of the value, "" for the whole. For something
	// missing it is where it should be.
	Path string
	// Value is the JSON of the offending value, compact, cut to about 80
	// characters; "" when it is missing.
	Value string
	// Want is what is wanted, as a noun: "an integer", "one of: a, b".
	Want string
	// Message completes a sentence that starts with the value's name:
	// "must be an integer, not \"x\"".
	Message string
}

// String is the path and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return "the value " + p.Message
	}
	return p.Path + " " + p.Message
}

// A Schema is a compiled JSON Schema, of draft 2020-12 or, when its $schema
// says so, draft 7 and before. It is immutable and safe for concurrent use.
type Schema struct {
	root    *node
	dropped []string
}

// Compile reads a schema, which must be a JSON object. A keyword that cannot
// be read or followed (a pattern with lookahead, a boolean exclusiveMinimum, a
// $ref to another document, a $ref that only leads back to itself,
// $dynamicRef) says nothing and is listed in [Schema.Dropped].
func Compile(raw json.RawMessage) (*Schema, error) {
	v, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	if v.kind != object {
		return nil, fmt.Errorf("compile schema: want a JSON object, got %s", show(v))
	}
	c := newCompiler(v)
	root := c.node(v, "", v)
	c.cutLoops()
	return &Schema{root: root, dropped: c.dropped}, nil
}

// Dropped lists the keywords that are not checked, each as its JSON pointer in
// the schema, a colon and the reason.
func (s *Schema) Dropped() []string { return slices.Clone(s.dropped) }

const (
	maxProblems = 100
	baseSteps   = 200_000
	stepsPerKB  = 8 * 1024
	maxNesting  = 10_000
)

// Validate returns every problem of args, in the order of the schema, depth
// first; nil means that args is valid. Text that is not JSON, an object with a
// key twice and a value nested too deeply are problems; so is a value that
// would cost too much to check. After 100 problems one more says that there
// are others.
func (s *Schema) Validate(args json.RawMessage) []Problem {
	v, err := parse(args)
	if err != nil {
		want := "valid JSON"
		if err == errTooDeep { //nolint:errorlint // parse returns it bare
			want = fmt.Sprintf("at most %d levels of nesting", maxDepth)
		}
		return []Problem{{Value: cut(args), Want: want, Message: fmt.Sprintf("must be JSON, but it is %v", err)}}
	}
	r := run{steps: baseSteps + len(args)/1024*stepsPerKB}
	r.node(s.root, v)
	if r.spent {
		return []Problem{{
			Value: cut(args), Want: "a value that is simple to check",
			Message: "takes too much work to check against this schema",
		}}
	}
	return r.problems
}
