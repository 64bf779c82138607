package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

// JSON returns r as one JSON value on one line:
//
//   - the structured value, if the content adds nothing to it;
//   - the value of a lone text block that is one JSON object or array;
//   - a string, for any other lone text block;
//   - {"content":[…],"structuredContent":…} if both say something;
//   - otherwise the array of blocks, which may be empty.
//
// Keys keep their order and numbers their digits. Every string keeps its
// value; a character that could steer a terminal is written as \u and four
// digits, and a byte that is not UTF-8 becomes U+FFFD.
func JSON(r Result) json.RawMessage {
	r = r.normal()
	if r.Structured != nil {
		if r.contentAddsNothing() {
			return OneLine(r.Structured)
		}
		whole := append([]byte(`{"content":`), content(r.Blocks)...)
		whole = append(whole, `,"structuredContent":`...)
		return append(append(whole, OneLine(r.Structured)...), '}')
	}
	if len(r.Blocks) == 1 && r.Blocks[0].isPlain() {
		s := r.Blocks[0].Text
		if isStructured(s) {
			return OneLine([]byte(s))
		}
		return OneLine(appendString(nil, s))
	}
	return content(r.Blocks)
}

// IsErrorObject reports whether the JSON value of r is an object that has the
// key error and nothing else. An error that is null, false or an empty string
// says that there was none.
func IsErrorObject(r Result) bool {
	r = r.normal()
	switch {
	case r.Structured != nil:
		return startsAsError(string(r.Structured)) && isErrorObject(parse(string(r.Structured))) && r.contentAddsNothing()
	case len(r.Blocks) == 1 && r.Blocks[0].isPlain() && startsAsError(r.Blocks[0].Text):
		v, ok := parseWhole(r.Blocks[0].Text)
		return ok && isErrorObject(v)
	}
	return false
}

// startsAsError reports whether s may be an error object: few values are, and
// the others need not be parsed to tell. A name may be spelled with escapes.
func startsAsError(s string) bool {
	s, ok := strings.CutPrefix(strings.TrimLeft(s, space), "{")
	s = strings.TrimLeft(s, space)
	return ok && (strings.HasPrefix(s, `"error"`) || strings.Contains(s[:min(len(s), len(`"\u0065`)*5)], `\`))
}

func isErrorObject(v value) bool {
	if v.kind != object || len(v.keys) != 1 || v.keys[0] != "error" {
		return false
	}
	e := &v.items[0]
	return !e.isNull() && !e.isEmptyText() && (e.kind != scalar || e.text != "false")
}

// contentAddsNothing reports whether the blocks, all of them, say no more than
// the structured value.
func (r Result) contentAddsNothing() bool {
	for _, b := range r.Blocks {
		if !b.isPlain() {
			return false
		}
	}
	return r.textAddsNothing()
}

// isPlain reports whether the block is text and nothing else.
func (b Block) isPlain() bool {
	return (b.Type == "text" || b.Type == "") && b.Data == "" && b.MimeType == "" && b.URI == "" && b.Name == ""
}

// content returns the blocks as the server sent them.
func content(blocks []Block) json.RawMessage {
	out := []byte{'['}
	for i, b := range blocks {
		if i > 0 {
			out = append(out, ',')
		}
		kind := b.Type
		if kind == "" {
			kind = "text"
		}
		out = append(appendString(append(out, `{"type":`...), kind), '}')
		for _, f := range []struct{ name, value string }{
			{"text", b.Text}, {"data", b.Data}, {"mimeType", b.MimeType}, {"uri", b.URI}, {"name", b.Name},
		} {
			if f.value != "" || f.name == kind {
				out[len(out)-1] = ','
				out = append(appendString(append(append(out, '"'), f.name+`":`...), f.value), '}')
			}
		}
	}
	return OneLine(append(out, ']'))
}

// OneLine returns raw, which is valid, without the space between its tokens
// and with \u escapes for what could steer a terminal. Such characters can
// only stand in strings, where either form is the same value.
func OneLine(raw []byte) json.RawMessage {
	var b bytes.Buffer
	b.Grow(len(raw))
	if err := json.Compact(&b, raw); err != nil { // not for valid JSON
		return json.RawMessage("null")
	}
	compact := b.Bytes()
	if utf8.Valid(compact) && !bytes.ContainsFunc(compact, text.IsControl) {
		return compact
	}
	safe := make([]byte, 0, len(compact)+64)
	for i := 0; i < len(compact); {
		r, n := utf8.DecodeRune(compact[i:])
		if text.IsControl(r) {
			safe = fmt.Appendf(safe, `\u%04x`, r)
		} else {
			safe = utf8.AppendRune(safe, r)
		}
		i += n
	}
	return safe
}
