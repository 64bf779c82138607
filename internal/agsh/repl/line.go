package repl

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// A line is a text being edited. The cursor stands between what a reader sees
// as characters.
type line struct {
	text string
	at   int // of the cursor, in bytes
}

func lineOf(text string) line { return line{text, len(text)} }

// insert puts s before the cursor.
func (l line) insert(s string) line {
	return line{l.text[:l.at] + s + l.text[l.at:], l.at + len(s)}
}

// cut removes what is between the cursor and to, in either direction.
func (l line) cut(to int) (rest line, removed string) {
	from, to := min(l.at, to), max(l.at, to)
	return line{l.text[:from] + l.text[to:], from}, l.text[from:to]
}

// left is where the character before the cursor begins.
func (l line) left() int {
	at := 0
	for g := displaywidth.StringGraphemes(l.text[:l.at]); g.Next(); {
		at = l.at - len(g.Value())
	}
	return at
}

// right is where the character at the cursor ends.
func (l line) right() int {
	if g := displaywidth.StringGraphemes(l.text[l.at:]); g.Next() {
		return l.at + len(g.Value())
	}
	return l.at
}

// wordLeft is where the word before the cursor begins.
func (l line) wordLeft() int {
	before := strings.TrimRightFunc(l.text[:l.at], unicode.IsSpace)
	return strings.LastIndexFunc(before, unicode.IsSpace) + 1
}

// wordRight is where the word at or after the cursor ends.
func (l line) wordRight() int {
	after := strings.TrimLeftFunc(l.text[l.at:], unicode.IsSpace)
	if n := strings.IndexFunc(after, unicode.IsSpace); n >= 0 {
		after = after[n:]
	} else {
		after = ""
	}
	return len(l.text) - len(after)
}
