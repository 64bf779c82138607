package agentdir

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/internal/placeholder"
)

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

// check reads a text with placeholders, which is the value of a key or a part
// of it. It reports false after a problem.
func (p *placeholders) check(v *yaml.Node, what, text string) (placeholder.Template, bool) {
	t, err := placeholder.Parse(text)
	if wrong, ok := errors.AsType[*placeholder.SyntaxError](err); ok {
		p.report(p.at(v), PlaceholderInvalid, wrong.Fix, "%s: %s", what, wrong.Message)
		return t, false
	}
	ok := true
	for _, name := range t.Names() {
		if !p.known(v, what, name, strings.Contains(text, "${"+name+"}")) {
			ok = false
		}
	}
	return t, ok
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
		fix = "variables of the environment are replaced in headers and before the path of url only"
	}
	p.report(p.at(v), PlaceholderInvalid, fix, "%s: input has no property %s", what, quote(name))
	return false
}

// checkUnused warns of arguments that are asked for and go nowhere.
func (p *placeholders) checkUnused(where string) {
	for _, k := range p.names {
		if !p.used[k.Value] {
			fix := "write {" + k.Value + "} where it belongs, or remove it"
			if _, err := placeholder.Parse("{" + k.Value + "}"); err != nil {
				fix = "rename it, so that a placeholder can name it, or remove it"
			}
			p.report(p.at(k), ArgumentUnused, fix, "input.properties.%s: nothing of it reaches %s", k.Value, where)
		}
	}
}
