package repl

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/term/text"
)

// A grid is as much of a terminal as a screen needs. A character that does not
// fit its row wraps; a full row leaves the cursor in its last column.
type grid struct {
	mu       sync.Mutex
	width    int
	cells    [][]string // a wide character takes one cell and leaves the next empty
	row, col int
	full     bool // the cursor is behind the last column
	held     []byte
	soft     map[int]bool // rows that go on in the next because the width changed
}

func newGrid(width int) *grid {
	return &grid{width: width, cells: [][]string{make([]string, width)}, soft: map[int]bool{}}
}

func (v *grid) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
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
	if seq == clearRow {
		clear(v.cells[v.row])
		return
	}
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
		maps.DeleteFunc(v.soft, func(row int, _ bool) bool { return row >= v.row })
		v.clearRight()
	case 'K':
		v.clearRight()
	case 'm', 'h', 'l':
		return
	default:
		panic("unknown sequence " + seq)
	}
	v.full = false
}

// clearRight leaves blanks of what it clears, as some terminals do, unless it
// clears the whole row.
func (v *grid) clearRight() {
	rest := v.cells[v.row][v.col:]
	used := len(rest)
	for used > 0 && rest[used-1] == "" {
		used--
	}
	clear(rest)
	if v.col > 0 {
		for i := range used {
			rest[i] = " "
		}
	}
}

// String is the screen with the cursor shown as ▮ before what it is on.
func (v *grid) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
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

// resize changes the width as terminals do that keep all text: rows that do
// not fit go on in the next, and come together again when they do.
func (v *grid) resize(width int) {
	old, soft, at := v.cells, v.soft, v.row
	v.cells, v.soft = nil, map[int]bool{}
	row, col := v.row, v.col
	for i := 0; i < len(old); i++ {
		var line []string
		for first := i; ; i++ {
			if i == at {
				row, col = -1, (i-first)*v.width+v.col
			}
			line = append(line, old[i]...)
			if !soft[i] {
				break
			}
		}
		used := len(line)
		for used > 0 && line[used-1] == "" {
			used--
		}
		if row == -1 {
			row = len(v.cells) + col/width
			col %= width
			used = max(used, (row-len(v.cells))*width+col)
		}
		for start := 0; start == 0 || start < used; start += width {
			next := make([]string, width)
			copy(next, line[start:min(used, start+width, len(line))])
			v.cells = append(v.cells, next)
			v.soft[len(v.cells)-1] = start+width < used
		}
	}
	v.width, v.row, v.col, v.full = width, row, col, false
}

func TestTheRegionIsPaintedBelowTheTranscript(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "bc ", "日", "e\u0301", "🙂", "👨‍👩‍👧", "\n", "\t", "\x01", "some longer text "}
	for _, before := range []string{"", "unfinished"} {
		for _, width := range []int{7, 20} {
			term := newGrid(width)
			s := &screen{out: term}
			fmt.Fprint(term, before)
			s.begin(width, noNewline)
			transcript := ""
			if before != "" {
				transcript = before + "⏎\r\n"
			}
			var l line
			for i := range 500 {
				switch rnd.IntN(6) {
				case 0:
					l.at = l.left()
				case 1:
					l.at = l.right()
				case 2:
					l, _ = l.cut(l.left())
				case 3:
					l = lineOf(l.text)
				default:
					l = l.insert(pieces[rnd.IntN(len(pieces))])
				}
				if rnd.IntN(20) == 0 {
					l = line{}
				}
				p := layout("$ ", l, width-1)
				if rnd.IntN(10) == 0 {
					row := fmt.Sprint("row ", i)
					transcript += row[:min(len(row), width-1)] + "\r\n"
					s.print([]string{row[:min(len(row), width-1)]}, p, width)
				} else {
					s.paint(p, width)
				}
				want := newGrid(width)
				fmt.Fprint(want, transcript)
				top := want.row
				fmt.Fprint(want, strings.Join(p.rows, "\r\n"))
				want.row, want.col = top+p.row, p.col
				if term.String() != want.String() {
					t.Fatalf("width %d, %q at %d\n got:\n%s\nwant:\n%s", width, l.text, l.at, term, want)
				}
			}
		}
	}
}

// Terminals that keep all text break the rows of the region when they become
// narrower.
func TestResizingLeavesNoCopyOfTheRegion(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		width := 134
		term := newGrid(width)
		s := &screen{out: term}
		s.begin(width, noNewline)
		var want []string
		for i, next := range []int{118, 90, 128, 30, 134} {
			l := line{text: strings.Repeat("word ", rnd.IntN(100))}
			l.at = rnd.IntN(len(l.text) + 1)
			row := fmt.Sprintf("line %d of the transcript", i)
			want = append(want, row)
			status := func(rest string) picture {
				p := layout("$ ", l, width-1)
				p.rows, p.row = append([]string{"1 s" + rest}, p.rows...), p.row+1
				return p
			}
			s.print([]string{row}, status(strings.Repeat(".", rnd.IntN(width-4))), width)
			s.paint(status(""), width) // a shorter one in its place
			term.resize(next)
			width = next
			p := layout("$ ", line{}, width-1)
			s.paint(p, width)
			if got := term.String(); got != strings.Join(want, "\n")+"\n$ ▮" {
				t.Fatalf("%q at %d, then %d cells:\n%s", l.text, l.at, next, got)
			}
		}
	}
}

func TestTypingAtTheEndWritesOnlyWhatIsTyped(t *testing.T) {
	var out strings.Builder
	s := &screen{out: &out}
	s.begin(20, noNewline)
	s.paint(layout("$ ", lineOf("l"), 19), 20)
	out.Reset()
	s.paint(layout("$ ", lineOf("ls"), 19), 20)
	if out.String() != "s" {
		t.Errorf("wrote %q", out.String())
	}
}
