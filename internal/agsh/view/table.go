package view

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

const (
	// maxColumns is the most columns a table may have.
	maxColumns = 256
	// maxBlank bounds a table by the cells its contents take, above a size
	// that does not matter: one huge value must not pad every row.
	maxBlank, smallTable = 16, 1 << 16
	// minProse is the width that a column of text gets at least, if it has
	// that much; longer words of the text may be broken.
	minProse = 12
	// maxMeasured is the longest text whose words are looked at one by one.
	maxMeasured = 1 << 12
)

// A table is an array of objects. Rows hold only the cells they have.
type table struct {
	columns []column
	rows    [][]cell
	content int // cells that the contents take
}

type column struct {
	name    string
	natural int // width of the widest cell, name included
	least   int // width below which the column does not read well
	word    int // width of its widest word, of those that were measured
}

type cell struct {
	column int
	text   string
	width  int
}

// records shows an array of objects as a table, or, if that does not fit, as
// one list of properties after another.
func (p painter) records(items []value, width int) []string {
	if t, ok := newTable(items, width); ok {
		if widths, ok := t.fit(width); ok {
			return p.table(t, widths)
		}
	}
	return p.stack(items, width)
}

// newTable reports false if the objects cannot be columns: there are too many
// keys, or an object has one twice.
func newTable(items []value, width int) (*table, bool) {
	t := &table{rows: make([][]cell, 0, len(items))}
	index := map[string]int{}
	for _, item := range items {
		row := make([]cell, 0, len(item.keys))
		var seen [maxColumns]bool
		for i, key := range item.keys {
			c, known := index[key]
			if !known {
				if c = len(t.columns); c == maxColumns {
					return nil, false
				}
				index[key] = c
				t.addColumn(name(key))
			}
			if seen[c] {
				return nil, false
			}
			seen[c] = true
			if v := item.items[i]; !v.isNull() && !v.isEmptyText() {
				row = append(row, t.addCell(c, v, width))
			}
		}
		t.rows = append(t.rows, row)
	}
	return t, true
}

func (t *table) addColumn(name string) {
	w := text.Width(name)
	t.content += w
	t.columns = append(t.columns, column{name: name, natural: w, least: min(w, minProse)})
}

// addCell makes a cell of v and widens its column for it.
func (t *table) addCell(c int, v value, width int) cell {
	s := cellText(v)
	w := text.Width(s)
	t.content += w
	col := &t.columns[c]
	col.natural = max(col.natural, w)
	switch {
	case w <= col.least: // nothing to learn from it
	case isID(v, s, w) && w <= width-2: // it fits on a line of its own
		col.least = w
	default:
		col.least = max(col.least, min(w, minProse))
		if len(s) <= maxMeasured {
			for word := range strings.SplitSeq(s, " ") {
				col.word = max(col.word, text.Width(word))
			}
		}
	}
	return cell{column: c, text: s, width: w}
}

// isID reports whether a value is one word that must not be broken. A script
// that has wide characters does without spaces, so its words may be.
func isID(v value, s string, width int) bool {
	return !v.isNested() && !strings.Contains(s, " ") && utf8.RuneCountInString(s) >= width
}

// fit returns the widths of the columns within width, or false if the table
// does not read well in it.
func (t *table) fit(width int) ([]int, bool) {
	widths := make([]int, len(t.columns))
	gaps := gap * (len(t.columns) - 1)
	natural, least, whole := gaps, gaps, gaps
	for i, c := range t.columns {
		natural += c.natural
		least += c.least
		whole += max(c.least, c.word)
		widths[i] = c.natural
	}
	if least > width || (len(t.rows)+1)*min(natural, width) > maxBlank*t.content+smallTable {
		return nil, false
	}
	if natural > width {
		if whole <= width { // then no word need be broken
			for i, c := range t.columns {
				t.columns[i].least = max(c.least, c.word)
			}
		}
		t.share(widths, width-gaps)
	}
	return widths, true
}

