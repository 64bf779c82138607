package repl

import (
	"strings"
	"unicode/utf8"
)

// A transcript makes rows of the output of an entry, which comes in pieces cut
// anywhere. Colours are kept; every other control is shown escaped.
type transcript struct {
	breaker
	held string // the start of what is not whole
}

// add returns the rows that p completes. What is behind the last newline waits,
// but never longer than a row.
func (t *transcript) add(p string, width int) []string {
	t.width = width
	all := t.held + p
	whole := len(all) - unfinished(all)
	t.held = all[whole:]
	all = all[:whole]
	for {
		line, rest, ok := strings.Cut(all, "\n")
		t.putStyled(strings.TrimSuffix(line, "\r"))
		if !ok {
			break
		}
		t.newRow()
		all = rest
	}
	rows := t.rows
	t.rows = nil
	return rows
}

// end returns the row that no newline completed, if there is one, with the mark
// behind it.
func (t *transcript) end(width int, mark string) []string {
	t.width = width
	t.putStyled(t.held)
	var rows []string
	if t.used > 0 {
		row := t.current()
		rows = append(t.rows, row+mark)
	}
	*t = transcript{}
	return rows
}

// pending is the row that no newline has completed yet, "" for none.
func (t *transcript) pending() string {
	if t.used == 0 {
		return ""
	}
	return t.current()
}

// unfinished is how many bytes at the end of s may mean something else when
// more comes: a part of a line end, of a colour, or of a character.
func unfinished(s string) int {
	const longest = 32 // of a colour
	if strings.HasSuffix(s, "\r") {
		return 1
	}
	tail := s[max(0, len(s)-longest):]
	if i := strings.LastIndex(tail, esc); i >= 0 && strings.Trim(tail[i+1:], "[0123456789;:") == "" {
		return len(tail) - i
	}
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n:]; utf8.RuneStart(c[0]) {
			if utf8.FullRuneInString(c) {
				return 0
			}
			return n
		}
	}
	return 0
}
