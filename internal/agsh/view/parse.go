package view

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const space = " \t\r\n" // what JSON takes for space

// parseWhole reads s if all of it is one JSON object or array.
func parseWhole(s string) (value, bool) {
	if !isStructured(s) {
		return value{}, false
	}
	return parse(s), true
}

// isStructured reports whether all of s is one JSON object or array. Looking
// at both ends first spares most text the scan.
func isStructured(s string) bool {
	s = strings.Trim(s, space)
	return len(s) >= 2 && (s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']') &&
		json.Valid([]byte(s))
}

// parse reads s, which [json.Valid] has accepted; that also bounds the depth.
// The standard decoder does not keep the order of keys but as a stream of
// tokens, which takes five times as long as this.
func parse(s string) value {
	p := parser{rest: s, counts: counts(s)}
	return p.value()
}

// A parser reads values off the front of valid JSON. The values share its
// memory.
type parser struct {
	rest   string
	counts []int32 // of items of the objects and arrays to come, in order
}

// counts returns how many items each object and array of valid JSON has, in
// the order in which they begin. With them no list has to grow, which for a
// large value would take several times its memory.
func counts(s string) []int32 {
	var all []int32
	var open []int // the indexes in all of what has not ended
	empty := false // since the last opening delimiter nothing came
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			continue
		case '[', '{':
			open = append(open, len(all))
			all = append(all, 1)
			empty = true
			continue
		case ']', '}':
			if empty {
				all[open[len(open)-1]] = 0
			}
			open = open[:len(open)-1]
		case ',':
			all[open[len(open)-1]]++
		case '"':
			for i++; s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		}
		empty = false
	}
	return all
}

// count takes the number of items of the next object or array.
func (p *parser) count() int32 {
	n := p.counts[0]
	p.counts = p.counts[1:]
	return n
}

func (p *parser) value() value {
	switch p.peek() {
	case '"':
		return value{kind: str, text: p.string()}
	case '[':
		v := value{kind: array, items: make([]value, 0, p.count())}
		for p.more(']') {
			v.items = append(v.items, p.value())
		}
		return v
	case '{':
		n := p.count()
		v := value{kind: object, keys: make([]string, 0, n), items: make([]value, 0, n)}
		for p.more('}') {
			v.keys = append(v.keys, p.string())
			v.items = append(v.items, p.value())
		}
		return v
	}
	end := strings.IndexAny(p.rest, ",]}"+space)
	if end < 0 {
		end = len(p.rest)
	}
	return value{text: p.take(end)}
}

// more takes the delimiter before the next item, or the closing one, and
// reports whether there is an item.
func (p *parser) more(closing byte) bool {
	c := p.peek()
	p.take(1)
	if c == ',' || c == closing {
		return c == ','
	}
	if p.peek() == closing { // directly after the opening delimiter
		p.take(1)
		return false
	}
	return true
}

// string takes a string, and the colon after it if it is a key.
func (p *parser) string() string {
	p.peek()
	end, plain := 1, true
	for p.rest[end] != '"' {
		if p.rest[end] == '\\' {
			plain = false
			end++
		}
		end++
	}
	literal := p.take(end + 1)
	if p.peek() == ':' {
		p.take(1)
	}
	if s := literal[1 : len(literal)-1]; plain && utf8.ValidString(s) {
		return s
	}
	var s string
	if err := json.Unmarshal([]byte(literal), &s); err != nil { // not in valid JSON
		return literal
	}
	return s
}

// peek skips space and returns the byte after it, 0 at the end.
func (p *parser) peek() byte {
	for i := range len(p.rest) {
		if c := p.rest[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			p.rest = p.rest[i:]
			return c
		}
	}
	p.rest = ""
	return 0
}

func (p *parser) take(n int) string {
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}
