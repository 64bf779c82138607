// Package shell is the small command language of agsh: words, pipelines and
// and-or lists over commands that someone else executes, and the filters that
// may follow a | (head, tail, wc, grep, jq).
//
// It resembles sh where they overlap, so that what an operator types by habit
// does what it does in bash, but there is nothing local to work on: no files,
// no jobs, no variables, no expansion. What sh would expand is an ordinary
// character here, and what sh would redirect is refused by name.
package shell

import (
	"encoding/json"
	"strings"
)

// A Pos is a place in a script.
type Pos struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Col    int // in characters, from 1
}

// A Script is a sequence of pipelines, in the order they are written.
// && and || have equal precedence and bind to the left, as in sh, so the
// sequence needs no nesting: each pipeline says when it runs.
type Script struct {
	Pipelines []Pipeline
}

// A Pipeline is one command and the filters its output passes through. It has
// at least one stage.
type Pipeline struct {
	When   When
	Stages []Stage
}

// A Stage is one command or filter with its arguments. It has at least one
// word; words may be empty strings.
type Stage struct {
	Pos   Pos // of the first word
	Words []string
}

// When says which exit code of what ran before lets a pipeline run.
type When int

// The ways to join a pipeline to the one before it.
const (
	Always      When = iota // first, or after ; or a newline
	IfSucceeded             // after &&
	IfFailed                // after ||
)

func (w When) holds(code int) bool {
	switch w {
	case IfSucceeded:
		return code == 0
	case IfFailed:
		return code != 0
	default:
		return true
	}
}

// String returns the operator that means w.
func (w When) String() string {
	switch w {
	case IfSucceeded:
		return "&&"
	case IfFailed:
		return "||"
	default:
		return ";"
	}
}

// String returns the script in one canonical line; Parse reads it back to the
// same pipelines.
func (s *Script) String() string {
	var b strings.Builder
	for i, p := range s.Pipelines {
		switch {
		case i == 0:
		case p.When == Always:
			b.WriteString("; ")
		default:
			b.WriteString(" " + p.When.String() + " ")
		}
		for j, stage := range p.Stages {
			if j > 0 {
				b.WriteString(" | ")
			}
			for k, w := range stage.Words {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(Quote(w))
			}
		}
	}
	return b.String()
}

// endsList reports whether pipeline i is the last of its and-or list.
func (s *Script) endsList(i int) bool {
	return i+1 == len(s.Pipelines) || s.Pipelines[i+1].When == Always
}

// An Output is what a command produced.
type Output struct {
	// Text is what a terminal would show. When the output goes on to a
	// filter it has no colour and is not wrapped.
	Text []byte
	// JSON returns the result's JSON value, which is what jq reads. It is
	// called at most once, and only if jq is the next stage; nil means that
	// jq reads Text.
	JSON func() (json.RawMessage, error)
	// Exit ends the script after this pipeline, with the exit code that came
	// before it. The shell word exit sets it.
	Exit bool
}
