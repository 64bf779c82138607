package agentdir

import (
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

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
	if target != nil {
		if u, ok := p.url(target, &t.URL); ok {
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
			p.check(v, "http.query."+k.Value, s)
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

// url reads where a request goes: first where that is, with variables, then
// path and query, with placeholders. What callers send never reaches the part
// that says so, nor does it stand in the value of a variable.
func (p *placeholders) url(v *yaml.Node, into *string) (*url.URL, bool) {
	const what = "http.url"
	var whole string
	if !p.str(v, what, &whole) {
		return nil, false
	}
	end := baseEnd(whole)
	base, rest := whole[:end], whole[end:]
	bare, _, malformed := substitute(base, func(string) string { return "x" })
	if malformed == "" && strings.ContainsAny(bare, "{}") {
		p.report(p.at(v), PlaceholderInvalid, "write them out, or as a variable: ${NAME}",
			"%s: where a request goes is the author's to say: scheme and host have no placeholder", what)
		return nil, false
	}
	target, fine := p.check(v, what, rest)
	if !p.substituted(v, what, base, &base) || !fine {
		return nil, false
	}
	if p.open(base) {
		*into = whole
		return nil, false
	}
	if end < len(whole) && strings.ContainsAny(base, "?#") {
		p.invalid(v, "write them behind the variable, or all of the URL into it", "%s: a variable has a query or fragment in its value, and more of the URL follows", what)
		return nil, false
	}
	if strings.HasPrefix(rest, "/") {
		base = strings.TrimSuffix(base, "/")
	}
	filled, _ := target.Expand(func(string) (string, error) { return "x", nil })
	*into = strings.NewReplacer("{", "{{", "}", "}}").Replace(base) + rest
	return p.endpoint(v, what, base+filled)
}

// baseEnd returns where scheme and host of a URL with variables end.
func baseEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, "${"):
			if i += strings.IndexByte(rest+"}", '}'); i >= len(s) {
				return len(s)
			}
		case strings.HasPrefix(rest, "://"):
			i += len("//")
		case strings.IndexByte("/?#", s[i]) >= 0:
			return i
		}
	}
	return len(s)
}
