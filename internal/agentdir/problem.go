package agentdir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agsh.dev/internal/term/text"
)

// A Problem is one thing wrong with a project.
type Problem struct {
	// File is relative to the project folder, with slashes; "." is the folder
	// itself.
	File string `json:"file"`
	// Path is the same from where the program was started: File below the
	// folder as the caller of [Read] named it.
	Path string `json:"path"`
	// Line and Column count from 1, columns in characters. 0 means the file
	// as a whole.
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix,omitempty"`
	Agent    string   `json:"agent,omitempty"` // slug; "" when it concerns the project
}

// Severity says whether the agent can be served.
type Severity string

// The severities of a [Problem].
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// String is [Problem.Text] without colour.
func (p Problem) String() string {
	return p.Text(func(_ Severity, s string) string { return s })
}

// Text is the problem as people and editors read it, on one line or two and
// without a line end. What comes from files is escaped. Paint colours the
// words of a severity.
func (p Problem) Text(paint func(Severity, string) string) string {
	var b strings.Builder
	b.WriteString(text.EscapeLine(p.Path))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, max(p.Column, 1))
	}
	fmt.Fprintf(&b, ": %s: %s", paint(p.Severity, fmt.Sprintf("%s[%s]", p.Severity, p.Code)), text.EscapeLine(p.Message))
	if p.Fix != "" {
		b.WriteString("\n  fix: " + text.EscapeLine(p.Fix))
	}
	return b.String()
}

// Count returns how many of the problems are errors and how many warnings.
func Count(problems []Problem) (errors, warnings int) {
	for _, p := range problems {
		if p.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
