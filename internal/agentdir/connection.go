package agentdir

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

// The folders of connections.
const (
	mcpFolder  = "mcp-connections"
	hostFolder = "host-connections"
)

// mcpConnections reads mcp-connections/.
func (r *agentReader) mcpConnections() { r.agent.Connections = r.connections(mcpFolder) }

// hostConnections reads host-connections/.
func (r *agentReader) hostConnections() { r.agent.HostConnections = r.connections(hostFolder) }

// connections reads a folder of connections, one a file.
func (r *agentReader) connections(dir string) []agent.Connection {
	if !r.isDir(dir) {
		return nil
	}
	var out []agent.Connection
	for _, entry := range r.list(dir) {
		file := path.Join(dir, entry)
		name, ok := strings.CutSuffix(entry, ".yaml")
		if !ok {
			fix := "give it the ending .yaml"
			if ext := path.Ext(entry); ext == ".json" || ext == ".yml" {
				fix = "rename it to " + strings.TrimSuffix(entry, ext) + ".yaml; JSON is YAML too"
			}
			r.report(place{file: file}, EntryUnknown, fix, "%s/ holds .yaml files only", dir)
			continue
		}
		if !namePattern.MatchString(name) {
			r.report(place{file: file}, NameInvalid, "rename the file", "%s cannot be a connection's name: want %s", quote(name), nameRule)
		}
		if dir == hostFolder {
			if _, err := r.root.Lstat(path.Join(mcpFolder, entry)); err == nil {
				r.report(place{file: file}, ConnectionDuplicate, "rename one of them", "there is a connection %s in %s/ already", name, mcpFolder)
			}
		}
		if c, ok := r.connection(file, name); ok {
			out = append(out, c)
		}
	}
	return out
}

// foreignKeys are keys of other programs' files and what is written here
// instead.
func foreignKeys() map[string]string {
	allow := `write approval: {"*": always} or {glob: never}; a tool that is not named asks never`
	return map[string]string{
		"serverUrl": "write url", "httpUrl": "write url",
		"disabled":    "begin the name of the file with _ to have it ignored",
		"enabled":     "begin the name of the file with _ to have it ignored",
		"autoApprove": allow, "alwaysAllow": allow,
		"disabledTools": "write tools: {deny: […]}", "enabledTools": "write tools: {allow: […]}",
		"envFile": "write env: {NAME: ${NAME}} for each variable",
	}
}

// pasted reports what is copied from a file of many servers.
func (d document) pasted(n *yaml.Node) bool {
	for _, key := range []string{"mcpServers", "servers"} {
		block := value(n, key)
		if block == nil || block.Kind != yaml.MappingNode {
			continue
		}
		var files []string
		for k := range pairs(block) {
			files = append(files, path.Join(path.Dir(d.file), k.Value+".yaml"))
		}
		fix := "write what is below the name of the server into a file of that name"
		if len(files) > 0 {
			fix = "write one file a server, with what is below its name: " + strings.Join(files[:min(len(files), 20)], ", ")
		}
		d.report(d.at(find(n, key)), KeyUnknown, fix, "a file here is one server, not a list of them under %s", key)
		return true
	}
	return false
}

// connection reads one server.
func (r *agentReader) connection(file, name string) (agent.Connection, bool) {
	c := connectionReader{agentReader: r, out: agent.Connection{Name: name, Cwd: r.dir}, where: "the agent's folder"}
	text, ok := r.text(file)
	if !ok {
		return c.out, false
	}
	c.document = document{folder: r.folder, file: file}
	n := c.parse([]byte(text))
	if n == nil || c.pasted(n) {
		return c.out, false
	}
	before := len(r.problems)
	c.read(n)
	failed, _ := Count(r.problems[before:])
	return c.out, failed == 0
}

// A connectionReader reads the file of a connection.
type connectionReader struct {
	*agentReader
	document
	out   agent.Connection
	where string // Cwd, for a sentence
}

