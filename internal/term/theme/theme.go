// Package theme names the colours of text on a terminal. A theme reads well on
// a dark and on a light background, so that nobody has to ask the terminal
// which it has: sixteen colours are the user's own, and of those only such as
// schemes keep apart from both backgrounds; with more, every colour has a
// contrast of 4.5 or better against black and against white.
package theme

import "strings"

// A Style is how one kind of text looks: the parameters of an SGR sequence,
// such as "1;31". The zero Style is text as it stands.
type Style string

// Paint returns text, which is on one line, in the style. Spaces at its end
// stay outside, where they can be trimmed.
func (s Style) Paint(text string) string {
	word := strings.TrimRight(text, " ")
	if s == "" || word == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + word + "\x1b[0m" + text[len(word):]
}

// A Theme is a style for each kind of text. The zero Theme changes nothing.
type Theme struct {
	// What documents are made of.
	Heading, Bold, Underline, Code, Link, Dim Style
	// What values are made of; Literal is true, false and null.
	Key, String, Number, Literal Style
	// What programs are made of, beside values.
	Keyword, Type, Function, Comment Style
	// Lines of a comparison.
	Added, Removed Style
	// What a program says.
	Prompt, Success, Warning, Error Style
}

// TrueColor is the number of colours of a terminal that takes any.
const TrueColor = 1 << 24

// New returns the theme for a terminal of that many colours. Fewer than eight
// are none: the zero Theme.
func New(colors int) Theme {
	switch {
	case colors >= TrueColor:
		return rgb().theme()
	case colors >= 256:
		return indexed().theme()
	case colors >= 8:
		return named().theme()
	}
	return Theme{}
}

// A palette is the few hues that a theme is made of.
type palette struct {
	red, orange, yellow, green, teal, blue, violet, magenta, grey Style
}

// named is from the terminal's own palette. White and black are a background;
// bright colours vanish on light ones, and blue on dark ones.
func named() palette {
	return palette{
		red: "31", orange: "35", yellow: "33", green: "32", teal: "36",
		blue: "36", violet: "35", magenta: "35", grey: "2",
	}
}

// indexed is all of the fixed 256 that have the contrast.
func indexed() palette {
	return palette{
		red: "38;5;131", orange: "38;5;163", yellow: "38;5;163", green: "38;5;29", teal: "38;5;29",
		blue: "38;5;63", violet: "38;5;98", magenta: "38;5;163", grey: "38;5;243",
	}
}

// rgb is one colour of each hue, as bright as black and white allow.
func rgb() palette {
	return palette{
		red: "38;2;214;60;60", orange: "38;2;175;97;19", yellow: "38;2;138;116;7",
		green: "38;2;33;134;50", teal: "38;2;23;130;130", blue: "38;2;31;116;214",
		violet: "38;2;141;89;213", magenta: "38;2;200;50;175", grey: "38;2;117;117;117",
	}
}

func (p palette) theme() Theme {
	return Theme{
		Heading: "1", Bold: "1", Underline: "4", Code: p.teal, Link: "4", Dim: p.grey,
		Key: p.blue, String: p.green, Number: p.orange, Literal: p.magenta,
		Keyword: p.violet, Type: p.teal, Function: p.blue, Comment: p.grey,
		Added: p.green, Removed: p.red,
		Prompt: "1;" + p.blue, Success: p.green, Warning: p.yellow, Error: p.red,
	}
}
