package shell

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A matcher finds the patterns of one grep in a line without its newline.
type matcher struct {
	line *regexp.Regexp // finds any match
	// With -w, spans are found by these two, whose group is the match: at the
	// start of a line and after a character that is not of a word.
	first, later *regexp.Regexp
}

func newMatcher(patterns []string, g *grep) (*matcher, []string, error) {
	var alternatives, warnings []string
	for _, p := range patterns {
		re, warned, err := translate(p, g.dialect)
		if err != nil {
			return nil, nil, err
		}
		alternatives = append(alternatives, "(?:"+re+")")
		warnings = append(warnings, warned...)
	}
	all := strings.Join(alternatives, "|")
	var m matcher
	var err error
	compile := func(expr string) *regexp.Regexp {
		if g.ignoreCase {
			expr = "(?i)" + expr
		}
		re, failed := regexp.Compile(expr)
		if failed != nil {
			err = fmt.Errorf("the pattern %q is too large for this grep", strings.Join(patterns, "\n"))
			return nil
		}
		re.Longest()
		return re
	}
	const edge = `[^` + wordChars + `]`
	switch {
	case g.wholeLine:
		m.line = compile("^(?:" + all + ")$")
	case g.wholeWord:
		m.line = compile("(?:^|" + edge + ")(?:" + all + ")(?:" + edge + "|$)")
		m.first = compile("^(" + all + ")(?:" + edge + "|$)")
		m.later = compile(edge + "(" + all + ")(?:" + edge + "|$)")
	default:
		m.line = compile(all)
	}
	return &m, warnings, err
}

// matches reports whether the line has a match.
func (m *matcher) matches(line []byte) bool { return m.line.Match(line) }

// spans returns the matches that are not empty, longest first where several
// begin at the same place, without overlaps.
func (m *matcher) spans(line []byte) [][]byte {
	var found [][]byte
	if m.first == nil {
		for _, at := range m.line.FindAllIndex(line, -1) {
			if at[0] < at[1] {
				found = append(found, line[at[0]:at[1]])
			}
		}
		return found
	}
	re, from := m.first, 0
	for {
		at := re.FindSubmatchIndex(line[from:])
		switch {
		case at == nil && re == m.later:
			return found
		case at == nil:
			re = m.later
			continue
		}
		start, end := from+at[2], from+at[3]
		if start < end {
			found = append(found, line[start:end])
		}
		// The next match begins after a character that is not of a word, which
		// may be the last of this one.
		if start < end {
			_, size := utf8.DecodeLastRune(line[:end])
			end -= size
		}
		re, from = m.later, end
	}
}

// splitPatterns takes a newline as the end of a pattern, as POSIX has it.
func splitPatterns(p string) []string { return strings.Split(p, "\n") }

// trimNewline returns the line without its newline.
func trimNewline(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\n")) }
