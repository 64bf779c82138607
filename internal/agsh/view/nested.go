package view

import (
	"slices"
	"strings"

	"agsh.dev/internal/term/text"
)

// maxDepth is how many levels are laid out as lines; what is deeper is shown
// as JSON. It bounds the indentation that a hostile value can ask for.
const maxDepth = 12

// result lays out the whole value of a result.
func (p painter) result(v value, width int) []string {
	switch {
	case isErrorObject(v):
		return p.error(v.items[0], width)
	case v.kind == array && len(v.items) == 0:
		return text.Wrap("(empty list)", width)
	case v.kind == object && len(v.items) == 0:
		return text.Wrap("(empty object)", width)
	}
	return p.value(v, width, 0)
}

// value lays out v at the given depth. Where there is no room to indent any
// more it is shown as JSON. width is at least 2.
func (p painter) value(v value, width, depth int) []string {
	switch {
	case !v.isNested() || len(v.items) == 0 || width < MinWidth || depth >= maxDepth:
		return text.Wrap(inline(v), width)
	case v.kind == object:
		return p.properties(v, width, depth)
	case all(v.items, isObject) && some(v.items, hasItems):
		return p.records(v.items, width)
	case depth == 0 && !some(v.items, isNested):
		return plain(v.items, width)
	}
	return p.bullets(v.items, width, depth)
}

// plain is a list of scalars at the top: one line for each, ready for a
// filter. Only what does not fit continues, indented.
func plain(items []value, width int) []string {
	lines := make([]string, 0, len(items))
	for _, item := range items {
		s := inline(item)
		if text.Width(s) <= width {
			lines = append(lines, s)
			continue
		}
		lines = append(lines, indentRest(text.Wrap(s, width-2))...)
	}
	return lines
}

// bullets is any other list: a dash before each item.
func (p painter) bullets(items []value, width, depth int) []string {
	var lines []string
	for _, item := range items {
		var sub []string
		switch {
		case isBlock(item):
			sub = block(item.text, width-2)
		case item.kind == array && !some(item.items, isNested):
			sub = text.Wrap(inline(item), width-2) // a tuple reads best as [1,2]
		default:
			sub = p.value(item, width-2, depth+1)
		}
		lines = append(lines, indent(sub, "- ")...)
	}
	return lines
}

// error shows what an object with nothing but an error says about it.
func (p painter) error(e value, width int) []string {
	const label = "Error:"
	message, rest := e, value{}
	if e.kind == object {
		message = value{}
		rest = value{kind: object}
		for i, key := range e.keys {
			if key == "message" && e.items[i].kind == str && message.text == "" {
				message = e.items[i]
				continue
			}
			rest.keys = append(rest.keys, key)
			rest.items = append(rest.items, e.items[i])
		}
	}
	var lines []string
	switch {
	case message.kind == array && len(message.items) > 0:
		lines, rest = text.Wrap(label, width), message
	case message.kind == str:
		lines = block(label+" "+message.text, width)
	default:
		lines = text.Wrap(strings.TrimRight(label+" "+message.text, " "), width)
	}
	if after, ok := strings.CutPrefix(lines[0], label); ok {
		lines[0] = p.theme.Error.Paint(label) + after
	}
	if len(rest.items) > 0 {
		lines = append(lines, indent(p.value(rest, width-2, 1), "  ")...)
	}
	return lines
}

// inline is v in one line: a string as it is, anything else as JSON. Null and
// the empty string are visible.
func inline(v value) string {
	if v.kind == str && v.text != "" {
		return text.EscapeLine(v.text)
	}
	return text.EscapeLine(v.compact())
}

// cellText is v in one line where others stand beside it: as inline, but a list
// of texts, or of numbers and the like, reads a, b. It is JSON where that could
// be read as another list.
func cellText(v value) string {
	if v.kind != array || len(v.items) == 0 {
		return inline(v)
	}
	words := make([]string, len(v.items))
	for i, item := range v.items {
		if item.isNested() || item.kind != v.items[0].kind || item.kind == str && !isWord(item.text) {
			return inline(v)
		}
		words[i] = inline(item)
	}
	return strings.Join(words, ", ")
}

// isWord reports whether s shows where it ends in a list with commas.
func isWord(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, ",\n")
}

// isBlock reports whether v is a string of several lines that are not all
// blank.
func isBlock(v value) bool {
	return v.kind == str && strings.Contains(v.text, "\n") && strings.TrimSpace(v.text) != ""
}

// block lays out a string of several lines. Tabs become spaces, since where
// they would lead depends on the indentation.
func block(s string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text.Escape(s), "\n"), "\n") {
		lines = append(lines, text.Wrap(expand(strings.TrimSuffix(line, "\r")), width)...)
	}
	return lines
}

// expand replaces each tab by spaces up to the next multiple of eight cells.
func expand(line string) string {
	const tab = 8
	before, after, found := strings.Cut(line, "\t")
	if !found {
		return line
	}
	var b strings.Builder
	for column := 0; ; before, after, found = strings.Cut(after, "\t") {
		b.WriteString(before)
		if !found {
			return b.String()
		}
		column += text.Width(before)
		n := tab - column%tab
		column += n
		b.WriteString(strings.Repeat(" ", n))
	}
}

func isObject(v value) bool { return v.kind == object }
func isNested(v value) bool { return v.isNested() }
func hasItems(v value) bool { return len(v.items) > 0 }

func some(vs []value, is func(value) bool) bool { return slices.ContainsFunc(vs, is) }

func all(vs []value, is func(value) bool) bool {
	return !some(vs, func(v value) bool { return !is(v) })
}
