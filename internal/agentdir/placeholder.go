package agentdir

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A part of a text with placeholders is literal text, or the name of an
// argument.
type part struct{ text, name string }

// parts splits a text with placeholders: {name} is one, {{ and }} are braces.
// Wrong says what keeps it from being such a text, or is "".
func parts(s string) (out []part, wrong string) {
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			out = append(out, part{text: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c != '{' && c != '}':
			literal.WriteByte(c)
			i++
		case i+1 < len(s) && s[i+1] == c:
			literal.WriteByte(c)
			i += 2
		case c == '}':
			return nil, "a } has no { before it"
		default:
			end := strings.IndexAny(s[i+1:], "{}")
			if end < 0 || s[i+1+end] == '{' {
				return nil, "a { has no } after it"
			}
			name := s[i+1 : i+1+end]
			if name == "" {
				return nil, "a placeholder has no name"
			}
			flush()
			out = append(out, part{name: name})
			i += end + 2
		}
	}
	flush()
	return out, ""
}

// A placeholders is the arguments of a tool, as its texts name them.
type placeholders struct {
	document
	names  []*yaml.Node // keys of input.properties
	unread bool         // input could not be read: nothing is known of names
	used   map[string]bool
}

// placeholders are those of the tool that n describes.
func (d document) placeholders(n *yaml.Node) *placeholders {
	p := &placeholders{document: d, used: map[string]bool{}}
	input := value(n, "input")
	properties := value(input, "properties")
	p.unread = find(n, "input") != nil && (input == nil || input.Kind != yaml.MappingNode) || properties != nil && properties.Kind != yaml.MappingNode
	if properties != nil && !p.unread {
		for k := range pairs(properties) {
			p.names = append(p.names, k)
		}
	}
	return p
}

// check looks at the placeholders of a text, which is the value of a key.
func (p *placeholders) check(v *yaml.Node, what string) ([]part, bool) {
	list, wrong := parts(v.Value)
	if wrong != "" {
		p.report(p.at(v), PlaceholderInvalid, "write {{ and }} for braces", "%s: %s", what, wrong)
		return nil, false
	}
	ok := true
	for i, part := range list {
		if part.name == "" {
			continue
		}
		dollar := i > 0 && strings.HasSuffix(list[i-1].text, "$")
		if !p.known(v, what, part.name, dollar) {
			ok = false
		}
	}
	return list, ok
}

// known reports a placeholder that no argument is for.
func (p *placeholders) known(v *yaml.Node, what, name string, dollar bool) bool {
	p.used[name] = true
	if p.unread || slices.ContainsFunc(p.names, func(k *yaml.Node) bool { return k.Value == name }) {
		return true
	}
	words := make([]string, len(p.names))
	for i, k := range p.names {
		words[i] = k.Value
	}
	fix := "describe it in input.properties, or write {{ and }} for braces"
	if guess := near(name, words); guess != "" {
		fix = "did you mean {" + guess + "}?"
	} else if dollar {
		fix = "variables of the environment are replaced in headers only"
	}
	p.report(p.at(v), PlaceholderInvalid, fix, "%s: input has no property %s", what, quote(name))
	return false
}

// checkUnused warns of arguments that are asked for and go nowhere.
func (p *placeholders) checkUnused(where string) {
	for _, k := range p.names {
		if !p.used[k.Value] {
			p.report(p.at(k), ArgumentUnused, "write {"+k.Value+"} where it belongs, or remove it", "input.properties.%s: nothing of it reaches %s", k.Value, where)
		}
	}
}
