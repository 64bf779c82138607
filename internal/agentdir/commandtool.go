package agentdir

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

// commandTool reads a tool that is a command line.
func (r *agentReader) commandTool(d document, n *yaml.Node, name string) (agent.Command, bool) {
	var t agent.Command
	var words []*yaml.Node
	d.fields(n, "a tool", slices.Concat(d.definition(&t.Definition), d.run(&t.Env, &t.Retry), []field{
		{"command", func(v *yaml.Node) { words = d.words(v) }},
		{"http", func(*yaml.Node) {}},
	}))
	t.Name = name
	d.checkDefinition(n, &t.Definition)
	d.checkRetry(n, t.Effect)
	p := d.placeholders(n)
	ok := len(words) > 0
	for i, w := range words {
		word, fine := p.check(w, "command", w.Value)
		ok = ok && fine
		t.Argv = append(t.Argv, w.Value)
		if i > 0 || !fine {
			continue
		}
		if len(word.Names()) > 0 {
			d.report(d.at(w), PlaceholderInvalid, "name the program", "command: which program runs is the author's to say: the first word has no placeholder")
			ok = false
			continue
		}
		program, _ := word.Expand(nil) // there is nothing to ask for
		first := starter{node: w, what: "command", name: program, dir: r.dir, where: "the agent's folder"}
		if program, fine = r.startable(d, first, true); fine {
			t.Argv[0] = strings.NewReplacer("{", "{{", "}", "}}").Replace(program)
		}
		ok = ok && fine
	}
	if len(words) > 0 {
		p.checkUnused("the command line")
	}
	return t, ok
}

// words reads a command line: a list.
func (d document) words(v *yaml.Node) []*yaml.Node {
	if isString(v) {
		d.report(d.at(v), ValueType, "write a list: "+flow(strings.Fields(v.Value)), "command: want a list of words, got a string, which no shell splits")
		return nil
	}
	words, ok := d.strs(v, "command")
	if ok && len(v.Content) == 0 {
		d.invalid(v, "", "command: want a program, got nothing")
	}
	if len(words) != len(v.Content) {
		return nil
	}
	return words
}
