package argv

import (
	"fmt"
	"strings"

	"agsh.dev/internal/term/text"
)

// A UsageError says why a command line was not run. Nothing was called.
type UsageError struct {
	Command string // "" before there is one
	Message string // what is wrong, when it is not about flags
	Faults  []Fault
	// Flags are the real ones, set when knowing them helps.
	Flags []string
}

// A Fault is one thing wrong with a command line.
type Fault struct {
	Flag    string // as typed or as help shows it; "<path>" for an operand, "" for none
	Value   string // "" when it is missing
	Want    string // "an integer"
	Message string // goes after the flag: "must be an integer, not x"
}

const (
	maxFlagsListed = 30
	maxClip        = 80
)

// Error tells all of it, a fault a line, with every untrusted text escaped.
func (e *UsageError) Error() string {
	var b strings.Builder
	if e.Command != "" {
		b.WriteString(text.EscapeLine(e.Command) + ": ")
	}
	b.WriteString(text.Escape(e.Message))
	if len(e.Faults) > 1 {
		if e.Message != "" {
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%d problems", len(e.Faults))
	}
	for _, f := range e.Faults {
		if len(e.Faults) > 1 {
			b.WriteString("\n  ")
		}
		if f.Flag != "" {
			b.WriteString(text.EscapeLine(f.Flag) + ": ")
		}
		b.WriteString(text.EscapeLine(f.Message))
	}
	if len(e.Flags) > 0 {
		b.WriteString("\nflags: ")
		listed := e.Flags[:min(len(e.Flags), maxFlagsListed)]
		b.WriteString(text.EscapeLine(strings.Join(listed, ", ")))
		if n := len(e.Flags) - len(listed); n > 0 {
			fmt.Fprintf(&b, ", … (%d more; see %s --help)", n, text.EscapeLine(e.Command))
		}
	}
	return b.String()
}

// clip shows a word: quoted if that is needed to see it, and not endlessly.
func clip(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'") {
		return cut(s)
	}
	return quoted(s)
}

// refused shows the word that is not what is wanted: a number as it is and
// anything else in quotes, like the values of JSON that a schema refuses.
func refused(s string) string {
	if isNumber(s) {
		return cut(s)
	}
	return quoted(s)
}

func quoted(s string) string {
	if s = cut(s); strings.Contains(s, `"`) && !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return `"` + s + `"`
}

// cut is at most maxClip characters of s.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == maxClip {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
