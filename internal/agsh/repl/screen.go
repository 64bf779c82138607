package repl

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const (
	bracketedPaste   = "\x1b[?2004h"
	noBracketedPaste = "\x1b[?2004l"
	clearAll         = "\x1b[H\x1b[2J"
	clearBelow       = "\x1b[J"
	clearRight       = "\x1b[K"
	clearRow         = "\x1b[2K"
)

// A screen paints the live region: the last rows of the terminal, which change
// all the time, below a transcript that never does. Everything is relative to
// the cursor, so that nothing has to be asked of the terminal.
type screen struct {
	out     io.Writer
	painted picture // nothing yet if it has no rows
	width   int     // the terminal's when it was painted
	err     error   // the first one of writing
}

func (s *screen) write(out string) {
	if s.err != nil || out == "" {
		return
	}
	if _, err := io.WriteString(s.out, out); err != nil {
		s.err = fmt.Errorf("write to the terminal: %w", err)
	}
}

// noNewline marks a row of output that no newline ended.
const noNewline = "⏎"

// begin makes room for the region. What was printed last may have left the
// cursor behind a text without a newline, which painting would wipe out. The
// mark, which takes one cell, and the blanks wrap onto a new row only then;
// otherwise they vanish.
func (s *screen) begin(width int, mark string) {
	s.painted = picture{}
	s.write(mark + strings.Repeat(" ", width-1) + "\r" + clearRight)
}

// paint makes p the live region. Rows of p leave the last column free.
func (s *screen) paint(p picture, width int) {
	if s.painted.rows == nil || width != s.width {
		s.print(nil, p, width)
		return
	}
	if added, ok := s.appended(p); ok {
		s.write(added)
		s.painted = p
		return
	}
	old := s.painted
	var b strings.Builder
	move(&b, old.row, 'A')
	b.WriteByte('\r')
	for i, row := range p.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		switch {
		case i >= len(old.rows):
			b.WriteString(row + clearRight)
		case row == old.rows[i]:
		case cells(row) < cells(old.rows[i]):
			// A row cleared from its middle on keeps its length in some
			// terminals, which break the blanks when they become narrower.
			b.WriteString(clearRow + row)
		default:
			b.WriteString(row + clearRight)
		}
	}
	if len(old.rows) > len(p.rows) {
		b.WriteString("\r\n" + clearBelow)
		move(&b, 1, 'A')
	}
	s.place(&b, p)
	s.write(b.String())
	s.painted = p
}

// print puts rows onto the transcript, above the live region p.
func (s *screen) print(rows []string, p picture, width int) {
	var b strings.Builder
	s.erase(&b, width)
	for _, row := range rows {
		b.WriteString(row + "\r\n")
	}
	b.WriteString(strings.Join(p.rows, "\r\n"))
	s.place(&b, p)
	s.write(b.String())
	s.painted, s.width = p, width
}

// erase removes the region. A terminal that became narrower has broken its
// rows, as terminals do that keep all text when they are resized.
func (s *screen) erase(b *strings.Builder, width int) {
	if s.painted.rows == nil {
		return
	}
	up := s.painted.col / width
	for _, row := range s.painted.rows[:s.painted.row] {
		up += max(1, (cells(row)+width-1)/width)
	}
	move(b, up, 'A')
	b.WriteString("\r" + clearBelow)
}

// place moves the cursor from the last row of p to where it belongs.
func (s *screen) place(b *strings.Builder, p picture) {
	move(b, len(p.rows)-1-p.row, 'A')
	b.WriteByte('\r')
	move(b, p.col, 'C')
}

// appended returns what was typed at the end of the region, if writing just
// that brings it up to date.
func (s *screen) appended(p picture) (string, bool) {
	old, last := s.painted, len(p.rows)-1
	if len(old.rows) != len(p.rows) || old.row != last || p.row != last || strings.HasSuffix(old.rows[last], reset) {
		return "", false
	}
	for i := range last {
		if old.rows[i] != p.rows[i] {
			return "", false
		}
	}
	added, ok := strings.CutPrefix(p.rows[last], old.rows[last])
	if !ok || p.col != old.col+len(added) {
		return "", false
	}
	for _, c := range []byte(added) {
		ok = ok && c >= ' ' && c < 0x7f // one cell each, whatever is before
	}
	return added, ok && old.col == cells(old.rows[last])
}

// cells is the width of a row, whose only controls are colours.
func cells(row string) int {
	return displaywidth.Options{ControlSequences: true}.String(row)
}

func move(b *strings.Builder, n int, direction byte) {
	if n > 0 {
		fmt.Fprintf(b, "\x1b[%d%c", n, direction)
	}
}
