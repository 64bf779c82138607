package agentdir

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
	"agsh.dev/vfs"
)

// agentYAML reads agent.yaml into the agent.
func (r *agentReader) agentYAML() {
	const file = "agent.yaml"
	text, ok := r.text(file)
	if !ok {
		return
	}
	d := document{folder: r.folder, file: file}
	n := d.parse([]byte(text))
	if n == nil {
		return
	}
	d.fields(n, "agent.yaml", []field{
		{"name", func(v *yaml.Node) { r.name(d, v) }},
		{"description", func(v *yaml.Node) { d.str(v, "description", &r.agent.Description) }},
		{"model", func(v *yaml.Node) { r.agent.Model = d.model(v) }},
		{"tools", func(v *yaml.Node) { r.agent.Natives = d.natives(v) }},
		{"root", func(v *yaml.Node) { r.tree(d, v) }},
		{"runtime", func(v *yaml.Node) { d.runtime(v) }},
		{"limits", nil},
		{"toolProtocol", nil},
		{"compaction", nil},
		{"approvals", nil},
		{"local", nil},
	})
}

func (r *agentReader) name(d document, v *yaml.Node) {
	var name string
	if !d.str(v, "name", &name) {
		return
	}
	if r.named && name != r.agent.Name {
		d.report(d.at(v), NameMismatch, "remove name, or rename the folder to "+name,
			"the agent is called %s here, its folder %s", quote(name), r.agent.Name)
		return
	}
	r.agent.Name, r.nameAt = name, d.at(v)
}

func (d document) runtime(v *yaml.Node) {
	var name string
	if !d.str(v, "runtime", &name) || name == "local" {
		return
	}
	if name == "cloud" {
		d.report(d.at(v), NotBuilt, "remove it: local is the default", "runtime: cloud is not in this version")
		return
	}
	d.invalid(v, "remove it: local is the default", "runtime: want local, got %s", quote(name))
}

func (d document) model(v *yaml.Node) *agent.Model {
	var m agent.Model
	if v.Kind == yaml.ScalarNode {
		var s string
		if !d.str(v, "model", &s) {
			return nil
		}
		var ok bool
		if m.Provider, m.Name, ok = strings.Cut(s, "/"); !ok || m.Provider == "" || m.Name == "" {
			d.invalid(v, "", "model: want provider/name, got %s", quote(s))
			return nil
		}
		return &m
	}
	if !d.is(v, yaml.MappingNode, "model", "provider/name or a mapping") {
		return nil
	}
	const many = 1 << 30
	d.fields(v, "model", []field{
		{"provider", func(v *yaml.Node) { d.checked(v, "provider", "a name such as openai", notEmpty, &m.Provider) }},
		{"name", func(v *yaml.Node) { d.checked(v, "name", "the name of a model", notEmpty, &m.Name) }},
		{"baseUrl", func(v *yaml.Node) { d.checked(v, "baseUrl", "an http or https URL", isURL, &m.BaseURL) }},
		{"apiKeyEnv", func(v *yaml.Node) {
			d.checked(v, "apiKeyEnv", "the name of a variable", variablePattern.MatchString, &m.APIKeyEnv)
		}},
		{"contextWindow", func(v *yaml.Node) { d.integer(v, "contextWindow", many, &m.ContextWindow) }},
		{"maxOutputTokens", func(v *yaml.Node) { d.integer(v, "maxOutputTokens", many, &m.MaxOutputTokens) }},
		{"reasoning", func(v *yaml.Node) { d.str(v, "reasoning", &m.Reasoning) }},
		{"headers", func(v *yaml.Node) { m.Headers = d.strMap(v, "headers") }},
		{"script", nil},
	})
	for _, key := range []string{"provider", "name"} {
		if find(v, key) == nil && find(v, "script") == nil {
			d.report(d.at(v), KeyMissing, "", "model has no %s", key)
		}
	}
	return &m
}

// checked reads a string that must pass ok, and reports whether it did.
func (d document) checked(v *yaml.Node, what, want string, ok func(string) bool, into *string) bool {
	var s string
	if !d.str(v, what, &s) {
		return false
	}
	if !ok(s) {
		d.invalid(v, "", "%s: want %s, got %s", what, want, quote(s))
		return false
	}
	*into = s
	return true
}

func notEmpty(s string) bool { return strings.TrimSpace(s) != "" }

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// strMap reads a mapping of strings.
func (d document) strMap(v *yaml.Node, what string) map[string]string {
	if !d.is(v, yaml.MappingNode, what, "a mapping of strings") {
		return nil
	}
	out := make(map[string]string, len(v.Content)/2)
	for k, v := range pairs(v) {
		var s string
		if d.str(v, what+"."+k.Value, &s) {
			out[k.Value] = s
		}
	}
	return out
}