func (c *connectionReader) read(whole *yaml.Node) {
	n := c.ours(whole)
	var transports []*yaml.Node
	var command, url *yaml.Node
	out := &c.out
	c.fields(n, "a connection", []field{
		{"description", func(v *yaml.Node) { c.str(v, "description", &out.Description) }},
		{"command", func(v *yaml.Node) { command = v }},
		{"args", func(v *yaml.Node) { out.Args = c.args(v) }},
		{"env", func(v *yaml.Node) { out.Env = c.environment(v) }},
		{"cwd", c.cwd},
		{"url", func(v *yaml.Node) { url = v }},
		{"headers", func(v *yaml.Node) { out.Headers = c.headers(v, "headers") }},
		{"type", func(v *yaml.Node) { transports = append(transports, v) }},
		{"transport", func(v *yaml.Node) { transports = append(transports, v) }},
		{"tools", func(v *yaml.Node) { c.selection(v) }},
		{"advertise", func(v *yaml.Node) { c.advertise(v) }},
		{"approval", func(v *yaml.Node) { out.Approval = c.approvals(v) }},
		{"roots", func(v *yaml.Node) { c.roots(v) }},
		{"timeout", func(v *yaml.Node) { c.duration(v, "timeout", &out.Timeout) }},
		{"totalTimeout", func(v *yaml.Node) { c.duration(v, "totalTimeout", &out.TotalTimeout) }},
		{"connectTimeout", func(v *yaml.Node) { c.duration(v, "connectTimeout", &out.ConnectTimeout) }},
	})
	if key := c.reach(n); key != "" {
		for _, v := range transports {
			c.transport(v, key)
		}
	}
	if command != nil && c.resolve(command, "command", &out.Command) {
		c.program(command)
	}
	if url != nil && c.resolve(url, "url", &out.URL) && !c.open(out.URL) {
		if u, ok := c.endpoint(url, "url", out.URL); ok {
			c.checkSecure(url, "url", u, out.Headers)
		}
	}
	if out.TotalTimeout > 0 && out.Timeout > out.TotalTimeout {
		c.invalid(value(n, "totalTimeout"), "write a longer one, or a shorter timeout", "totalTimeout: %s is less than timeout, %s", out.TotalTimeout, out.Timeout)
	}
}

// ours is n without the keys of other programs, which are reported.
func (c *connectionReader) ours(n *yaml.Node) *yaml.Node {
	foreign := foreignKeys()
	own := *n
	own.Content = nil
	for k, v := range pairs(n) {
		if fix := foreign[k.Value]; fix != "" {
			c.document.report(c.at(k), KeyUnknown, fix, "a connection has no key %s", quote(k.Value))
			continue
		}
		own.Content = append(own.Content, k, v)
	}
	return &own
}

// reach checks that a connection says in one way how it is reached, and
// returns the key that says it, or "".
func (c *connectionReader) reach(n *yaml.Node) string {
	command, url := find(n, "command"), find(n, "url")
	switch {
	case command == nil && url == nil:
		c.document.report(c.at(n), KeyMissing, "write command: npx and args: […], or url: https://…", "the connection has neither command nor url")
		return ""
	case command != nil && url != nil:
		c.invalid(url, "keep one of them; a second server is a file of its own", "a connection has command or url, not both")
		return ""
	}
	key, others := "url", []string{"args", "env", "cwd"}
	if command != nil {
		key, others = "command", []string{"headers"}
	}
	for _, other := range others {
		if k := find(n, other); k != nil {
			c.invalid(k, "remove it", "%s: a connection with %s has none", other, key)
		}
	}
	return key
}

// transport checks that type, which files of other programs have, agrees with
// the key that says how the server is reached.
func (c *connectionReader) transport(v *yaml.Node, key string) {
	var name string
	if !c.str(v, "type", &name) {
		return
	}
	known := map[string]string{"stdio": "command", "http": "url", "streamable-http": "url", "streamableHttp": "url"}
	switch want, ok := known[name]; {
	case name == "sse":
		c.invalid(v, "remove it and name the server's endpoint for streamable HTTP in url; it often ends in /mcp",
			"type: sse is the transport that streamable HTTP took the place of, and is not spoken here")
	case !ok:
		fix := "remove it: command or url says it"
		if guess := near(name, slices.Sorted(maps.Keys(known))); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		c.invalid(v, fix, "type: want stdio, http or streamable-http, got %s", quote(name))
	case want != key:
		c.invalid(v, "remove it: command or url says it", "type: %s contradicts %s", name, key)
	}
}

func (c *connectionReader) args(v *yaml.Node) []string {
	items, ok := c.strs(v, "args")
	if !ok {
		return nil
	}
	var out []string
	for _, item := range items {
		var s string
		if c.resolve(item, "an item of args", &s) {
			out = append(out, s)
		}
	}
	return out
}

// environment reads what a server's environment has beside the fixed part.
func (c *connectionReader) environment(v *yaml.Node) map[string]string {
	if !c.is(v, yaml.MappingNode, "env", "a mapping of names to strings, such as {TOKEN: ${TOKEN}}") {
		return nil
	}
	out := make(map[string]string, len(v.Content)/2)
	for k, v := range pairs(v) {
		var s string
		switch {
		case !variablePattern.MatchString(k.Value):
			c.invalid(k, "", "env: %s is not the name of a variable", quote(k.Value))
		case !c.resolve(v, "env."+k.Value, &s):
		case strings.ContainsRune(s, 0):
			c.invalid(v, "", "env.%s: a variable holds no zero byte", k.Value)
		default:
			out[k.Value] = s
		}
	}
	return out
}

