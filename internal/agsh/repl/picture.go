package repl

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"agsh.dev/internal/term/text"
)

// A picture is a text broken into rows, and where the cursor is in it.
type picture struct {
	rows     []string
	row, col int
}

// A breaker breaks text into rows of at most width cells. Rows are broken here
// and not by the terminal, because terminals differ in what they do with a
// character that does not fit.
type breaker struct {
	width int
	rows  []string
	row   strings.Builder
	used  int // cells of row
	// styles are the colours in force. Each row switches them on and off again
	// for itself.
	styles string
}

// maxStyles bounds what is remembered of colours that are never reset.
const maxStyles = 256

func (b *breaker) newRow() {
	b.rows = append(b.rows, b.current())
	b.row.Reset()
	b.row.WriteString(b.styles)
	b.used = 0
}

// current is the row that is not full yet.
func (b *breaker) current() string {
	if b.styles != "" {
		return b.row.String() + reset
	}
	return b.row.String()
}

func (b *breaker) style(c string) {
	b.row.WriteString(c)
	switch {
	case c == reset || c == "\x1b[m":
		b.styles = ""
	case len(b.styles)+len(c) > maxStyles:
		b.styles = c
	default:
		b.styles += c
	}
}

// put adds text without controls.
func (b *breaker) put(shown string) {
	if b.used+len(shown) <= b.width && ascii(shown) {
		b.row.WriteString(shown)
		b.used += len(shown)
		return
	}
	for g := displaywidth.StringGraphemes(shown); g.Next(); {
		w := text.Width(g.Value())
		if b.used+w > b.width && b.used > 0 {
			b.newRow()
		}
		b.row.WriteString(g.Value())
		b.used += w
	}
}

// putStyled adds text that may have colours. Other controls are shown escaped;
// tabs become spaces.
func (b *breaker) putStyled(s string) {
	for s != "" {
		if c := colour(s); c != "" {
			b.style(c)
			s = s[len(c):]
			continue
		}
		if s[0] == '\t' {
			b.put(strings.Repeat(" ", tabStop-b.used%tabStop))
			s = s[1:]
			continue
		}
		n := strings.IndexAny(s[1:], "\x1b\t") + 1
		if n == 0 {
			n = len(s)
		}
		b.put(text.EscapeLine(s[:n]))
		s = s[n:]
	}
}

const tabStop = 8

// finish returns all rows, at least one.
func (b *breaker) finish() []string {
	b.newRow()
	return b.rows
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// colour returns the SGR sequence at the start of s, "" if there is none.
func colour(s string) string {
	if !strings.HasPrefix(s, "\x1b[") {
		return ""
	}
	n := 2 + len(s[2:]) - len(strings.TrimLeft(s[2:], "0123456789;:"))
	if n == len(s) || s[n] != 'm' {
		return ""
	}
	return s[:n+1]
}

const reset = "\x1b[0m"

// layout breaks the prompt and the text into rows of at most width cells, and
// finds the cursor.
func layout(prompt string, l line, width int) picture {
	var p picture
	b := breaker{width: width}
	b.putStyled(prompt)
	at := 0
	for g := displaywidth.StringGraphemes(l.text); g.Next(); at += len(g.Value()) {
		shown := text.EscapeLine(g.Value())
		breaks := g.Value() == "\n"
		if !breaks && b.used+text.Width(shown) > width {
			b.newRow()
		}
		if at <= l.at { // it may be inside a character that grew
			p.row, p.col = len(b.rows), b.used
		}
		if breaks {
			b.newRow()
			b.put(continuation)
		} else {
			b.put(shown)
		}
	}
	if l.at == len(l.text) {
		p.row, p.col = len(b.rows), b.used
	}
	p.rows = b.finish()
	return p
}

// clipped is the part of p of at most height rows that has the cursor.
func (p picture) clipped(height int) picture {
	if len(p.rows) <= height {
		return p
	}
	top := min(max(0, p.row-height+1), len(p.rows)-height)
	return picture{p.rows[top : top+height], p.row - top, p.col}
}
