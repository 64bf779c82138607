package view

import "strings"

// A painter lays values out as lines. With color it adds SGR codes around
// words, after they are measured: the layout is the same without.
type painter struct{ color bool }

func (p painter) bold(s string) string  { return p.sgr("1", s) }
func (p painter) faint(s string) string { return p.sgr("2", s) }
func (p painter) red(s string) string   { return p.sgr("31", s) }

// sgr wraps s in a code and a reset. Spaces at the end stay outside, where
// they can be trimmed.
func (p painter) sgr(code, s string) string {
	word := strings.TrimRight(s, " ")
	if !p.color || word == "" {
		return s
	}
	return "\x1b[" + code + "m" + word + "\x1b[0m" + s[len(word):]
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
