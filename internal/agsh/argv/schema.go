package argv

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A member is one name and value of a JSON object, in the order of the text.
type member struct {
	name string
	raw  json.RawMessage
}

// members reads a JSON object; ok is false if raw is none. A name that comes
// twice keeps its first place and its last value.
func members(raw json.RawMessage) (list []member, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	place := map[string]int{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, false
		}
		name, isString := t.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil || !isString {
			return nil, false
		}
		if i, twice := place[name]; twice {
			list[i].raw = value
			continue
		}
		place[name] = len(list)
		list = append(list, member{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	return list, true
}

// kinds is a set of JSON types.
type kinds uint8

const (
	kindString kinds = 1 << iota
	kindInteger
	kindNumber
	kindBool
	kindObject
	kindArray
	kindNull
)

// kindTable is in the order in which kinds are named.
var kindTable = []struct {
	kind kinds
	name string
	noun string
}{
	{kindString, "string", "a string"},
	{kindInteger, "integer", "an integer"},
	{kindNumber, "number", "a number"},
	{kindBool, "boolean", "true or false"},
	{kindObject, "object", "a JSON object"},
	{kindArray, "array", "a JSON array"},
	{kindNull, "null", "null"},
}

// A shape is what the command line needs to know of a subschema, references
// and alternatives resolved.
type shape struct {
	kinds    kinds // 0 is anything; null is left out if there is another
	enum     []json.RawMessage
	props    []property
	required []string
	items    *property // of a list whose elements are alike
	tuple    bool
	loop     bool // a reference leads back to where it came from
	about    string
	preset   json.RawMessage // the default
	limits   limits
}

// A property is a subschema and the references followed to get to it.
type property struct {
	name  string
	raw   json.RawMessage
	trail []string
}

// maxTrail is how many references are followed to get to one schema.
const maxTrail = 64

// A reader resolves the subschemas of one document. Its steps bound the work
// that references can multiply.
type reader struct {
	root  json.RawMessage
	steps int
	// objects has the members of what references passed through, by pointer.
	objects map[string]map[string]json.RawMessage
}

func newReader(root json.RawMessage) reader {
	return reader{root: root, steps: maxSteps, objects: map[string]map[string]json.RawMessage{}}
}

func (r *reader) shape(p property) shape {
	r.steps--
	fields, ok := members(p.raw)
	if !ok || r.steps < 0 {
		return shape{loop: r.steps < 0}
	}
	get := func(name string) json.RawMessage {
		for _, f := range fields {
			if f.name == name {
				return f.raw
			}
		}
		return nil
	}
	s := shape{kinds: typesOf(get("type")), preset: get("default"), limits: limitsOf(get)}
	decode(get("description"), &s.about)
	decode(get("required"), &s.required)
	decode(get("enum"), &s.enum)
	if c := get("const"); c != nil {
		s.enum = []json.RawMessage{c}
	}
	list, _ := members(get("properties"))
	for _, m := range list {
		s.props = append(s.props, property{m.name, m.raw, p.trail})
	}
	if items := get("items"); items != nil && items[0] != '[' {
		s.items = &property{raw: items, trail: p.trail}
	}
	s.tuple = get("prefixItems") != nil || s.items == nil && get("items") != nil
	r.follow(&s, p, get)
	s.infer()
	return s
}

// follow takes in what references and combinations say.
func (r *reader) follow(s *shape, p property, get func(string) json.RawMessage) {
	var ref string
	decode(get("$ref"), &ref)
	if ref != "" {
		if len(p.trail) > maxTrail || slices.Contains(p.trail, ref) {
			s.loop = true
		} else if target := r.lookup(ref); target != nil {
			s.merge(r.shape(property{raw: target, trail: append(slices.Clip(p.trail), ref)}))
		}
	}
	var all []json.RawMessage
	decode(get("allOf"), &all)
	for _, raw := range all {
		s.merge(r.shape(property{raw: raw, trail: p.trail}))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var either []json.RawMessage
		decode(get(keyword), &either)
		if len(either) > 0 && s.props == nil {
			s.merge(r.either(either, p.trail))
		}
	}
}

// either is the shape of alternatives: the only one beside null, one enum if
// all are, and otherwise no more than the kinds that they have.
func (r *reader) either(list []json.RawMessage, trail []string) shape {
	var shapes []shape
	for _, raw := range list {
		if s := r.shape(property{raw: raw, trail: trail}); s.kinds != kindNull {
			shapes = append(shapes, s)
		}
	}
	switch {
	case len(shapes) == 0:
		return shape{kinds: kindNull}
	case len(shapes) == 1:
		return shapes[0]
	}
	var union shape
	enums, open := true, false
	for _, s := range shapes {
		union.kinds |= s.kinds
		union.enum = append(union.enum, s.enum...)
		union.loop = union.loop || s.loop
		enums = enums && s.enum != nil
		open = open || s.kinds == 0
	}
	if !enums {
		union.enum = nil
	}
	if open {
		union.kinds = 0
	}
	// Lists of one kind are not told apart here: their elements may differ.
	union.tuple = true
	return union
}

func (s *shape) merge(o shape) {
	if s.about == "" {
		s.about = o.about
	}
	if s.preset == nil {
		s.preset = o.preset
	}
	if s.enum == nil {
		s.enum = o.enum
	}
	if s.items == nil {
		s.items = o.items
	}
	if both := s.kinds & o.kinds; both != 0 {
		s.kinds = both
	} else if s.kinds == 0 {
		s.kinds = o.kinds
	}
	s.limits.merge(o.limits)
	s.tuple = s.tuple || o.tuple
	s.loop = s.loop || o.loop
	s.required = append(s.required, o.required...)
	known := map[string]bool{}
	for _, p := range s.props {
		known[p.name] = true
	}
	for _, p := range o.props {
		if !known[p.name] {
			s.props = append(s.props, p)
		}
	}
}

// infer settles what the schema leaves unsaid: null is expressed by leaving
// the flag out, and structure tells the type.
func (s *shape) infer() {
	if s.kinds&^kindNull != 0 {
		s.kinds &^= kindNull
	}
	var values []json.RawMessage
	for _, v := range s.enum {
		if kindOf(v) != kindNull {
			values = append(values, v)
		}
	}
	switch {
	case values != nil:
		s.enum = values
	case s.enum != nil && len(s.enum) == 0:
		s.enum = nil
	}
	if s.kinds != 0 || s.loop {
		return
	}
	switch {
	case s.props != nil:
		s.kinds = kindObject
	case s.items != nil:
		s.kinds = kindArray
	case values != nil && !slices.ContainsFunc(values, func(v json.RawMessage) bool { return kindOf(v) != kindBool }):
		s.kinds = kindBool
	}
}

func typesOf(raw json.RawMessage) (ks kinds) {
	var names []string
	if decode(raw, &names); names == nil {
		var name string
		decode(raw, &name)
		names = []string{name}
	}
	for _, name := range names {
		for _, k := range kindTable {
			if k.name == name {
				ks |= k.kind
			}
		}
	}
	return ks
}

// kindOf tells the type of valid JSON.
func kindOf(raw json.RawMessage) kinds {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	switch raw[0] {
	case '"':
		return kindString
	case '{':
		return kindObject
	case '[':
		return kindArray
	case 't', 'f':
		return kindBool
	case 'n':
		return kindNull
	}
	if isWhole(string(raw)) {
		return kindInteger
	}
	return kindNumber
}

// lookup follows a reference within the document, nil if it leads elsewhere.
func (r *reader) lookup(ref string) json.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil
	}
	at, path := r.root, ""
	for _, token := range pointerTokens(pointer) {
		if at = r.within(path, at)[token]; at == nil {
			return nil
		}
		path += "/" + token
	}
	return at
}

// within returns the members or elements of raw, which is at path.
func (r *reader) within(path string, raw json.RawMessage) map[string]json.RawMessage {
	if m, ok := r.objects[path]; ok {
		return m
	}
	m := map[string]json.RawMessage{}
	decode(raw, &m)
	var list []json.RawMessage
	decode(raw, &list)
	for i, element := range list {
		m[strconv.Itoa(i)] = element
	}
	r.objects[path] = m
	return m
}

// pointerTokens splits a JSON pointer.
func pointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// decode leaves to as it is if raw is not of its kind: a schema that is
// malformed in one place still gives flags for the rest.
func decode[T any](raw json.RawMessage, to *T) {
	var v T
	if raw != nil && json.Unmarshal(raw, &v) == nil {
		*to = v
	}
}
