// Package manpage lays out help as manual pages: the page of one command, and
// the index of all of them. It is pure.
//
// What pages are made of comes from servers. It loses no word on the way, and
// reaches the terminal with its control characters shown, not sent.
package manpage

import (
	"strings"

	"agsh.dev/internal/term/text"
	"agsh.dev/internal/term/theme"
)

// A Page is the manual of one command. Empty parts are left out.
type Page struct {
	Name, Title string
	Synopsis    string // one line: read [options...] <path>
	Description string // markdown
	Operands    []Entry
	Options     []Entry
	Notes       []string // a paragraph each
}

// An Entry is one operand or option and what it means.
type Entry struct {
	Term  string // --limit <integer>
	Text  string // markdown
	Facts string // plain text, in a paragraph of its own
	// Fields are of the object that the value is, which have none themselves.
	// Their facts stand beside their terms.
	Fields []Entry
}

// An Index is the list of all commands of an agent.
type Index struct {
	Name        string
	Description string // markdown
	Groups      []Group
	// Unavailable are sources whose commands are missing, with the reason.
	Unavailable []Row
	Footer      string
}

// A Group is commands from one source.
type Group struct {
	Header string // shown in upper case; "" is COMMANDS
	Rows   []Row
}

// A Row is one command; many have no title.
type Row struct{ Name, Title string }

// Options say where a page is shown.
type Options struct {
	// Width of the terminal in cells; 0 and anything above 100 are 100.
	Width int
	Color bool
	// Theme is the colours, where there are any; the zero Theme is that of 16.
	Theme theme.Theme
}

const (
	maxWidth  = 100
	minWidth  = 20 // narrower than this, lines are as long as they need
	indent    = 4
	nameSpace = 2 // between a name and its title
)

// Render returns the page as lines of at most the width.
func Render(p Page, o Options) string {
	w := newWriter(o)
	name := p.Name
	if p.Title != "" {
		name += " - " + p.Title
	}
	w.section("NAME", w.plain(name, w.width-indent))
	w.section("SYNOPSIS", w.hanging(p.Synopsis, w.width-indent))
	w.section("DESCRIPTION", w.markdown(p.Description, w.width-indent))
	w.section("OPERANDS", w.entries(p.Operands))
	w.section("OPTIONS", w.entries(p.Options))
	var notes []string
	for _, n := range p.Notes {
		notes = append(notes, w.plain(n, w.width-indent)...)
	}
	w.section("NOTES", notes)
	return w.String()
}

// RenderIndex returns the index as lines of at most the width.
func RenderIndex(i Index, o Options) string {
	w := newWriter(o)
	w.section("NAME", w.plain(i.Name, w.width-indent))
	w.section("DESCRIPTION", w.markdown(i.Description, w.width-indent))
	column := 0
	for _, rows := range append(rowsOf(i.Groups), i.Unavailable) {
		for _, r := range rows {
			column = max(column, text.Width(text.EscapeLine(r.Name))+nameSpace)
		}
	}
	column = min(column, w.width/2)
	for _, g := range i.Groups {
		header := strings.ToUpper(g.Header)
		if header == "" {
			header = "COMMANDS"
		}
		w.section(header, w.rows(g.Rows, column))
	}
	w.section("UNAVAILABLE", w.rows(i.Unavailable, column))
	if i.Footer != "" {
		w.blank()
		w.lines(w.plain(i.Footer, w.width), 0)
	}
	return w.String()
}

func rowsOf(groups []Group) [][]Row {
	all := make([][]Row, 0, len(groups)+1)
	for _, g := range groups {
		all = append(all, g.Rows)
	}
	return all
}

// A writer gathers the lines of a page.
type writer struct {
	strings.Builder
	width int
	theme theme.Theme
}

func newWriter(o Options) *writer {
	width := maxWidth
	if o.Width > 0 {
		width = max(minWidth, min(o.Width, maxWidth))
	}
	w := &writer{width: width}
	if o.Color {
		if w.theme = o.Theme; w.theme == (theme.Theme{}) {
			w.theme = theme.New(16)
		}
	}
	return w
}

// section writes a heading and its lines; without lines, nothing.
func (w *writer) section(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.blank()
	w.lines(fill([]span{{text: text.EscapeLine(heading), style: bold}}, w.width, w.theme), 0)
	w.lines(lines, indent)
}

func (w *writer) blank() {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
}

func (w *writer) lines(lines []string, indent int) {
	for _, l := range indented(lines, indent) {
		w.WriteString(l)
		w.WriteByte('\n')
	}
}

// indented puts lines behind spaces. Empty lines stay empty.
func indented(lines []string, indent int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			l = strings.Repeat(" ", indent) + l
		}
		out[i] = l
	}
	return out
}

// plain is untrusted text that is no markdown.
func (w *writer) plain(s string, width int) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return fill(plainSpans(s, 0), width, w.theme)
}

// hanging is plain with all lines but the first indented.
func (w *writer) hanging(s string, width int) []string {
	lines := w.plain(s, width)
	if len(lines) < 2 {
		return lines
	}
	lines = w.plain(s, width-indent)
	return append(lines[:1:1], indented(lines[1:], indent)...)
}

// entries writes each term and, behind it, what it means.
func (w *writer) entries(entries []Entry) []string {
	var lines []string
	for i, e := range entries {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, fill(plainSpans(e.Term, bold), w.width-indent, w.theme)...)
		var parts [][]string
		for _, part := range [][]string{
			w.markdown(e.Text, w.width-2*indent), w.plain(e.Facts, w.width-2*indent), w.fields(e.Fields, w.width-2*indent),
		} {
			if len(part) > 0 {
				parts = append(parts, part)
			}
		}
		for i, part := range parts {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, indented(part, indent)...)
		}
	}
	return lines
}

// fields writes each term and its facts, and the text behind them.
func (w *writer) fields(entries []Entry, width int) []string {
	var lines []string
	for _, e := range entries {
		head := plainSpans(e.Term, bold)
		if e.Facts != "" {
			head = append(append(head, span{text: " "}), plainSpans(e.Facts, 0)...)
		}
		first := fill(head, width, w.theme)
		if len(first) > 1 {
			first = fill(head, width-indent, w.theme)
			first = append(first[:1:1], indented(first[1:], indent)...)
		}
		lines = append(lines, first...)
		lines = append(lines, indented(w.markdown(e.Text, width-indent), indent)...)
	}
	return lines
}

// rows writes names, with titles in a column of their own.
func (w *writer) rows(rows []Row, column int) []string {
	var lines []string
	for _, r := range rows {
		name := text.EscapeLine(r.Name)
		titles := w.plain(r.Title, w.width-indent-column)
		switch {
		case text.Width(name)+nameSpace > column || titles == nil:
			lines = append(lines, text.Wrap(name, w.width-indent)...)
		default:
			lines = append(lines, text.Pad(name, column)+titles[0])
			titles = titles[1:]
		}
		lines = append(lines, indented(titles, column)...)
	}
	return lines
}
