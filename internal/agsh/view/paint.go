package view

import (
	"strings"

	"agsh.dev/internal/term/theme"
)

// A painter lays values out as lines. Its theme adds SGR codes around words,
// after they are measured: the layout is the same without.
type painter struct{ theme theme.Theme }

// scalar paints the lines of a number, of true, false and null. Those of
// other values stay as they are.
func (p painter) scalar(v value, lines []string) []string {
	style := p.theme.Number
	switch {
	case v.kind != scalar:
		return lines
	case v.isNull() || v.text == "true" || v.text == "false":
		style = p.theme.Literal
	}
	for i, line := range lines {
		lines[i] = style.Paint(line)
	}
	return lines
}

// indent puts first before the first line and as many spaces before the
// others. Empty lines stay empty.
func indent(lines []string, first string) []string {
	rest := strings.Repeat(" ", len(first))
	for i, line := range lines {
		switch {
		case i == 0 && first != rest:
			lines[i] = strings.TrimRight(first+line, " ")
		case line != "":
			lines[i] = rest + line
		}
	}
	return lines
}

// indentRest indents all but the first line.
func indentRest(lines []string) []string {
	for i := range lines[1:] {
		lines[i+1] = "  " + lines[i+1]
	}
	return lines
}
