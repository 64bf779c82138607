package agentdir

import (
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

// yamlTool reads a tool that is only YAML: a command line or a request.
func (r *agentReader) yamlTool(name string, files toolFiles) {
	file := files.alone
	if len(files.programs) > 0 {
		r.report(place{file: file}, ToolDuplicate, "rename or remove one of them; the manifest of a program is called "+name+sidecarEnd,
			"the tool %s is %s already", name, files.programs[0])
		return
	}
	r.toolName(file, name)
	text, ok := r.text(file)
	if !ok {
		return
	}
	d := document{folder: r.folder, file: file}
	n := d.parse([]byte(text))
	if n == nil {
		return
	}
	command, request := find(n, "command"), find(n, "http")
	if command == nil && request == nil {
		d.report(d.at(n), KeyMissing, "write command: [program, argument] or http: {url: …}; the manifest of a program is called "+name+sidecarEnd,
			"the tool does not say what it runs")
	}
	if command != nil && request != nil {
		d.report(d.at(request), ValueInvalid, "keep one of them", "a tool is a command or a request, not both")
	}
	if command == nil && request != nil {
		if t, ok := r.requestTool(d, n, name); ok {
			r.agent.Requests = append(r.agent.Requests, t)
		}
	} else if t, ok := r.commandTool(d, n, name); ok && command != nil && request == nil {
		r.agent.Commands = append(r.agent.Commands, t)
	}
}

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
		list, fine := p.check(w, "command")
		ok = ok && fine
		t.Argv = append(t.Argv, w.Value)
		if i > 0 || !fine {
			continue
		}
		program, literal := plainText(list)
		if !literal {
			d.report(d.at(w), PlaceholderInvalid, "name the program", "command: which program runs is the author's to say: the first word has no placeholder")
			ok = false
			continue
		}
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

// plainText is a text without placeholders; it reports false for others.
func plainText(list []part) (string, bool) {
	var b strings.Builder
	for _, p := range list {
		if p.name != "" {
			return "", false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
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

// requestTool reads a tool that is an HTTP request.
func (r *agentReader) requestTool(d document, n *yaml.Node, name string) (agent.Request, bool) {
	var t agent.Request
	var http *yaml.Node
	before := len(r.problems)
	d.fields(n, "a tool that is a request", append(d.definition(&t.Definition), field{"http", func(v *yaml.Node) { http = v }}))
	t.Name = name
	d.checkDefinition(n, &t.Definition)
	if http == nil || !d.is(http, yaml.MappingNode, "http", "a mapping such as {url: https://example.com/items}") {
		return t, false
	}
	p := d.placeholders(n)
	var target *yaml.Node
	d.fields(http, "http", []field{
		{"method", func(v *yaml.Node) {
			oneOf(d, v, "http.method", []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, &t.Method)
		}},
		{"url", func(v *yaml.Node) { target = v }},
		{"query", func(v *yaml.Node) { t.Query = p.query(v) }},
		{"headers", func(v *yaml.Node) { t.Headers = d.headers(v, "http.headers"); p.refuse(v) }},
		{"body", func(v *yaml.Node) { oneOf(d, v, "http.body", []string{"json", "form", "query", "none"}, &t.Body) }},
		{"allowPrivate", func(v *yaml.Node) { d.boolean(v, "http.allowPrivate", &t.AllowPrivate) }},
	})
	if find(http, "url") == nil {
		d.report(d.at(http), KeyMissing, "write url: https://…", "http has no url")
	}
	if target != nil && d.str(target, "http.url", &t.URL) {
		if u, ok := p.url(target); ok {
			d.checkSecure(target, "http.url", u, t.Headers)
		}
	}
	if bodiless := t.Method == "" || t.Method == "GET" || t.Method == "HEAD"; bodiless && (t.Body == "json" || t.Body == "form") {
		d.invalid(value(http, "body"), "remove it, or write method: POST", "http.body: a GET or HEAD request has no body")
	}
	if t.Body == "none" {
		p.checkUnused("the request")
	}
	failed, _ := Count(r.problems[before:])
	return t, failed == 0
}

// query reads parameters, in order.
func (p *placeholders) query(v *yaml.Node) []agent.Parameter {
	if !p.is(v, yaml.MappingNode, "http.query", "a mapping of names to strings") {
		return nil
	}
	var out []agent.Parameter
	for k, v := range pairs(v) {
		var s string
		if p.str(v, "http.query."+k.Value, &s) {
			p.check(v, "http.query."+k.Value)
			out = append(out, agent.Parameter{Name: k.Value, Value: s})
		}
	}
	return out
}

// refuse reports placeholders in headers.
func (p *placeholders) refuse(headers *yaml.Node) {
	for k, v := range pairs(headers) {
		for _, name := range p.names {
			if i := strings.Index(v.Value, "{"+name.Value+"}"); i >= 0 && !strings.HasSuffix(v.Value[:i], "$") {
				p.report(p.at(v), PlaceholderInvalid, "write it into url, query or the body", "http.headers.%s: headers have no placeholders", k.Value)
				break
			}
		}
	}
}

// url checks where a request goes. What callers send never reaches the part
// that says so.
func (p *placeholders) url(v *yaml.Node) (*url.URL, bool) {
	const what = "http.url"
	end := strings.Index(v.Value, "://")
	if end < 0 {
		end = 0
	} else {
		end += len("://")
	}
	rest := strings.IndexAny(v.Value[end:], "/?#")
	if rest < 0 {
		rest = len(v.Value) - end
	}
	if strings.ContainsAny(v.Value[:end+rest], "{}") {
		p.report(p.at(v), PlaceholderInvalid, "write the scheme and the host out", "%s: where a request goes is the author's to say: scheme and host have no placeholder", what)
		return nil, false
	}
	list, ok := p.check(v, what)
	if !ok {
		return nil, false
	}
	var filled strings.Builder
	for _, part := range list {
		if part.name != "" {
			filled.WriteByte('x')
		}
		filled.WriteString(part.text)
	}
	return p.endpoint(v, what, filled.String())
}
