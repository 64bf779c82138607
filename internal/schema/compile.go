package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// A compiler turns the subschemas of one document into nodes, each once.
type compiler struct {
	root     *value
	draft7   bool // siblings of $ref say nothing
	keywords []keyword
	nodes    map[*value]*node
	order    []*node           // in the order of compilation
	named    map[string]*value // resources and anchors by their URI
	uris     map[*value]string // of resources
	depth    int
	dropped  []string
}

// A keyword, or a family that only makes sense together, and what it checks.
type keyword struct {
	names []string
	build func(s *site) check // nil: nothing to check
}

// A site is one subschema in the course of compilation.
type site struct {
	*compiler
	n    *node
	obj  *value
	at   string // its JSON pointer
	base *value // the document or embedded resource that "#/…" starts from
}

func newCompiler(root *value) *compiler {
	c := &compiler{root: root, nodes: map[*value]*node{}, named: map[string]*value{}, uris: map[*value]string{}}
	if v := root.member("$schema"); v != nil {
		c.draft7 = strings.Contains(v.str, "/draft-0")
	}
	c.keywords = []keyword{
		{[]string{"type"}, buildType},
		{[]string{"enum"}, buildEnum},
		{[]string{"const"}, buildConst},
		{[]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}, buildRange},
		{[]string{"multipleOf"}, buildMultiple},
		{[]string{"minLength", "maxLength"}, buildLength},
		{[]string{"pattern"}, buildPattern},
		{[]string{"$ref"}, buildRef},
		{[]string{"allOf"}, buildAllOf},
		{[]string{"anyOf"}, buildAnyOf},
		{[]string{"oneOf"}, buildOneOf},
		{[]string{"not"}, buildNot},
		{[]string{"if"}, buildIf},
		{[]string{"items", "prefixItems"}, buildItems},
		{[]string{"contains"}, buildContains},
		{[]string{"minItems", "maxItems"}, buildItemCount},
		{[]string{"uniqueItems"}, buildUnique},
		{[]string{"properties", "patternProperties", "additionalProperties", "required"}, buildProperties},
		{[]string{"propertyNames"}, buildNames},
		{[]string{"minProperties", "maxProperties"}, buildPropertyCount},
		{[]string{"dependentRequired", "dependentSchemas", "dependencies"}, buildDependent},
		{[]string{"unevaluatedItems"}, buildUnevaluatedItems}, // last: they ask what the others looked at
		{[]string{"unevaluatedProperties"}, buildUnevaluatedProperties},
	}
	c.named[""] = root
	c.name(root, "")
	return c
}

// name notes every $id and $anchor in v, which is under the resource at uri.
func (c *compiler) name(v *value, uri string) {
	if v.kind == object {
		if c.isResource(v) {
			uri = resolve(uri, v.member("$id").str)
			c.named[uri], c.uris[v] = v, uri
		}
		for _, keyword := range []string{"$anchor", "$dynamicAnchor", "$id"} {
			if a := v.member(keyword); a != nil && a.kind == text && (keyword != "$id" || strings.HasPrefix(a.str, "#")) {
				c.named[uri+"#"+strings.TrimPrefix(a.str, "#")] = v
			}
		}
	}
	for i := range v.kids {
		c.name(&v.kids[i], uri)
	}
}

// resolve returns ref, without its fragment, as seen from base.
func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	u.Fragment = ""
	return u.String()
}

func (c *compiler) drop(at, why string) {
	c.dropped = append(c.dropped, at+": "+why)
}