// cwd reads where a server runs, relative to the agent's folder.
func (c *connectionReader) cwd(v *yaml.Node) {
	var dir string
	if !c.resolve(v, "cwd", &dir) {
		return
	}
	c.out.Cwd, c.where = dir, "cwd"
	if c.open(dir) {
		return
	}
	if !filepath.IsAbs(dir) {
		c.out.Cwd = filepath.Join(c.dir, filepath.FromSlash(dir))
	}
	if info, err := os.Stat(c.out.Cwd); err != nil || !info.IsDir() {
		c.invalid(v, "name a folder, relative to that of the agent", "cwd: there is no folder %s", quote(v.Value))
	}
}

func (c *connectionReader) program(v *yaml.Node) {
	if c.open(c.out.Cwd) {
		return
	}
	_, ownPath := c.out.Env["PATH"]
	program, ok := c.startable(c.document, starter{node: v, what: "command", name: c.out.Command, dir: c.out.Cwd, where: c.where, args: true}, !ownPath)
	if ok {
		c.out.Command = program
	}
}

// selection reads which tools of a server there are.
func (c *connectionReader) selection(v *yaml.Node) {
	if v.Kind == yaml.SequenceNode {
		c.document.report(c.at(v), ValueType, "write tools: {allow: […]}", "tools: want a mapping {allow, deny}, got a list")
		return
	}
	if !c.is(v, yaml.MappingNode, "tools", "a mapping {allow, deny}") {
		return
	}
	c.fields(v, "tools", []field{
		{"allow", func(v *yaml.Node) {
			c.out.Allow = c.globs(v, "tools.allow")
			if v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
				c.invalid(v, "remove it to take all, or write deny: [\"*\"]", "tools.allow: an empty list would allow all")
			}
		}},
		{"deny", func(v *yaml.Node) { c.out.Deny = c.globs(v, "tools.deny") }},
	})
}

// globs reads a list of globs over names of tools.
func (c *connectionReader) globs(v *yaml.Node, what string) []string {
	items, _ := c.strs(v, what)
	var out []string
	for _, item := range items {
		if c.glob(item, what) {
			out = append(out, item.Value)
		}
	}
	return out
}

func (c *connectionReader) glob(n *yaml.Node, what string) bool {
	if n.Value != "" && doublestar.ValidatePattern(n.Value) {
		return true
	}
	c.invalid(n, "", "%s: %s is not a glob", what, quote(n.Value))
	return false
}

// advertise reads the names that the agent sees.
func (c *connectionReader) advertise(v *yaml.Node) {
	if !c.is(v, yaml.MappingNode, "advertise", "a mapping {prefix, rename}") {
		return
	}
	var prefix, rename *yaml.Node
	c.fields(v, "advertise", []field{
		{"prefix", func(v *yaml.Node) { prefix = v }},
		{"rename", func(v *yaml.Node) { rename = v }},
	})
	if prefix != nil {
		c.checked(prefix, "advertise.prefix", nameRule, namePattern.MatchString, &c.out.Prefix)
	}
	if rename == nil || !c.is(rename, yaml.MappingNode, "advertise.rename", "a mapping of the server's names to others") {
		return
	}
	c.out.Rename = map[string]string{}
	taken := map[string]bool{}
	for up, v := range pairs(rename) {
		var down string
		whole := c.out.Prefix + v.Value
		switch what := "advertise.rename." + up.Value; {
		case !c.checked(v, what, nameRule, namePattern.MatchString, &down):
		case !namePattern.MatchString(whole):
			c.invalid(v, "write a shorter one", "%s: with the prefix it has %d characters; the limit is 64", what, len(whole))
		case taken[down]:
			c.invalid(v, "write another", "%s: another tool is called %s already", what, down)
		default:
			taken[down] = true
			c.out.Rename[up.Value] = down
		}
	}
}

// approvals reads how often tools ask.
func (c *connectionReader) approvals(v *yaml.Node) map[string]agent.ApprovalMode {
	if isString(v) {
		c.document.report(c.at(v), ValueType, `write {"*": `+v.Value+"}", "approval: want a mapping of globs to never, once or always, got %s", describe(v))
		return nil
	}
	if !c.is(v, yaml.MappingNode, "approval", "a mapping of globs to never, once or always") {
		return nil
	}
	out := map[string]agent.ApprovalMode{}
	for glob, v := range pairs(v) {
		var mode agent.ApprovalMode
		oneOf(c.document, v, "approval."+glob.Value, []agent.ApprovalMode{agent.Never, agent.Once, agent.Always}, &mode)
		if c.glob(glob, "approval") && mode != "" {
			out[glob.Value] = mode
		}
	}
	return out
}

func (c *connectionReader) roots(v *yaml.Node) {
	var roots string
	oneOf(c.document, v, "roots", []string{"workspace", "none"}, &roots)
	c.out.NoRoots = roots == "none"
}
