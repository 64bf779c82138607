package manpage

import (
	"strings"

	"agsh.dev/internal/term/text"
	"agsh.dev/internal/term/theme"
)

// A style is what a terminal with colour adds to a piece of text.
type style uint8

const (
	bold style = 1 << iota
	underline
	code
)

// paint is text in the style, as the theme has it.
func (s style) paint(text string, look theme.Theme) string {
	var codes []string
	for _, part := range []struct {
		style style
		look  theme.Style
	}{{bold, look.Bold}, {underline, look.Underline}, {code, look.Code}} {
		if s&part.style != 0 && part.look != "" {
			codes = append(codes, string(part.look))
		}
	}
	return theme.Style(strings.Join(codes, ";")).Paint(text)
}

// A span is escaped text on one line, in one style; or the end of that line.
type span struct {
	text  string
	style style
	end   bool
	// indent is of the line that begins after the end.
	indent int
}

// A word is what is not to be broken, in pieces of different style.
type word []span

func (w word) width() int {
	n := 0
	for _, p := range w {
		n += text.Width(p.text)
	}
	return n
}

// fill sets spans in lines of at most width cells, breaking between words. A
// word wider than a line is broken anywhere.
func fill(spans []span, width int, look theme.Theme) []string {
	var lines []string
	var row []span
	left := 0
	for _, s := range append(spans, span{end: true}) {
		if !s.end {
			row = append(row, s)
			continue
		}
		left = min(left, max(0, width-minWidth))
		lines = append(lines, indented(fillRow(words(row), width-left, look), left)...)
		row, left = nil, s.indent
	}
	return lines
}

func fillRow(words []word, width int, look theme.Theme) []string {
	var lines []string
	var b strings.Builder
	used := 0
	for _, long := range words {
		for _, w := range chop(long, width) {
			n := w.width()
			switch {
			case used > 0 && used+1+n > width:
				lines = append(lines, b.String())
				b.Reset()
				used = 0
			case used > 0:
				b.WriteByte(' ')
				used++
			}
			for _, p := range w {
				b.WriteString(p.style.paint(p.text, look))
			}
			used += n
		}
	}
	return append(lines, b.String())
}

// words splits spans at spaces. A word goes on through a change of style.
func words(spans []span) []word {
	var all []word
	var w word
	for _, s := range spans {
		for i, part := range strings.Split(s.text, " ") {
			if i > 0 && w != nil {
				all = append(all, w)
				w = nil
			}
			if part != "" {
				w = append(w, span{text: part, style: s.style})
			}
		}
	}
	if w != nil {
		all = append(all, w)
	}
	return all
}

// chop cuts a word into parts that fit.
func chop(w word, width int) []word {
	if w.width() <= width {
		return []word{w}
	}
	var parts []word
	for _, p := range w {
		for _, piece := range text.Wrap(p.text, width) {
			last := len(parts) - 1
			if last >= 0 && parts[last].width()+text.Width(piece) <= width {
				parts[last] = append(parts[last], span{text: piece, style: p.style})
				continue
			}
			parts = append(parts, word{{text: piece, style: p.style}})
		}
	}
	return parts
}

// plainSpans is text as it stands, its lines kept.
func plainSpans(s string, st style) []span {
	var spans []span
	for i, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n") {
		if i > 0 {
			spans = append(spans, span{end: true})
		}
		spans = append(spans, span{text: oneLine(line), style: st})
	}
	return spans
}

// oneLine makes text of one line safe to show.
func oneLine(s string) string {
	return text.EscapeLine(strings.ReplaceAll(s, "\t", tab))
}

const tab = "    "
