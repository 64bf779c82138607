package agentdir

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
	"agsh.dev/internal/scripttool"
)

// manifestFile reads a manifest beside its program.
func (r *agentReader) manifestFile(file string, e *agent.Executable) bool {
	text, ok := r.text(file)
	return ok && r.manifest(document{folder: r.folder, file: file}, []byte(text), e)
}

// manifest reads what a program says about itself.
func (r *agentReader) manifest(d document, text []byte, e *agent.Executable) bool {
	n := d.parse(text)
	if n == nil {
		return false
	}
	d.fields(n, "a tool's manifest", slices.Concat(d.definition(&e.Definition), d.run(&e.Env, &e.Retry)))
	d.checkDefinition(n, &e.Definition)
	d.checkRetry(n, e.Effect)
	return true
}

// definition are the keys that every kind of tool has.
func (d document) definition(def *agent.Definition) []field {
	return []field{
		{"description", func(v *yaml.Node) { d.str(v, "description", &def.Description) }},
		{"title", func(v *yaml.Node) { d.str(v, "title", &def.Title) }},
		{"input", func(v *yaml.Node) { def.Input = d.schema(v, "input") }},
		{"output", func(v *yaml.Node) { def.Output = d.schema(v, "output") }},
		{"effect", func(v *yaml.Node) { oneOf(d, v, "effect", []agent.Effect{agent.Read, agent.Write}, &def.Effect) }},
		{"needsApproval", func(v *yaml.Node) { d.approval(v, &def.NeedsApproval) }},
		{"timeout", func(v *yaml.Node) { d.duration(v, "timeout", &def.Timeout) }},
		{"display", func(v *yaml.Node) { def.Display = d.display(v) }},
	}
}

// run are the keys of tools that start a program.
func (d document) run(env *[]string, retry *agent.Retry) []field {
	return []field{
		{"env", func(v *yaml.Node) { *env = d.env(v) }},
		{"retry", func(v *yaml.Node) { *retry = d.retry(v) }},
	}
}

// checkDefinition looks at what concerns more than one key of a tool.
func (d document) checkDefinition(n *yaml.Node, def *agent.Definition) {
	if strings.TrimSpace(def.Description) == "" && !mistyped(n, "description") {
		d.report(d.at(n), KeyMissing, "say what the tool does, for the model to choose it", "the tool has no description")
	}
	if find(n, "input") == nil {
		d.report(d.at(n), InputMissing, "write input: {type: object} if it takes none", "the tool does not say what arguments it takes: it gets none")
		def.Input = []byte(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	d.checkWhen(n)
}

// checkRetry refuses to run again what may change something.
func (d document) checkRetry(n *yaml.Node, effect agent.Effect) {
	if key := find(n, "retry"); key != nil && effect != agent.Read {
		d.report(d.at(key), ValueInvalid, "remove it, or say effect: read if running twice does no harm",
			"retry: a tool that writes is never run again by itself")
	}
}

// checkWhen refuses an approval that could never be asked for.
func (d document) checkWhen(n *yaml.Node) {
	when := value(value(n, "needsApproval"), "when")
	properties := value(value(n, "input"), "properties")
	if when == nil || when.Kind != yaml.MappingNode || properties == nil || properties.Kind != yaml.MappingNode {
		return
	}
	var names []string
	for k := range pairs(properties) {
		names = append(names, k.Value)
	}
	for k := range pairs(when) {
		top, _, _ := strings.Cut(k.Value, ".")
		if slices.Contains(names, k.Value) || slices.Contains(names, top) {
			continue
		}
		fix := "name a property of input"
		if guess := near(k.Value, names); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		d.invalid(k, fix, "needsApproval: input has no property %s, so nobody would ever be asked", quote(k.Value))
	}
}

// value returns the value of a key; nil without the key, and of nil.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for k, v := range pairs(n) {
		if k.Value == key {
			if isNull(v) {
				return nil
			}
			return v
		}
	}
	return nil
}

// mistyped reports whether the key has a value that was refused already.
func mistyped(n *yaml.Node, key string) bool {
	v := value(n, key)
	return find(n, key) != nil && (v == nil || !isString(v))
}

