package text

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Wrap breaks s into lines of at most width cells. Lines end at the newlines
// of s and between words; the spaces at such a break are dropped, all others,
// indentation too, are kept. Words are what spaces separate. A word that fits
// on a line of its own is never broken; one that does not is broken between
// characters. A width below 1 is no limit.
//
// Only a single character wider than width makes a line that exceeds it, which
// cannot happen from width 2 on. Control characters other than newline should
// be escaped or expanded first; they count as nothing. The result has at least
// one line, which is empty if s is.
func Wrap(s string, width int) []string {
	if width < 1 {
		return strings.Split(s, "\n")
	}
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) <= width || Width(line) <= width { // a cell takes a byte at least
			lines = append(lines, line)
			continue
		}
		w := wrapper{s: line, width: width, gap: -1, lines: lines}
		lines = w.wrap()
	}
	return lines
}

// A wrapper breaks one line. The pending output line starts at byte start and
// takes cells cells so far. Its last run of spaces ends at byte next, before
// which it has nextCells cells; gap is where that run starts, or negative if
// no word is before it.
type wrapper struct {
	s         string
	width     int
	start     int
	cells     int
	gap       int
	next      int
	nextCells int
	words     bool // the pending line has a word
	lines     []string
}

func (w *wrapper) wrap() []string {
	graphemes := displaywidth.StringGraphemes(w.s)
	for pos := 0; graphemes.Next(); pos += len(graphemes.Value()) {
		g := graphemes.Value()
		if g == " " {
			w.space(pos)
			continue
		}
		cells := Width(g)
		for w.cells+cells > w.width && pos > w.start {
			w.breakBefore(pos)
		}
		w.cells += cells
		w.words = true
	}
	last := w.s[w.start:]
	if w.cells > w.width {
		last = strings.TrimRight(last, " ")
	}
	return append(w.lines, last)
}

// space takes a space at byte pos into the pending line. Spaces hang over the
// edge: only what follows them can break the line.
func (w *wrapper) space(pos int) {
	if w.words && (w.gap < 0 || w.next != pos) {
		w.gap = pos
	}
	w.cells++
	w.next, w.nextCells = pos+1, w.cells
}

// breakBefore makes room for the character at byte pos.
func (w *wrapper) breakBefore(pos int) {
	switch {
	case w.gap >= 0:
		w.lines = append(w.lines, w.s[w.start:w.gap])
		w.start, w.cells = w.next, w.cells-w.nextCells
	case w.next > w.start: // indentation that leaves its word no room is dropped
		w.start, w.cells = w.next, w.cells-w.nextCells
	default:
		w.lines = append(w.lines, w.s[w.start:pos])
		w.start, w.cells = pos, 0
	}
	w.gap, w.words = -1, w.start < pos
}
