package vfs

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A matcher finds the lines of a text that a pattern matches. Most files are
// ruled out by a literal that every match holds, which is far cheaper to look
// for than the pattern.
type matcher struct {
	re    *regexp.Regexp
	lit   []byte // every matching line holds it; empty if none is known
	fold  bool   // in any ASCII case; lit is in lower case
	exact bool   // a line with lit matches
}

func compileMatcher(pattern string, ignoreCase bool) (*matcher, error) {
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	lit := required(tree)
	m := &matcher{re: re, lit: []byte(lit.text), fold: lit.fold}
	m.exact = tree.Op == syntax.OpLiteral && !lit.fold && lit.text == string(tree.Rune) &&
		!strings.ContainsAny(lit.text, "\r\n")
	return m, nil
}

// next returns the bounds of the first matching line at or after from, which
// is the start of a line; end excludes the line end.
func (m *matcher) next(data []byte, from int) (start, end int, ok bool) {
	for from < len(data) {
		start = from
		if len(m.lit) > 0 {
			i := m.index(data[from:])
			if i < 0 {
				return 0, 0, false
			}
			start = from + bytes.LastIndexByte(data[from:from+i], '\n') + 1
		}
		end = lineEnd(data, start)
		if m.exact || m.matches(data[start:end]) {
			return start, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

func (m *matcher) matches(line []byte) bool { return m.re.Match(trimCR(line)) }

func (m *matcher) index(data []byte) int {
	if m.fold {
		return indexFold(data, m.lit)
	}
	return bytes.Index(data, m.lit)
}

// indexFold is bytes.Index for a lit in lower case and data in any ASCII case.
func indexFold(data, lit []byte) int {
	lower, upper := lit[0], lit[0]
	if 'a' <= lower && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	last := len(data) - len(lit)
	// The two cursors are at the next lower and upper first letter.
	l, u := -1, -1
	for at := 0; at <= last; at++ {
		l = advance(data, lower, l, at)
		u = advance(data, upper, u, at)
		if at = min(l, u); at > last {
			break
		}
		if equalFold(data[at:at+len(lit)], lit) {
			return at
		}
	}
	return -1
}

// advance returns the first place of c at or after from, given an earlier
// answer; len(data) means none.
func advance(data []byte, c byte, answer, from int) int {
	if answer >= from {
		return answer
	}
	if i := bytes.IndexByte(data[from:], c); i >= 0 {
		return from + i
	}
	return len(data)
}

func equalFold(data, lower []byte) bool {
	for i, c := range data {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// literal is text that a match must hold.
type literal struct {
	text string
	fold bool // in any ASCII case; text is in lower case
}

// required returns the longest literal found in every match of re.
func required(re *syntax.Regexp) literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		var best literal
		for _, sub := range re.Sub {
			if lit := required(sub); len(lit.text) > len(best.text) {
				best = lit
			}
		}
		return best
	default:
		return literal{}
	}
}

// literalOf is the longest run of runes that can be looked for as bytes.
func literalOf(runes []rune, fold bool) literal {
	usable := func(r rune) bool { return r != utf8.RuneError }
	if fold {
		// Beyond ASCII, case is more than one bit; k and s fold with the
		// Kelvin sign and the long s.
		usable = func(r rune) bool { return r < utf8.RuneSelf && !strings.ContainsRune("kKsS", r) }
	}
	var best string
	for run := range strings.FieldsFuncSeq(string(runes), func(r rune) bool { return !usable(r) }) {
		if len(run) > len(best) {
			best = run
		}
	}
	if fold {
		best = strings.ToLower(best)
	}
	return literal{text: best, fold: fold}
}

// lineEnd returns where the line at start ends, before its newline.
func lineEnd(data []byte, start int) int {
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(data)
}

func trimCR(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\r")) }
