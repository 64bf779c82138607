// Package view turns the result of a tool call into what a person reads, or
// into one JSON value. It is pure: a result and a width in, text out. It knows
// no terminal, no tool and no schema; what a value looks like follows from its
// own shape, and its colours from a theme.
package view

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"agsh.dev/internal/agsh/highlight"
	"agsh.dev/internal/term/text"
	"agsh.dev/internal/term/theme"
)

// A Result is what a tool call returned, shaped as in MCP.
type Result struct {
	Blocks []Block
	// Structured is one JSON value. Empty and null mean there is none.
	Structured json.RawMessage
	IsError    bool
}

// A Block is one piece of a result's content. The empty Type is "text".
type Block struct {
	Type     string // text, image, audio, resource, resource_link
	Text     string
	Data     string // base64
	MimeType string
	URI      string // of a resource
	Name     string // of a resource that is only linked
}

// A Shape names the output of a well-known tool that is shown as the Unix
// command of that name would print it. Text that is not of the shape is shown
// verbatim.
type Shape string

// The shapes. None is the zero value: a result is shown by its own shape.
const (
	None Shape = ""
	LS   Shape = "ls"   // a name per line; directories end in a slash
	Read Shape = "read" // the file's text without the tool's line numbers
	Grep Shape = "grep" // path:line:text, as the tool says it
	Glob Shape = "glob" // a path per line, as the tool says it
)

// MinWidth is the smallest width that can be kept; a smaller one counts as
// MinWidth.
const MinWidth = 4

// unlimited stands for no width while laying out. It leaves room to add.
const unlimited = math.MaxInt32

// Options say how a result is shown.
type Options struct {
	Width int  // cells of a line; 0 is no limit
	Color bool // adds SGR codes and changes nothing else
	Shape Shape
	// Theme is the colours, where there are any; the zero Theme is that of 16.
	Theme theme.Theme
	// Name is the name or path of the file that shape Read shows, which is
	// coloured by it; "" is none.
	Name string
}

// theme is what o paints with.
func (o Options) theme() theme.Theme {
	switch {
	case !o.Color:
		return theme.Theme{}
	case o.Theme == theme.Theme{}:
		return theme.New(16)
	}
	return o.Theme
}

// Text returns r for a person to read. It is empty, or ends in a newline. An
// error without a word still says that it is one.
//
// If there is no text, or the text is the JSON of the structured value, the
// structured value is shown. Otherwise every block is shown, in order: text
// that is one JSON object or array as that value, other text as it is, and
// whatever is no text as a line that names it. A value that is nothing but an
// error is an Error line.
//
// An array of objects becomes a table, an object a list of its properties, an
// array of scalars a line for each. Keys keep their order and numbers their
// digits; nothing is cut, and no line of a value is wider than o.Width. Text
// shown as it is is not wrapped. Controls are escaped everywhere, as
// [text.Escape] does. The [Notes] of r are left out.
func Text(r Result, o Options) string {
	r = r.normal()
	p := painter{o.theme()}
	width := unlimited
	if o.Width > 0 {
		width = max(o.Width, MinWidth)
	}
	var d document
	blocks := r.Blocks
	if r.Structured != nil && r.textAddsNothing() {
		d.view(p.result(parse(string(r.Structured)), width))
		blocks = nil
		for _, b := range r.Blocks {
			if !b.isText() {
				blocks = append(blocks, b)
			}
		}
	}
	for i, b := range blocks {
		if !b.isText() {
			d.verbatim(b.label())
			continue
		}
		if o.Shape != None && i > 0 && b.isNote() {
			continue
		}
		v, ok := parseWhole(b.Text)
		switch {
		case ok && (o.Shape == None || isErrorObject(v)):
			d.view(p.result(v, width))
		default:
			d.verbatim(o.verbatim(b.Text, r.IsError))
		}
	}
	shown := d.String()
	if r.IsError && strings.TrimSpace(shown) == "" {
		d.view(p.error(value{kind: str, text: "the tool failed and gave no reason"}, width))
		return d.String()
	}
	return shown
}

// verbatim is text as it is, in the form of the shape. Colours come after the
// escapes, which are then part of the text.
func (o Options) verbatim(t string, isError bool) string {
	reshaped, ok := o.Shape.apply(t, isError)
	reshaped = text.Escape(reshaped)
	if ok && o.Shape == Read {
		return highlight.Text(o.Name, reshaped, o.theme())
	}
	return reshaped
}

