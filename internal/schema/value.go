package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A kind is one JSON type; kinds is a set of them.
type (
	kind  uint8
	kinds uint8
)

const (
	null kind = 1 << iota
	boolean
	integer // only in a set of wanted kinds: a value is a number
	number
	text
	array
	object
)

const maxDepth = 200

var (
	errNotJSON = errors.New("not valid JSON")
	errTooDeep = errors.New("nested too deeply")
)

// A value is one JSON value with its source text, so that numbers keep their
// digits and objects their order.
type value struct {
	kind  kind
	raw   []byte // exact source
	str   string // of a text, decoded
	key   string // under which an object holds this value, decoded
	kids  []value
	index map[string]int // of an object with many members: key to place in kids
	twice []string       // keys an object has more than once
}

// manyMembers is where a map beats looking at every member.
const manyMembers = 12

// member returns the value under key, nil when there is none. The last of
// equal keys counts.
func (v *value) member(key string) *value {
	if i, ok := v.place(key); ok {
		return &v.kids[i]
	}
	return nil
}

func (v *value) place(key string) (int, bool) {
	if v.index != nil {
		i, ok := v.index[key]
		return i, ok
	}
	for i := range v.kids {
		if i = len(v.kids) - 1 - i; v.kids[i].key == key { // the last first
			return i, true
		}
	}
	return 0, false
}

// parse reads one JSON value. It fails on malformed text and on nesting
// deeper than maxDepth.
func parse(raw []byte) (*value, error) {
	if !json.Valid(raw) {
		return nil, errNotJSON
	}
	p := parser{src: raw}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// A parser walks text that is known to be valid JSON.
type parser struct {
	src []byte
	at  int
}

func (p *parser) space() {
	for p.at < len(p.src) && (p.src[p.at] == ' ' || p.src[p.at] == '\n' || p.src[p.at] == '\t' || p.src[p.at] == '\r') {
		p.at++
	}
}

func (p *parser) value(depth int) (v value, err error) {
	if depth > maxDepth {
		return v, errTooDeep
	}
	p.space()
	start := p.at
	switch c := p.src[p.at]; c {
	case '{', '[':
		err = p.container(&v, depth)
	case '"':
		v.kind, v.str = text, p.text()
	case 't', 'f':
		v.kind = boolean
		p.word()
	case 'n':
		v.kind = null
		p.word()
	default:
		v.kind = number
		p.word()
	}
	v.raw = p.src[start:p.at:p.at]
	return v, err
}

// word passes over a literal or a number.
func (p *parser) word() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ',', ']', '}', ' ', '\n', '\t', '\r':
			return
		}
		p.at++
	}
}

func (p *parser) text() string {
	start, plain := p.at, true
	for p.at++; p.src[p.at] != '"'; p.at++ {
		switch c := p.src[p.at]; {
		case c == '\\':
			plain = false
			p.at++
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	p.at++
	quoted := p.src[start:p.at]
	if plain {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil { // cannot be: the text is valid
		return string(quoted)
	}
	return s
}

func (p *parser) container(v *value, depth int) error {
	v.kind = array
	if p.src[p.at] == '{' {
		v.kind = object
	}
	p.at++
	for {
		p.space()
		switch p.src[p.at] {
		case '}', ']':
			p.at++
			v.finish()
			return nil
		case ',':
			p.at++
			continue
		}
		var key string
		if v.kind == object {
			key = p.text()
			p.space()
			p.at++ // ':'
		}
		kid, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		kid.key = key
		if v.kids == nil {
			v.kids = make([]value, 0, 4)
		}
		v.kids = append(v.kids, kid)
	}
}

// finish indexes a big object and notes repeated keys.
func (v *value) finish() {
	if v.kind != object {
		return
	}
	if len(v.kids) <= manyMembers {
		for i := range v.kids {
			if j, _ := v.place(v.kids[i].key); j != i {
				v.twice = append(v.twice, v.kids[i].key)
			}
		}
		return
	}
	v.index = make(map[string]int, len(v.kids))
	for i := range v.kids {
		if _, ok := v.index[v.kids[i].key]; ok {
			v.twice = append(v.twice, v.kids[i].key)
		}
		v.index[v.kids[i].key] = i
	}
}

// equal reports whether a and b are the same JSON value: numbers by what they
// count, objects whatever their order.
func equal(a, b *value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case number:
		return bytes.Equal(a.raw, b.raw) || decimalOf(a.raw) == decimalOf(b.raw)
	case text:
		return a.str == b.str
	case boolean:
		return bytes.Equal(a.raw, b.raw)
	case array:
		if len(a.kids) != len(b.kids) {
			return false
		}
		for i := range a.kids {
			if !equal(&a.kids[i], &b.kids[i]) {
				return false
			}
		}
	case object:
		if len(a.kids)-len(a.twice) != len(b.kids)-len(b.twice) {
			return false
		}
		for i := range a.kids {
			other := b.member(a.kids[i].key)
			if other == nil || !equal(a.member(a.kids[i].key), other) {
				return false
			}
		}
	default: // null; integer is no kind of value
	}
	return true
}

func writeCanonical(b *strings.Builder, v *value) {
	switch v.kind {
	case number:
		d := decimalOf(v.raw)
		fmt.Fprintf(b, "%d:%s:%d", d.sign(), d.digits, d.exp)
	case text:
		b.WriteString(strconv.Quote(v.str))
	case array:
		b.WriteByte('[')
		for i := range v.kids {
			writeCanonical(b, &v.kids[i])
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case object:
		keys := make([]string, len(v.kids))
		for i := range v.kids {
			keys[i] = v.kids[i].key
		}
		slices.Sort(keys)
		b.WriteByte('{')
		for _, k := range slices.Compact(keys) {
			b.WriteString(strconv.Quote(k))
			writeCanonical(b, v.member(k))
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		b.Write(v.raw)
	}
}