// node compiles the subschema v at pointer at. What is no schema accepts
// everything.
func (c *compiler) node(v *value, at string, base *value) *node {
	if n := c.nodes[v]; n != nil {
		return n
	}
	n := &node{}
	c.nodes[v] = n
	c.order = append(c.order, n)
	switch {
	case v.kind == object:
	case string(v.raw) == "true":
		return n
	case string(v.raw) == "false":
		n.checks = []check{func(r *run, v *value) { r.add(v, "nothing", "is not allowed") }}
		return n
	default:
		c.drop(at, "not a schema")
		return n
	}
	if c.isResource(v) {
		base = v
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxNesting/2 {
		c.drop(at, "nested too deeply")
		return n
	}
	s := &site{compiler: c, n: n, obj: v, at: at, base: base}
	if c.draft7 && v.member("$ref") != nil {
		s.build(keyword{[]string{"$ref"}, buildRef})
		return n
	}
	if v.member("$dynamicRef") != nil {
		c.drop(at+"/$dynamicRef", "dynamic references are not followed")
	}
	for _, k := range c.keywords {
		s.build(k)
	}
	return n
}

// isResource reports whether v is the root of its own references.
func (c *compiler) isResource(v *value) bool {
	if c.draft7 && v.member("$ref") != nil {
		return false
	}
	id := v.member("$id")
	return id != nil && id.kind == text && id.str != "" && id.str[0] != '#'
}

func (s *site) build(k keyword) {
	for _, name := range k.names {
		if s.obj.member(name) != nil {
			if c := k.build(s); c != nil {
				s.n.checks = append(s.n.checks, c)
			}
			return
		}
	}
}

// get returns the keyword's value if it is of the kind that it must be; else
// it drops the keyword.
func (s *site) get(keyword string, want kind) *value {
	v := s.obj.member(keyword)
	if v == nil || v.kind == want {
		return v
	}
	s.bad(keyword, "not "+kinds(want).noun())
	return nil
}

func (s *site) bad(keyword, why string) { s.drop(s.at+"/"+keyword, why) }

// sub compiles the schema under a keyword that looks at members or elements;
// nil when there is none.
func (s *site) sub(keyword string) *node {
	v := s.obj.member(keyword)
	if v == nil {
		return nil
	}
	return s.node(v, s.at+"/"+keyword, s.base)
}

// edge compiles a schema that looks at the same value as s.
func (s *site) edge(v *value, at string) *edge {
	e := &edge{at: at, to: s.node(v, at, s.base)}
	s.n.edges = append(s.n.edges, e)
	return e
}

// edges compiles a list of them.
func (s *site) edges(keyword string) []*edge {
	v := s.get(keyword, array)
	if v == nil {
		return nil
	}
	list := make([]*edge, len(v.kids))
	for i := range v.kids {
		list[i] = s.edge(&v.kids[i], s.at+"/"+keyword+"/"+strconv.Itoa(i))
	}
	return list
}

// count reads a keyword that is a whole number, 0 or more; -1 without one.
func (s *site) count(keyword string) int {
	v := s.get(keyword, number)
	if v == nil {
		return -1
	}
	d := decimalOf(v.raw)
	if d.neg || !isInteger(v.raw) {
		s.bad(keyword, "not a whole number, 0 or more")
		return -1
	}
	n, err := strconv.Atoi(d.digits + strings.Repeat("0", min(d.exp, 18)))
	if d.digits != "" && err != nil {
		n = int(^uint(0) >> 1) // more than anything has
	}
	return n
}

func buildRef(s *site) check {
	v := s.get("$ref", text)
	if v == nil {
		return nil
	}
	target, base := s.find(s.base, v.str)
	if target == nil {
		s.bad("$ref", "leads nowhere in this document")
		return nil
	}
	at := s.at + "/$ref"
	e := &edge{at: at, to: s.node(target, at, base)}
	s.n.edges = append(s.n.edges, e)
	return func(r *run, v *value) {
		if e.to != nil {
			r.node(e.to, v)
		}
	}
}

// find follows a reference within the document, made in the resource from, and
// returns the schema and the resource it is in.
func (c *compiler) find(from *value, ref string) (target, base *value) {
	doc, fragment, _ := strings.Cut(ref, "#")
	uri := c.uris[from]
	if doc != "" {
		uri = resolve(uri, doc)
		from = c.named[uri]
	}
	fragment, err := url.PathUnescape(fragment)
	if from == nil || err != nil {
		return nil, nil
	}
	if fragment != "" && fragment[0] != '/' {
		return c.named[uri+"#"+fragment], from
	}
	return c.follow(from, fragment)
}

// follow walks a JSON pointer from v.
func (c *compiler) follow(v *value, pointer string) (target, base *value) {
	base = v
	if pointer == "" {
		return v, base
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v.kind {
		case object:
			v = v.member(token)
		case array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.kids) {
				return nil, nil
			}
			v = &v.kids[i]
		default:
			return nil, nil
		}
		if v == nil {
			return nil, nil
		}
		if v.kind == object && c.isResource(v) {
			base = v
		}
	}
	return v, base
}

// loopState is how far the search for loops has come with a node.
type loopState uint8

const (
	unvisited loopState = iota
	open                // on the way from the start to here
	closed
)

// cutLoops drops every edge by which a schema would judge a value by way of
// judging it: such a schema says nothing and never ends.
func (c *compiler) cutLoops() {
	type frame struct {
		n    *node
		next int
	}
	for _, start := range c.order {
		if start.state != unvisited {
			continue
		}
		start.state = open
		for stack := []frame{{n: start}}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			if top.next == len(top.n.edges) {
				top.n.state = closed
				stack = stack[:len(stack)-1]
				continue
			}
			e := top.n.edges[top.next]
			top.next++
			switch e.to.state {
			case open:
				c.drop(e.at, "leads back to itself")
				e.to = nil
			case unvisited:
				e.to.state = open
				stack = append(stack, frame{n: e.to})
			case closed:
			}
		}
	}
}
