package agentdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A document is the YAML of one file. Its methods read values out of nodes
// and report those that are not what is wanted.
type document struct {
	*folder
	file string
}

func (d document) at(n *yaml.Node) place { return place{file: d.file, line: n.Line, col: n.Column} }

// parse returns the mapping that is the document, without aliases; nil when
// there is none. An empty document is an empty mapping.
func (d document) parse(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &yaml.Node{Kind: yaml.MappingNode, Line: 1, Column: 1}
		}
		d.syntax(err, text)
		return nil
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		d.report(d.at(&second), YAMLDocuments, "keep one and remove the --- between them", "the file has more than one YAML document")
		return nil
	} else if !errors.Is(err, io.EOF) {
		d.syntax(err, text)
		return nil
	}
	x := expander{document: d, left: maxExpansion}
	root, ok := x.expand(doc.Content[0], 0, false)
	if !ok {
		return nil
	}
	if isNull(root) {
		return &yaml.Node{Kind: yaml.MappingNode, Line: root.Line, Column: root.Column}
	}
	if !d.is(root, yaml.MappingNode, "the document", "a mapping of keys to values") {
		return nil
	}
	return root
}

// Limits of what a document may grow to. A bomb of aliases passes any of
// them; no manifest comes near.
const (
	maxExpansion = 10_000 // nodes copied for aliases
	maxDepth     = 64
)

// An expander replaces aliases and merge keys by what they stand for.
type expander struct {
	document
	left int
}

// expand returns n without aliases. It reports false, and a problem, when
// that cannot be done.
func (x *expander) expand(n *yaml.Node, depth int, copied bool) (*yaml.Node, bool) {
	if copied {
		x.left--
	}
	if depth > maxDepth || x.left < 0 {
		x.report(x.at(n), YAMLAliases, "write it out with fewer levels and aliases",
			"nested more than %d levels deep, or aliases that stand for more than %d values", maxDepth, maxExpansion)
		return nil, false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return x.expand(n.Alias, depth+1, true)
	case yaml.MappingNode:
		return x.mapping(n, depth, copied)
	case yaml.SequenceNode:
		out := *n
		out.Content = make([]*yaml.Node, len(n.Content))
		for i, item := range n.Content {
			var ok bool
			if out.Content[i], ok = x.expand(item, depth+1, copied); !ok {
				return nil, false
			}
		}
		return &out, true
	default:
		if tag := n.ShortTag(); !strings.HasPrefix(tag, "!!") {
			x.report(x.at(n), ValueType, "remove the tag", "the tag %s means nothing here", tag)
			return nil, false
		}
		return n, true
	}
}

func (x *expander) mapping(n *yaml.Node, depth int, copied bool) (*yaml.Node, bool) {
	out := *n
	out.Content = make([]*yaml.Node, 0, len(n.Content))
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	var merged []*yaml.Node
	for key, value := range pairs(n) {
		key, ok := x.expand(key, depth+1, copied)
		if !ok {
			return nil, false
		}
		value, ok := x.expand(value, depth+1, copied)
		if !ok {
			return nil, false
		}
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			if value.Kind == yaml.SequenceNode {
				merged = append(merged, value.Content...)
			} else {
				merged = append(merged, value)
			}
			continue
		}
		if !x.is(key, yaml.ScalarNode, "a key", "a string") {
			return nil, false
		}
		if first := seen[key.Value]; first != nil {
			x.report(x.at(key), KeyDuplicate, "remove one of them", "the key %s is here already, on line %d", quote(key.Value), first.Line)
			continue
		}
		seen[key.Value] = key
		out.Content = append(out.Content, key, value)
	}
	for _, m := range merged {
		if !x.is(m, yaml.MappingNode, "what << names", "a mapping") {
			return nil, false
		}
		for key, value := range pairs(m) {
			if seen[key.Value] == nil {
				seen[key.Value] = key
				out.Content = append(out.Content, key, value)
			}
		}
	}
	return &out, true
}