// Notes returns what a well-known tool says about its result beside it, such
// as that there is more: each text after the first that is one line in
// brackets, without them. They are no part of the data. Their control
// characters are escaped.
func Notes(r Result, s Shape) []string {
	var notes []string
	for i, b := range r.Blocks {
		if s != None && i > 0 && b.isNote() {
			t := strings.TrimSpace(b.Text)
			notes = append(notes, text.EscapeLine(t[1:len(t)-1]))
		}
	}
	return notes
}

// isNote reports whether the block, which is not the first, is about the
// others. A JSON list is no note.
func (b Block) isNote() bool {
	t := strings.TrimSpace(b.Text)
	return b.isText() && len(t) > 2 && t[0] == '[' && t[len(t)-1] == ']' && !strings.Contains(t, "\n") && !json.Valid([]byte(t))
}

// normal returns r with Structured either valid JSON other than null, or nil.
// What is not JSON is kept as text: it is all the tool said. What is the blocks
// once more is dropped: an image is no text, and half of it no image.
func (r Result) normal() Result {
	raw := strings.TrimSpace(string(r.Structured))
	switch {
	case raw == "" || raw == "null":
		r.Structured = nil
	case !json.Valid(r.Structured):
		r.Blocks = append(slices.Clip(r.Blocks), Block{Type: "text", Text: raw})
		r.Structured = nil
	case r.mirrored():
		r.Structured = nil
	}
	return r
}

// mirrored reports whether the structured value is the blocks and nothing
// else, which are not all text. Some servers declare that as their output.
func (r Result) mirrored() bool {
	inner, isObject := strings.CutPrefix(strings.TrimLeft(string(r.Structured), space), "{")
	if !isObject || !strings.HasPrefix(strings.TrimLeft(inner, space), `"content"`) {
		return false // most are not, and need not be parsed to tell
	}
	if !slices.ContainsFunc(r.Blocks, func(b Block) bool { return !b.isText() }) {
		return false
	}
	v := parse(string(r.Structured))
	return len(v.keys) == 1 && v.keys[0] == "content" && equal(v.items[0], parse(string(content(r.Blocks))))
}

// textAddsNothing reports whether the text blocks say no more than the
// structured value does.
func (r Result) textAddsNothing() bool {
	var said []Block
	for _, b := range r.Blocks {
		if b.isText() && strings.TrimSpace(b.Text) != "" {
			said = append(said, b)
		}
	}
	if len(said) == 0 {
		return true
	}
	if len(said) > 1 || !json.Valid([]byte(said[0].Text)) {
		return false
	}
	return equal(parse(said[0].Text), parse(string(r.Structured)))
}

// isText reports whether the block is shown by its text alone, as that of a
// resource is. Kinds we do not know are, if text is all they have.
func (b Block) isText() bool {
	return b.Type == "text" || b.Type == "" || b.Text != "" && b.Data == "" && b.Type != "resource_link"
}

// label stands for a block that is not text: [image image/png 12 KB],
// [resource file:///a.pdf application/pdf 1 MB], [link name file:///a]. A text
// that comes with it follows.
func (b Block) label() string {
	words := []string{b.Type, b.Name, b.URI, b.MimeType}
	if b.Type == "resource_link" {
		words[0] = "link"
	}
	if b.Data != "" {
		padding := len(b.Data) - len(strings.TrimRight(b.Data, "="))
		words = append(words, size(base64.RawStdEncoding.DecodedLen(len(b.Data)-padding)))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	label := text.EscapeLine("[" + strings.Join(words, " ") + "]")
	if b.Text != "" {
		label += " " + text.Escape(b.Text)
	}
	return label
}

// size is a number of bytes for a person: 512 B, 12 KB, 3.4 MB.
func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// A document puts the pieces of a result under one another. A view, of one
// line or more, is kept apart from what is beside it by an empty line.
type document struct {
	parts []string
	apart bool // the last part was a view
}

func (d *document) view(lines []string) {
	d.add(strings.Join(append(lines, ""), "\n"), true)
}

func (d *document) verbatim(s string) {
	if s != "" {
		d.add(s, false)
	}
}

func (d *document) add(s string, view bool) {
	if len(d.parts) > 0 && (view || d.apart) {
		d.parts = append(d.parts, "\n")
	}
	d.parts = append(d.parts, s)
	if !strings.HasSuffix(s, "\n") {
		d.parts = append(d.parts, "\n")
	}
	d.apart = view
}

// String joins the parts; one that stands alone is not copied.
func (d *document) String() string {
	if len(d.parts) == 1 {
		return d.parts[0]
	}
	return strings.Join(d.parts, "")
}
