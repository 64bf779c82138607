package view

import (
	"strings"

	"agsh.dev/internal/term/text"
)

const (
	// gap is the space between two columns, and after the longest key.
	gap = 2
	// maxKey is the widest key that others are aligned with.
	maxKey = 32
	// minRoom is the least width in which a value of several words is wrapped
	// beside its key rather than below it.
	minRoom = 16
)

// properties lists the fields of an object, values aligned. What takes more
// than one line by nature, an object, a list or a text of several lines, is
// indented below its key.
func (p painter) properties(v value, width, depth int) []string {
	var beside []string
	for i, item := range v.items {
		if !isBelow(item) {
			beside = append(beside, v.keys[i])
		}
	}
	column := valueColumn(beside, width)
	var lines []string
	for i, item := range v.items {
		if !isBelow(item) {
			lines = append(lines, p.pair(v.keys[i], item, column, width)...)
			continue
		}
		lines = append(lines, p.label(v.keys[i], width)...)
		if item.isNested() {
			lines = append(lines, indent(p.value(item, width-2, depth+1), "  ")...)
		} else {
			lines = append(lines, indent(block(item.text, width-2), "  ")...)
		}
	}
	return lines
}

// isBelow reports whether v is laid out below its key.
func isBelow(v value) bool { return v.isNested() && len(v.items) > 0 || isBlock(v) }

// valueColumn is where values start beside these keys.
func valueColumn(keys []string, width int) int {
	widest := 0
	for _, key := range keys {
		if w := text.Width(name(key)); w <= min(maxKey, width/2) {
			widest = max(widest, w)
		}
	}
	return widest + len(":") + gap
}

// pair is a key with a value of one line beside it, wrapped if it must be. If
// the room there would break a word that fits below the key, it goes there.
func (p painter) pair(key string, v value, column, width int) []string {
	val := cellText(v)
	label := name(key) + ":"
	used := text.Width(label)
	column = max(column, used+gap)
	room := width - column
	if text.Width(val) > room {
		w := widest(val)
		if room < minRoom || w > room && w <= width-2 {
			return append(p.label(key, width), indent(p.scalar(v, text.Wrap(val, width-2)), "  ")...)
		}
	}
	lines := p.scalar(v, text.Wrap(val, room))
	for i, line := range lines {
		if i == 0 {
			lines[i] = p.theme.Key.Paint(label) + strings.Repeat(" ", column-used) + line
		} else {
			lines[i] = strings.Repeat(" ", column) + line
		}
	}
	return lines
}

// label is a key alone on its line.
func (p painter) label(key string, width int) []string {
	lines := text.Wrap(name(key)+":", width)
	for i := range lines {
		lines[i] = p.theme.Key.Paint(lines[i])
	}
	return lines
}

// name is how a key is shown.
func name(key string) string {
	if key == "" {
		return `""`
	}
	return text.EscapeLine(key)
}

// widest is the width of the widest word of s.
func widest(s string) int {
	w := 0
	for word := range strings.SplitSeq(s, " ") {
		w = max(w, text.Width(word))
	}
	return w
}