// pairs yields the keys and values of a mapping in order.
func pairs(n *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// find returns the key of a mapping, or nil.
func find(n *yaml.Node, key string) *yaml.Node {
	for k := range pairs(n) {
		if k.Value == key {
			return k
		}
	}
	return nil
}

// A field is one key that a mapping may have.
type field struct {
	key  string
	read func(v *yaml.Node) // nil: the feature is not in this version
}

// fields reads a mapping by its table. A key without a value is refused: where
// nothing is said all is allowed, and that is not what it looks like.
func (d document) fields(n *yaml.Node, what string, table []field) {
	for k, v := range pairs(n) {
		i := slices.IndexFunc(table, func(f field) bool { return f.key == k.Value })
		switch {
		case i < 0:
			var keys, built []string
			for _, f := range table {
				keys = append(keys, f.key)
				if f.read != nil {
					built = append(built, f.key)
				}
			}
			fix := "known keys: " + strings.Join(built, ", ")
			if guess := near(k.Value, keys); guess != "" {
				fix = "did you mean " + guess + "?"
			}
			d.report(d.at(k), KeyUnknown, fix, "%s has no key %s", what, quote(k.Value))
		case table[i].read == nil:
			d.report(d.at(k), NotBuilt, "remove it", "%s: this feature is not in this version", k.Value)
		case isNull(v):
			d.report(d.at(k), ValueType, "write one, or remove the key", "%s: want a value, got nothing", k.Value)
		default:
			table[i].read(v)
		}
	}
}

// is reports whether n is of the kind, and a problem when it is not.
func (d document) is(n *yaml.Node, kind yaml.Kind, what, want string) bool {
	if n.Kind == kind {
		return true
	}
	d.mistyped(n, what, want)
	return false
}

func (d document) mistyped(n *yaml.Node, what, want string) {
	d.report(d.at(n), ValueType, "", "%s: want %s, got %s", what, want, describe(n))
}

func (d document) invalid(n *yaml.Node, fix, format string, args ...any) {
	d.report(d.at(n), ValueInvalid, fix, format, args...)
}

// str reads a string. A number or a date is refused: its spelling would be a
// guess.
func (d document) str(n *yaml.Node, what string, into *string) bool {
	if !isString(n) {
		d.mistyped(n, what, "a string")
		return false
	}
	*into = n.Value
	return true
}

// strs reads a list of strings and returns those items that are strings. It
// reports false when v is no list.
func (d document) strs(v *yaml.Node, what string) (items []*yaml.Node, ok bool) {
	if !d.is(v, yaml.SequenceNode, what, "a list of strings") {
		return nil, false
	}
	for _, item := range v.Content {
		var s string
		if d.str(item, "an item of "+what, &s) {
			items = append(items, item)
		}
	}
	return items, true
}

// boolean reads true or false.
func (d document) boolean(n *yaml.Node, what string, into *bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.mistyped(n, what, "true or false")
		return
	}
	*into = strings.EqualFold(n.Value, "true")
}

// integer reads a whole number from 1 to high.
func (d document) integer(n *yaml.Node, what string, high int, into *int) {
	var i int
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		d.mistyped(n, what, "a whole number")
	} else if err := n.Decode(&i); err != nil || i < 1 || i > high {
		d.invalid(n, "", "%s: want a whole number from 1 to %d, got %s", what, high, n.Value)
	} else {
		*into = i
	}
}

// oneOf reads a string that must be one of a few.
func oneOf[S ~string](d document, n *yaml.Node, what string, words []S, into *S) {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	var s string
	if n.Kind != yaml.ScalarNode {
		d.mistyped(n, what, orList(names))
	} else if s = n.Value; slices.Contains(names, s) {
		*into = S(s)
	} else {
		fix := ""
		if guess := near(s, names); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		d.invalid(n, fix, "%s: want %s, got %s", what, orList(names), quote(s))
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe says what a value is, for a sentence.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}
	kinds := map[string]string{"!!int": "the number ", "!!float": "the number ", "!!bool": "the boolean ", "!!timestamp": "the date ", "!!null": "nothing"}
	if kind, ok := kinds[n.ShortTag()]; ok {
		if n.ShortTag() == "!!null" {
			return kind
		}
		return kind + n.Value
	}
	return "the string " + quote(n.Value)
}

// quote shows at most a line of a string.
func quote(s string) string {
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
