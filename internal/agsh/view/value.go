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

// get returns the value of the first key of that name.
func (v *value) get(key string) (value, bool) {
	for i, k := range v.keys {
		if k == key {
			return v.items[i], true
		}
	}
	return value{}, false
}

// parse reads raw, which has been found valid.
func parse(raw []byte) value {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return parseNext(d)
}

// parseWhole reads s if all of it is one JSON object or array.
func parseWhole(s string) (value, bool) {
	if !isStructured(s) {
		return value{}, false
	}
	return parse([]byte(s)), true
}

// isStructured reports whether all of s is one JSON object or array. Looking
// at both ends first spares most text the scan.
func isStructured(s string) bool {
	s = strings.Trim(s, " \t\r\n")
	return len(s) >= 2 && (s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']') && json.Valid([]byte(s))
}

func parseNext(d *json.Decoder) value {
	token, err := d.Token()
	if err != nil { // the end of an array or object already closed: not in valid JSON
		return value{text: "null"}
	}
	switch t := token.(type) {
	case json.Delim:
		return parseNested(d, t)
	case string:
		return value{kind: str, text: t}
	case json.Number:
		return value{text: t.String()}
	case bool:
		if t {
			return value{text: "true"}
		}
		return value{text: "false"}
	default:
		return value{text: "null"}
	}
}

func parseNested(d *json.Decoder, open json.Delim) value {
	v := value{kind: array}
	if open == '{' {
		v.kind = object
	}
	for d.More() {
		if v.kind == object {
			key, _ := d.Token() // always a string, in valid JSON
			name, _ := key.(string)
			v.keys = append(v.keys, name)
		}
		v.items = append(v.items, parseNext(d))
	}
	_, _ = d.Token() // the closing delimiter
	return v
}

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
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