func (d document) approval(v *yaml.Node, into *agent.Approval) {
	if v.Kind != yaml.MappingNode {
		oneOf(d, v, "needsApproval", []agent.ApprovalMode{agent.Never, agent.Once, agent.Always}, &into.Mode)
		return
	}
	d.fields(v, "needsApproval", []field{{"when", func(v *yaml.Node) {
		into.When = d.strMap(v, "needsApproval.when")
		if v.Kind == yaml.MappingNode && len(v.Content) == 0 {
			d.invalid(v, "write never or always", "needsApproval.when: want at least one field")
			return
		}
		for k, glob := range pairs(v) {
			if !doublestar.ValidatePattern(glob.Value) {
				d.invalid(glob, "", "needsApproval.when.%s: %s is not a glob", k.Value, quote(glob.Value))
			}
		}
	}}})
	if find(v, "when") == nil {
		d.report(d.at(v), KeyMissing, "write never, once, always or {when: {field: glob}}", "needsApproval has no when")
	}
}

// maxTimeout bounds a tool's timeout.
const maxTimeout = 24 * time.Hour

// duration reads "90s", "2m" or a number of seconds.
func (d document) duration(v *yaml.Node, what string, into *time.Duration) {
	const want = "a time such as 90s or 2m"
	if v.Kind != yaml.ScalarNode {
		d.mistyped(v, what, want)
		return
	}
	t, err := time.ParseDuration(v.Value)
	if seconds, numErr := strconv.ParseFloat(v.Value, 64); numErr == nil {
		t, err = time.Duration(seconds*float64(time.Second)), nil
		if seconds > maxTimeout.Seconds() {
			t = 0
		}
	}
	if err != nil || t <= 0 || t > maxTimeout {
		d.invalid(v, "", "%s: want %s, at most 24h, got %s", what, want, quote(v.Value))
		return
	}
	*into = t
}

func (d document) display(v *yaml.Node) *agent.Display {
	if !d.is(v, yaml.MappingNode, "display", "a mapping {kind, detail}") {
		return nil
	}
	var out agent.Display
	d.fields(v, "display", []field{
		{"kind", func(v *yaml.Node) {
			oneOf(d, v, "display.kind", []string{"read", "search", "edit", "execute", "fetch", "other"}, &out.Kind)
		}},
		{"detail", func(v *yaml.Node) { d.str(v, "display.detail", &out.Detail) }},
	})
	if find(v, "kind") == nil {
		d.report(d.at(v), KeyMissing, "add kind: other", "display has no kind")
	}
	return &out
}

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (d document) env(v *yaml.Node) []string {
	list, _ := d.strs(v, "env")
	var out []string
	for _, item := range list {
		switch name := item.Value; {
		case !variablePattern.MatchString(name):
			d.invalid(item, "name variables; their values come from the environment of agent-sdk", "env: %s is not the name of a variable", quote(name))
		case slices.Contains(scripttool.Fixed, name):
			d.invalid(item, "remove it", "env: %s is always set", name)
		default:
			out = append(out, name)
		}
	}
	return out
}

func (d document) retry(v *yaml.Node) agent.Retry {
	var out agent.Retry
	if !d.is(v, yaml.MappingNode, "retry", "a mapping {attempts, on}") {
		return out
	}
	d.fields(v, "retry", []field{
		{"attempts", func(v *yaml.Node) { d.integer(v, "retry.attempts", 10, &out.Attempts) }},
		{"on", func(v *yaml.Node) {
			if !d.is(v, yaml.SequenceNode, "retry.on", "a list of exit codes") {
				return
			}
			for _, item := range v.Content {
				code := 0
				d.integer(item, "retry.on", 255, &code)
				out.On = append(out.On, code)
			}
		}},
	})
	for _, key := range []string{"attempts", "on"} {
		if find(v, key) == nil {
			d.report(d.at(v), KeyMissing, "write retry: {attempts: 3, on: [75]}", "retry has no %s", key)
		}
	}
	return out
}

// jsonOf converts a value to JSON, reporting what JSON does not have.
func (d document) jsonOf(v *yaml.Node, what string) []byte {
	raw, err := toJSON(v)
	if bad, ok := errors.AsType[*nodeError](err); ok {
		d.report(d.at(bad.node), SchemaInvalid, "", "%s: %s", what, bad.message)
		return nil
	}
	if err != nil {
		d.report(d.at(v), SchemaInvalid, "", "%s: %s", what, fmt.Sprint(err))
		return nil
	}
	return raw
}
