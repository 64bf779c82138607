package argv

import (
	"encoding/json"
	"slices"
)

// maxWithin is how deep alternatives within alternatives are looked into.
const maxWithin = 8

// whole is the shape of the document. Properties that only some alternative or
// condition of it speaks of have flags too; which of them go together is for
// the validator to say.
func (r *reader) whole() shape {
	root := property{raw: r.root, trail: []string{"#"}}
	s := r.shape(root)
	g := gatherer{reader: r, said: map[string][]property{}}
	g.gather(root, maxWithin)
	for _, p := range s.props {
		delete(g.said, p.name)
	}
	for _, name := range g.names {
		if said := g.said[name]; said != nil {
			s.props = append(s.props, r.oneOf(name, said))
		}
	}
	for _, name := range g.required {
		if !slices.Contains(s.required, name) {
			s.required = append(s.required, name)
		}
	}
	return s
}

// oneOf is the property that is said to be each of these in some
// alternative.
func (r *reader) oneOf(name string, said []property) property {
	if len(said) == 1 {
		return property{name: name, raw: said[0].raw, trail: said[0].trail}
	}
	all := []byte(`{"anyOf":[`)
	about := json.RawMessage("null")
	for i, p := range said {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, p.raw...)
		if s := r.shape(p); s.about != "" && string(about) == "null" {
			about = quote(s.about)
		}
	}
	all = append(append(append(all, `],"description":`...), about...), '}')
	return property{name: name, raw: all, trail: said[0].trail}
}

// A gatherer collects what alternatives say of properties, in order.
type gatherer struct {
	*reader
	names    []string
	said     map[string][]property
	required []string // by every alternative of a list
}

func (g *gatherer) gather(p property, depth int) {
	g.steps--
	fields, ok := members(p.raw)
	if !ok || depth == 0 || g.steps < 0 {
		return
	}
	for _, f := range fields {
		switch f.name {
		case "$ref":
			var ref string
			if decode(f.raw, &ref); !slices.Contains(p.trail, ref) {
				g.gather(property{raw: g.lookup(ref), trail: append(slices.Clip(p.trail), ref)}, depth-1)
			}
		case "allOf":
			var list []json.RawMessage
			decode(f.raw, &list)
			for _, raw := range list {
				g.gather(property{raw: raw, trail: p.trail}, depth-1)
			}
		case "anyOf", "oneOf":
			var list []json.RawMessage
			decode(f.raw, &list)
			g.alternatives(list, p.trail, depth)
		case "then", "else":
			g.branch(f.raw, p.trail, depth)
		case "dependentSchemas":
			list, _ := members(f.raw)
			for _, m := range list {
				g.branch(m.raw, p.trail, depth)
			}
		}
	}
}

// alternatives takes in each of a list, and what all of them require.
func (g *gatherer) alternatives(list []json.RawMessage, trail []string, depth int) {
	var common []string
	for i, raw := range list {
		required := g.branch(raw, trail, depth)
		if i == 0 {
			common = required
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(required, name) })
	}
	g.required = append(g.required, common...)
}

// branch takes in one alternative and returns what it requires.
func (g *gatherer) branch(raw json.RawMessage, trail []string, depth int) []string {
	p := property{raw: raw, trail: trail}
	s := g.shape(p)
	for _, prop := range s.props {
		if g.said[prop.name] == nil {
			g.names = append(g.names, prop.name)
		}
		g.said[prop.name] = append(g.said[prop.name], prop)
	}
	g.gather(p, depth-1)
	return s.required
}
