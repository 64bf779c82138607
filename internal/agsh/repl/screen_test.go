package repl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/term/text"
)

// A grid is as much of a terminal as a screen needs. A character that does not
// fit its row wraps; a full row leaves the cursor in its last column.
type grid struct {
	width    int
	cells    [][]string // a wide character takes one cell and leaves the next empty
	row, col int
	full     bool // the cursor is behind the last column
	held     []byte
}

func newGrid(width int) *grid { return &grid{width: width, cells: [][]string{make([]string, width)}} }

func (v *grid) Write(p []byte) (int, error) {
	v.held = append(v.held, p...)
	for len(v.held) > 0 {
		switch v.held[0] {
		case 0x1b:
			n := controlSequence(string(v.held))
			if n == 0 {
				return len(p), nil
			}
			v.csi(string(v.held[:n]))
			v.held = v.held[n:]
		case '\r':
			v.col, v.full = 0, false
			v.held = v.held[1:]
		case '\n':
			v.down()
			v.held = v.held[1:]
		default:
			n := slices.IndexFunc(v.held, func(c byte) bool { return c < ' ' })
			if n < 0 {
				n = len(v.held)
			}
			if !utf8.Valid(v.held[:n]) {
				return len(p), nil
			}
			for g := displaywidth.StringGraphemes(string(v.held[:n])); g.Next(); {
				v.put(g.Value())
			}
			v.held = v.held[n:]
		}
	}
	return len(p), nil
}

func (v *grid) down() {
	v.row++
	v.full = false
	for len(v.cells) <= v.row {
		v.cells = append(v.cells, make([]string, v.width))
	}
}

func (v *grid) put(c string) {
	w := text.Width(c)
	if v.full || v.col+w > v.width {
		v.col = 0
		v.down()
	}
	v.cells[v.row][v.col] = c
	for i := 1; i < w; i++ {
		v.cells[v.row][v.col+i] = ""
	}
	v.col += w
	if v.col >= v.width {
		v.col, v.full = v.width-1, true
	}
}

func (v *grid) csi(seq string) {
	n := 1
	fmt.Sscanf(seq[2:], "%d", &n)
	switch seq[len(seq)-1] {
	case 'A':
		v.row = max(0, v.row-n)
	case 'C':
		v.col = min(v.width-1, v.col+n)
	case 'H':
		v.row, v.col = 0, 0
	case 'J':
		if n == 2 {
			v.cells = [][]string{make([]string, v.width)}
			return
		}
		v.cells = v.cells[:v.row+1]
		clear(v.cells[v.row][v.col:])
	case 'K':
		clear(v.cells[v.row][v.col:])
	case 'm', 'h', 'l':
		return
	default:
		panic("unknown sequence " + seq)
	}
	v.full = false
}

// String is the screen with the cursor shown as ▮ before what it is on.
func (v *grid) String() string {
	var rows []string
	for r, row := range v.cells {
		var b strings.Builder
		skip := 0
		for c, cell := range row {
			if r == v.row && c == v.col {
				b.WriteString("▮")
			}
			switch {
			case cell != "":
				b.WriteString(cell)
				skip = text.Width(cell) - 1
			case skip > 0:
				skip--
			default:
				b.WriteByte(' ')
			}
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	for len(rows) > v.row+1 && rows[len(rows)-1] == "" { // nobody can tell
		rows = rows[:len(rows)-1]
	}
	return strings.Join(rows, "\n")
}

func TestLayout(t *testing.T) {
	tests := []struct {
		name, prompt, text string
		at                 int
		rows               []string
		row, col           int
	}{
		{"empty", "> ", "", 0, []string{"> "}, 0, 2},
		{"cursor at the end", "> ", "abc", 3, []string{"> abc"}, 0, 5},
		{"cursor inside", "> ", "abc", 1, []string{"> abc"}, 0, 3},
		{"colours take no cells", "\x1b[1ma\x1b[0m> ", "b", 1, []string{"\x1b[1ma\x1b[0m> b"}, 0, 4},
		{"other controls in a prompt are shown", "\x1b]0\a> ", "", 0, []string{`\x1b]0\x07`, "> "}, 1, 2},
		{"a wide character takes two", "> ", "日本", 3, []string{"> 日本"}, 0, 4},
		{"a character of several runes is one", "> ", "e\u0301x", 3, []string{"> e\u0301x"}, 0, 3},
		{"a full row", "> ", "12345678", 8, []string{"> 12345678"}, 0, 10},
		{"a wide character never straddles", "> ", "1234567日x", 7, []string{"> 1234567", "日x"}, 1, 0},
		{"lines", "> ", "a\nb", 2, []string{"> a", "> b"}, 1, 2},
		{"controls are shown", "> ", "a\tb", 2, []string{`> a\tb`}, 0, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := layout(tt.prompt, line{tt.text, tt.at}, 10)
			if diff := cmp.Diff(tt.rows, got.rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got.row != tt.row || got.col != tt.col {
				t.Errorf("cursor at %d,%d, want %d,%d", got.row, got.col, tt.row, tt.col)
			}
		})
	}
}
