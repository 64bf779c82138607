package view

import (
	"bytes"
	"encoding/json"
	"strings"
)

type kind uint8

const (
	scalar kind = iota // a number, true, false or null
	str
	array
	object
)

// A value is a JSON value that keeps the order of its keys, all of them if one
// is given twice, and the digits of its numbers.
type value struct {
	kind  kind
	text  string   // of a string what it says, of a scalar its JSON
	keys  []string // of an object, beside items
	items []value
}

func (v *value) isNull() bool      { return v.kind == scalar && v.text == "null" }
func (v *value) isNested() bool    { return v.kind == array || v.kind == object }
func (v *value) isEmptyText() bool { return v.kind == str && v.text == "" }

// compact returns v as JSON on one line.
func (v *value) compact() string {
	if !v.isNested() && v.kind != str {
		return v.text
	}
	return string(v.appendJSON(nil))
}

func (v *value) appendJSON(b []byte) []byte {
	switch v.kind {
	case str:
		return appendString(b, v.text)
	case array:
		b = append(b, '[')
		for i := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.items[i].appendJSON(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.keys[i]), ':')
			b = v.items[i].appendJSON(b)
		}
		return append(b, '}')
	case scalar:
	}
	return append(b, v.text...)
}

// appendString appends s as a JSON string that says & and < plainly.
func appendString(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(b, '"'), s...), '"')
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