var fileTools = []string{"Read", "LS", "Grep", "Glob"}

// FileTools returns the names of the file tools an agent has when it lists
// none.
func FileTools() []string { return slices.Clone(fileTools) }

// laterTools are known and not in this version.
var laterTools = []string{
	"Write", "StrReplace", "Delete", "SemanticSearch", "Shell", "WebFetch", "WebSearch", "UpdateTodos", "ReadTodos",
	"Task", "AskQuestion", "SubmitPlan", "conversation_recall", "Edit", "SemSearch", "ReadLints", "MCP",
}

// natives reads the allowlist. An empty one allows nothing, which is not the
// same as none.
func (d document) natives(v *yaml.Node) []string {
	list, ok := d.strs(v, "tools")
	if !ok {
		return nil
	}
	out := []string{}
	for _, item := range list {
		same := func(name string) bool { return strings.EqualFold(name, item.Value) }
		if i := slices.IndexFunc(fileTools, same); i >= 0 {
			if !slices.Contains(out, fileTools[i]) {
				out = append(out, fileTools[i])
			}
			continue
		}
		if slices.ContainsFunc(laterTools, same) {
			d.report(d.at(item), NotBuilt, "remove it", "the tool %s is not in this version", item.Value)
			continue
		}
		fix := "the built-in tools are " + strings.Join(fileTools, ", ") + "; the agent's own tools are always there"
		if guess := near(item.Value, fileTools); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		d.report(d.at(item), ToolUnknown, fix, "tools: there is no built-in tool %s", quote(item.Value))
	}
	return out
}

// tree reads root: what the file tools show.
func (r *agentReader) tree(d document, v *yaml.Node) {
	if !d.is(v, yaml.MappingNode, "root", "a mapping such as {dir: ../repo}") {
		return
	}
	if len(v.Content) != 2 {
		d.invalid(v, "", "root: want one of dir and temp, got %d keys", len(v.Content)/2)
		return
	}
	d.fields(v, "root", []field{
		{"dir", func(v *yaml.Node) { r.dirTree(d, v) }},
		{"temp", func(v *yaml.Node) { r.tempTree(d, v) }},
		{"union", nil},
		{"overlay", nil},
		{"readOnly", nil},
	})
}

// dirTree opens a folder relative to agent.yaml; it may be anywhere.
func (r *agentReader) dirTree(d document, v *yaml.Node) {
	var dir string
	if !d.str(v, "root.dir", &dir) {
		return
	}
	if dir == "" {
		d.report(d.at(v), RootInvalid, "write . for the folder of agent.yaml", "root.dir: want a folder, got nothing")
		return
	}
	abs := filepath.FromSlash(dir)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(r.dir, abs)
	}
	tree, err := vfs.Dir(abs)
	if err != nil {
		d.report(d.at(v), RootInvalid, "name a folder, relative to agent.yaml", "root.dir: cannot open %s: %s", quote(dir), reason(err))
		return
	}
	r.agent.Root = tree
}

func (r *agentReader) tempTree(d document, v *yaml.Node) {
	if !d.is(v, yaml.MappingNode, "root.temp", "a mapping of paths to texts") {
		return
	}
	files := make(map[string]string, len(v.Content)/2)
	taken := map[string]vfs.Kind{"/": vfs.KindDir}
	for k, v := range pairs(v) {
		var text string
		if !d.str(v, "root.temp: "+k.Value, &text) {
			continue
		}
		name, err := vfs.Normalize(k.Value)
		if err != nil || !strings.HasPrefix(k.Value, "/") {
			d.report(d.at(k), RootInvalid, "write a path such as /notes.md", "root.temp: %s is not an absolute path", quote(k.Value))
			continue
		}
		if !claim(taken, name) {
			d.report(d.at(k), RootInvalid, "rename it", "root.temp: %s cannot be a file: it, or one above or below it, is one", name)
			continue
		}
		files[name] = text
	}
	r.agent.Root = vfs.Temp(files)
}

// claim makes name a file of a tree and what is above it folders. It reports
// false when that cannot be.
func claim(taken map[string]vfs.Kind, name string) bool {
	if taken[name] != "" {
		return false
	}
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if taken[dir] == vfs.KindFile {
			return false
		}
	}
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		taken[dir] = vfs.KindDir
	}
	taken[name] = vfs.KindFile
	return true
}
