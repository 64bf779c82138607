package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// A property is one name that an object schema knows.
type property struct {
	name     string
	node     *node // nil: required only
	required bool
	want     string // for when it is missing
}

// A family is the properties whose names match.
type family struct {
	match *regexp.Regexp
	node  *node
}

type objectCheck struct {
	properties []property // in schema order, then those only required
	known      map[string]int
	families   []family
	additional *node
	closed     bool // additional is false
}

func buildProperties(s *site) check {
	o := &objectCheck{known: map[string]int{}}
	if v := s.get("properties", object); v != nil {
		for i := range v.kids {
			kid := &v.kids[i]
			if place, _ := v.place(kid.key); place != i {
				continue // named again further on
			}
			at := s.at + "/properties/" + escapePointer(kid.key)
			n := s.node(kid, at, s.base)
			o.known[kid.key] = len(o.properties)
			o.properties = append(o.properties, property{name: kid.key, node: n, want: wanted(kid)})
			if t := tagOf(kid); t != nil {
				s.n.tags = append(s.n.tags, tag{kid.key, t})
			}
		}
	}
	if v := s.get("required", array); v != nil {
		for _, name := range v.kids {
			if name.kind != text {
				s.bad("required", "not a list of names")
				continue
			}
			i, ok := o.known[name.str]
			if !ok {
				i = len(o.properties)
				o.known[name.str] = i
				o.properties = append(o.properties, property{name: name.str, want: "a value"})
			}
			o.properties[i].required = true
		}
	}
	if v := s.get("patternProperties", object); v != nil {
		for i := range v.kids {
			re, err := compilePattern(v.kids[i].key)
			at := s.at + "/patternProperties/" + escapePointer(v.kids[i].key)
			if err != nil {
				s.drop(at, err.Error())
				continue
			}
			o.families = append(o.families, family{re, s.node(&v.kids[i], at, s.base)})
		}
	}
	o.additional = s.sub("additionalProperties")
	if v := s.obj.member("additionalProperties"); v != nil {
		o.closed = string(v.raw) == "false"
	}
	return o.check
}

// wanted says what a missing property should be.
func wanted(schema *value) string {
	if schema.kind == object {
		if t := schema.member("type"); t != nil {
			if k, ok := kindNamed(t.str); ok {
				return kinds(k).noun()
			}
		}
		if e := schema.member("enum"); e != nil && e.kind == array && len(e.kids) > 0 {
			return "one of: " + choices(e.kids)
		}
	}
	return "a value"
}

// tagOf returns the only value a schema allows, nil if there are more.
func tagOf(schema *value) *value {
	if schema.kind != object {
		return nil
	}
	if c := schema.member("const"); c != nil {
		return c
	}
	if e := schema.member("enum"); e != nil && e.kind == array && len(e.kids) == 1 {
		return &e.kids[0]
	}
	return nil
}

func (o *objectCheck) check(r *run, v *value) {
	if v.kind != object {
		return
	}
	for _, key := range v.twice {
		r.addAt(step{key: key, index: -1}, v.member(key), "one value", "is given more than once")
	}
	for _, p := range o.properties {
		i, ok := v.place(p.name)
		s := step{key: p.name, index: -1}
		switch {
		case !ok && p.required:
			r.addAt(s, nil, p.want, "is required and missing; it must be "+p.want)
		case ok && p.node != nil:
			r.child(p.node, &v.kids[i], s)
			r.mark(i)
		}
	}
	if o.families != nil || o.additional != nil {
		o.others(r, v)
	}
}

// others checks what patterns and additionalProperties say.
func (o *objectCheck) others(r *run, v *value) {
	for i := range v.kids {
		kid := &v.kids[i]
		s := step{key: kid.key, index: -1}
		j, known := o.known[kid.key]
		known = known && o.properties[j].node != nil
		for _, f := range o.families {
			if f.match.MatchString(kid.key) {
				known = true
				r.child(f.node, kid, s)
				r.mark(i)
			}
		}
		switch {
		case known:
		case o.closed:
			r.addAt(s, kid, o.names(), "is not a known property; "+o.offer())
			r.mark(i)
		case o.additional != nil:
			r.child(o.additional, kid, s)
			r.mark(i)
		}
	}
}

// names says which properties there are.
func (o *objectCheck) names() string {
	var names []string
	for _, p := range o.properties {
		if p.node != nil {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return "no such property"
	}
	return "one of the properties: " + list(names)
}

func (o *objectCheck) offer() string {
	if names, ok := strings.CutPrefix(o.names(), "one of the properties: "); ok {
		return "known are: " + names
	}
	return "none is"
}

func buildNames(s *site) check {
	n := s.sub("propertyNames")
	return func(r *run, v *value) {
		if v.kind != object {
			return
		}
		for i := range v.kids {
			key := v.kids[i].key
			name := &value{kind: text, str: key, raw: quote(key)}
			seen := r.seen
			r.seen = nil
			bad := r.try(n, name)
			r.seen = seen
			if len(bad) > 0 {
				r.addAt(step{key: key, index: -1}, &v.kids[i], "another name", "has a name that is not allowed: it "+bad[0].Message)
			}
		}
	}
}

func buildPropertyCount(s *site) check {
	least, most := s.count("minProperties"), s.count("maxProperties")
	return func(r *run, v *value) {
		if v.kind == object {
			r.size(v, len(v.kids)-len(v.twice), least, most, "property")
		}
	}
}

// buildDependent covers what one property demands of the others, in both
// spellings.
func buildDependent(s *site) check {
	type demand struct {
		when  string
		names []string
		edge  *edge
	}
	var demands []demand
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		v := s.get(keyword, object)
		if v == nil {
			continue
		}
		for i := range v.kids {
			kid := &v.kids[i]
			d := demand{when: kid.key}
			if kid.kind == array {
				for _, name := range kid.kids {
					d.names = append(d.names, name.str)
				}
			} else {
				d.edge = s.edge(kid, s.at+"/"+keyword+"/"+escapePointer(kid.key))
			}
			demands = append(demands, d)
		}
	}
	return func(r *run, v *value) {
		if v.kind != object {
			return
		}
		for _, d := range demands {
			if v.member(d.when) == nil {
				continue
			}
			for _, name := range d.names {
				if v.member(name) == nil {
					r.addAt(step{key: name, index: -1}, nil, "a value", "is required with "+d.when+" and missing")
				}
			}
			if d.edge != nil && d.edge.to != nil {
				r.node(d.edge.to, v)
			}
		}
	}
}

func buildUnevaluatedProperties(s *site) check {
	n := s.sub("unevaluatedProperties")
	s.n.tracks = true
	return func(r *run, v *value) {
		if v.kind == object {
			r.rest(n, v)
		}
	}
}

// quote is the JSON of a string.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // cannot be: a string always encodes
		return []byte(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