// share gives the columns their least width and then lets them grow together,
// each up to its natural width, until room is used up.
func (t *table) share(widths []int, room int) {
	level, above := 0, room+1 // the highest level that fits is in [level, above)
	for above-level > 1 {
		middle := (level + above) / 2
		if t.sum(middle) <= room {
			level = middle
		} else {
			above = middle
		}
	}
	room -= t.sum(level)
	for i, c := range t.columns {
		widths[i] = c.at(level)
		if room > 0 && c.at(level+1) > widths[i] {
			widths[i]++
			room--
		}
	}
}

func (t *table) sum(level int) int {
	sum := 0
	for _, c := range t.columns {
		sum += c.at(level)
	}
	return sum
}

// at is the width of the column when level is what every column may have.
func (c column) at(level int) int { return max(c.least, min(c.natural, level)) }

// table lays out a line for each record. If some do not fit in one, rules set
// the head and those records apart, so that each still reads as one row.
func (p painter) table(t *table, widths []int) []string {
	head := make([]cell, len(t.columns))
	for i, c := range t.columns {
		head[i] = cell{column: i, text: c.name, width: text.Width(c.name)}
	}
	apart := wraps(head, widths) || slices.ContainsFunc(t.rows, func(cells []cell) bool { return wraps(cells, widths) })
	rule := p.rule(widths)
	lines := row(make([]string, 0, len(t.rows)+1), head, widths, p.theme.Heading.Paint)
	for _, cells := range t.rows {
		above := apart
		apart = wraps(cells, widths)
		if above || apart {
			lines = append(lines, rule)
		}
		lines = row(lines, cells, widths, nil)
	}
	return lines
}

func (p painter) rule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return p.theme.Dim.Paint(strings.Join(parts, strings.Repeat(" ", gap)))
}

func wraps(cells []cell, widths []int) bool {
	for _, c := range cells {
		if c.width > widths[c.column] {
			return true
		}
	}
	return false
}

// row appends the lines of one record, each cell wrapped in its column.
func row(lines []string, cells []cell, widths []int, paint func(string) string) []string {
	if !wraps(cells, widths) {
		return append(lines, line(cells, widths, paint))
	}
	var layers [][]cell // what each cell has on each line
	for _, c := range cells {
		for i, piece := range text.Wrap(c.text, widths[c.column]) {
			if i == len(layers) {
				layers = append(layers, nil)
			}
			layers[i] = append(layers[i], cell{column: c.column, text: piece, width: text.Width(piece)})
		}
	}
	for _, layer := range layers {
		lines = append(lines, line(layer, widths, paint))
	}
	return lines
}

// line puts cells, none wider than its column, beside each other.
func line(cells []cell, widths []int, paint func(string) string) string {
	slices.SortFunc(cells, func(a, b cell) int { return a.column - b.column })
	var b strings.Builder
	column, blank := 0, 0 // blank is what to fill before the next cell, less what the last one took
	for _, c := range cells {
		for ; column < c.column; column++ {
			blank += widths[column] + gap
		}
		for ; blank > 0; blank-- {
			b.WriteByte(' ')
		}
		s := c.text
		if paint != nil {
			s = paint(s)
		}
		b.WriteString(s)
		blank = -c.width
	}
	return b.String()
}

// stack shows objects as lists of properties with an empty line between them.
// Every value is beside its key, so that no record has an empty line in it.
func (p painter) stack(items []value, width int) []string {
	var keys []string
	for _, item := range items {
		keys = append(keys, item.keys...)
	}
	column := valueColumn(keys, width)
	var lines []string
	for i, item := range items {
		if i > 0 {
			lines = append(lines, "")
		}
		if len(item.items) == 0 {
			lines = append(lines, inline(item))
		}
		for i, key := range item.keys {
			lines = append(lines, p.pair(key, item.items[i], column, width)...)
		}
	}
	return lines
}
