package repl

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"agsh.dev/internal/term/text"
)

const defaultWidth = 80

// A screen paints one entry over and over at the place where it began.
type screen struct {
	out     io.Writer
	width   func() int
	err     error // the first one of writing
	painted picture
	// typed is what the picture shows, if it is no more than typing at its end
	// that changes it.
	prompt string
	line   line
}

// A picture is a text broken into rows, and where the cursor is in it.
type picture struct {
	rows     []string
	row, col int
}

func (s *screen) cells() int {
	if s.width != nil {
		if w := s.width(); w > 1 {
			return w
		}
	}
	return defaultWidth
}

func (s *screen) write(out string) {
	if s.err != nil || out == "" {
		return
	}
	if _, err := io.WriteString(s.out, out); err != nil {
		s.err = fmt.Errorf("write to the terminal: %w", err)
	}
}

// begin makes room for an entry. What was printed last may have left the
// cursor behind a text without a newline, which painting would wipe out. The
// mark and the blanks wrap onto a new row only then; otherwise they vanish.
func (s *screen) begin() {
	s.painted, s.prompt, s.line = picture{}, "", line{}
	s.write("\x1b[2m⏎\x1b[0m" + strings.Repeat(" ", s.cells()-1) + "\r\x1b[K")
}

// paint replaces what was painted since begin.
func (s *screen) paint(prompt string, l line) {
	if added, ok := s.appended(prompt, l); ok {
		s.write(added)
		s.painted.col += len(added)
		s.line = l
		return
	}
	p := layout(prompt, l, s.cells())
	var b strings.Builder
	move(&b, s.painted.row, 'A')
	b.WriteString("\r\x1b[J" + strings.Join(p.rows, "\r\n"))
	move(&b, len(p.rows)-1-p.row, 'A')
	b.WriteByte('\r')
	move(&b, p.col, 'C')
	s.write(b.String())
	s.painted, s.prompt, s.line = p, prompt, l
}

// appended returns what was typed at the end of the painted line, if writing
// just that brings the picture up to date.
func (s *screen) appended(prompt string, l line) (string, bool) {
	added, grown := strings.CutPrefix(l.text, s.line.text)
	ok := grown && s.painted.rows != nil && prompt == s.prompt &&
		s.line.at == len(s.line.text) && l.at == len(l.text) &&
		s.painted.col+len(added) < s.cells()
	for _, c := range []byte(added) {
		ok = ok && c >= ' ' && c < 0x7f // one cell each, whatever is before
	}
	return added, ok
}

// leave moves the cursor below the entry, after writing note at its end.
func (s *screen) leave(note string) {
	s.paint(s.prompt, line{s.line.text, len(s.line.text)})
	s.write(note + "\r\n")
}

func move(b *strings.Builder, n int, direction byte) {
	if n > 0 {
		fmt.Fprintf(b, "\x1b[%d%c", n, direction)
	}
}

// colour returns the SGR sequence at the start of s, "" if there is none.
func colour(s string) string {
	if !strings.HasPrefix(s, "\x1b[") {
		return ""
	}
	n := 2 + len(s[2:]) - len(strings.TrimLeft(s[2:], "0123456789;"))
	if n == len(s) || s[n] != 'm' {
		return ""
	}
	return s[:n+1]
}

// layout breaks the prompt and the text into rows of at most width cells, and
// finds the cursor. Rows are broken here and not by the terminal, because
// terminals differ in what they do with a character that does not fit.
func layout(prompt string, l line, width int) picture {
	var p picture
	var row strings.Builder
	used := 0
	newRow := func() {
		p.rows = append(p.rows, row.String())
		row.Reset()
		used = 0
	}
	put := func(shown string) {
		for g := displaywidth.StringGraphemes(shown); g.Next(); {
			w := text.Width(g.Value())
			if used+w > width {
				newRow()
			}
			row.WriteString(g.Value())
			used += w
		}
	}
	for prompt != "" {
		if c := colour(prompt); c != "" {
			row.WriteString(c)
			prompt = prompt[len(c):]
			continue
		}
		n := strings.Index(prompt[1:], "\x1b") + 1
		if n == 0 {
			n = len(prompt)
		}
		put(text.EscapeLine(prompt[:n]))
		prompt = prompt[n:]
	}
	at := 0
	for g := displaywidth.StringGraphemes(l.text); g.Next(); at += len(g.Value()) {
		shown := text.EscapeLine(g.Value())
		breaks := g.Value() == "\n"
		if !breaks && used+text.Width(shown) > width {
			newRow()
		}
		if at <= l.at { // it may be inside a character that grew
			p.row, p.col = len(p.rows), used
		}
		if breaks {
			newRow()
			put(continuation)
		} else {
			put(shown)
		}
	}
	if l.at == len(l.text) {
		if used >= width {
			newRow()
		}
		p.row, p.col = len(p.rows), used
	}
	p.rows = append(p.rows, row.String())
	// In the middle of a text the cursor may stand behind a full row.
	p.col = min(p.col, width-1)
	return p
}
