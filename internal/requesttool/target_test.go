package requesttool

import (
	"encoding/json"
	"strings"
	"testing"

	"agsh.dev/agent"
)

func TestRequests(t *testing.T) {
	const base = "https://api.test"
	for _, tt := range []struct {
		name string
		r    agent.Request
		args string
		want string // URL, and the body after a space; or a part of the error
	}{
		{"nothing", agent.Request{URL: base}, ``, base + "/"},
		{"path", agent.Request{URL: base + "/a/{x}/b"}, `{"x":"v"}`, base + "/a/v/b"},
		{"a path value is escaped", agent.Request{URL: base + "/a/{x}/b"}, `{"x":"/?#%2e é;&"}`, base + "/a/%2F%3F%23%252e%20%C3%A9%3B%26/b"},
		{"a path value keeps digits", agent.Request{URL: base + "/{x}.json"}, `{"x":12345678901234567890}`, base + "/12345678901234567890.json"},
		{"the author's path stays", agent.Request{URL: base + "/v1/a%2Fb/{x}:run;v=1/é"}, `{"x":"m"}`, base + "/v1/a%2Fb/m:run;v=1/%C3%A9"},
		{"the author's braces", agent.Request{URL: base + "/{{x}}"}, ``, base + "/%7Bx%7D"},
		{"absent in the path", agent.Request{URL: base + "/a/{x}"}, `{}`, "argument x is missing: it stands in the path"},
		{"null in the path", agent.Request{URL: base + "/a/{x}"}, `{"x":null}`, "argument x is missing"},
		{"empty in the path", agent.Request{URL: base + "/a/{x}"}, `{"x":""}`, "argument x is empty"},
		{"dot", agent.Request{URL: base + "/a/{x}"}, `{"x":"."}`, `argument x: "." would lead elsewhere`},
		{"dots", agent.Request{URL: base + "/a/{x}/b"}, `{"x":".."}`, "would lead elsewhere"},
		{"dots with the author's dot", agent.Request{URL: base + "/a/%2e{x}"}, `{"x":"."}`, "would lead elsewhere"},
		{"dots behind a slash", agent.Request{URL: base + "/a/{x}"}, `{"x":"b/../../c"}`, "would lead elsewhere"},
		{"dots behind a backslash", agent.Request{URL: base + "/a/{x}"}, `{"x":"..\\c"}`, "would lead elsewhere"},
		{"dots in a name", agent.Request{URL: base + "/a/{x}"}, `{"x":"a..b..."}`, base + "/a/a..b..."},
		{"an array in the path", agent.Request{URL: base + "/a/{x}"}, `{"x":["a"]}`, "argument x: the path of a URL takes one text, number or boolean, not an array"},

		{"query", agent.Request{URL: base + "/s?q={x}&limit=10&raw"}, `{"x":"a&b=c d+#"}`, base + "/s?q=a%26b%3Dc%20d%2B%23&limit=10&raw"},
		{"absent in the query", agent.Request{URL: base + "/s?q={x}&p=a{x}&limit=10"}, `{}`, base + "/s?limit=10"},
		{"an array in the query", agent.Request{URL: base + "/s?q={x}"}, `{"x":["a","b c",1.0]}`, base + "/s?q=a&q=b%20c&q=1.0"},
		{"an object in the query", agent.Request{URL: base + "/s?q={x}"}, `{"x":{"a": 1}}`, base + "/s?q=%7B%22a%22%3A1%7D"},
		{
			"parameters",
			agent.Request{URL: base + "/s?a=1", Query: []agent.Parameter{{Name: "b[]", Value: "50% {x}"}, {Name: "c", Value: "{y}"}, {Name: "d", Value: "x"}}},
			`{"x":"&"}`, base + "/s?a=1&b%5B%5D=50%25%20%26&d=x",
		},

		{"the rest of a GET is its query", agent.Request{URL: base + "/{x}"}, `{"z":1.10,"x":"p","a":[true,"t"],"n":null,"a&b":""}`, base + "/p?z=1.10&a=true&a=t&a%26b="},
		{"the rest of a DELETE is its query", agent.Request{Method: "DELETE", URL: base + "/"}, `{"z":1}`, base + "/?z=1"},
		{"the rest of a POST is JSON, as it came", agent.Request{Method: "POST", URL: base + "/{x}?q={q}"}, `{"z":1.10,"x":"p","q":2,"a":{"k":[1e3,null]},"<":null}`, base + `/p?q=2 {"z":1.10,"a":{"k":[1e3,null]},"\u003c":null}`},
		{"a POST of nothing is an empty object", agent.Request{Method: "POST", URL: base + "/"}, ``, base + `/ {}`},
		{"form", agent.Request{Method: "POST", URL: base + "/", Body: "form"}, `{"a":"x y&","b":[1,2],"n":null}`, base + `/ a=x%20y%26&b=1&b=2`},
		{"a POST with a query", agent.Request{Method: "POST", URL: base + "/", Body: "query"}, `{"a":"x"}`, base + `/?a=x`},
		{"none", agent.Request{Method: "POST", URL: base + "/", Body: "none"}, `{"a":"x"}`, base + `/`},

		{"a name given twice", agent.Request{URL: base + "/{x}"}, `{"x":"a","x":"b"}`, "x is given more than once"},
		{"a host of a call", agent.Request{URL: "https://{x}/"}, `{"x":"a"}`, "a call cannot choose the host"},
		{"a part of a host", agent.Request{URL: "https://{x}.api.test"}, `{"x":"a"}`, "a call cannot choose the host"},
		{"a port of a call", agent.Request{URL: base + ":{x}/"}, `{"x":"a"}`, "a call cannot choose the host"},
		{"a scheme of a call", agent.Request{URL: "{x}://api.test/"}, `{"x":"https"}`, "does not begin with http"},
		{"another scheme", agent.Request{URL: "file:///etc/passwd"}, ``, "does not begin with http"},
		{"no host", agent.Request{URL: "https:///x"}, ``, "it has no host"},
		{"a name of a call", agent.Request{URL: base + "/?{x}=1"}, `{"x":"a"}`, "cannot choose the name of a query parameter"},
		{"a fragment", agent.Request{URL: base + "/#a"}, ``, "a fragment is never sent"},
		{"a broken escape", agent.Request{URL: base + "/%{x}"}, `{"x":"2f"}`, "invalid URL escape"},
		{"a broken template", agent.Request{URL: base + "/{x"}, ``, "a { has no } after it"},
		{"an unknown body", agent.Request{URL: base, Body: "xml"}, ``, `its body "xml" is none of`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool, err := newTool(tt.r, Config{}.withDefaults())
			var req request
			if err == nil {
				req, err = tool.request(json.RawMessage(tt.args))
			}
			if err != nil {
				if strings.HasPrefix(tt.want, base) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			got := req.url.String()
			if req.body != nil {
				got += " " + string(req.body)
			}
			if got != tt.want {
				t.Errorf("request\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestCredentialsInAURLAreRefusedAndNotRepeated(t *testing.T) {
	for _, u := range []string{"https://user:hunter2@api.test/", "ftp://user:hunter2@api.test/", "https://api.test/%zz?key=hunter2", "https://us\x00er:hunter2@api.test/"} {
		_, err := New(agent.Request{URL: u}, Config{}).Run(t.Context(), nil)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", u, err)
		}
	}
}

// Whatever a call sends, the request goes to the author's server, and its path
// has the author's segments.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"x":"..","y":"a"}`, `{"x":"/","y":"//evil.test"}`, `{"x":"@evil.test","y":"\\..\\","q":"&a=b#"}`,
		`{"x":1e3,"y":true,"q":[1,"#"]}`, `{"x":"\r\nHost: evil","y":"%2f..%2f"}`,
	} {
		f.Add(s)
	}
	tool, err := newTool(agent.Request{URL: "https://api.test:8443/v1/{x}/fixed/a{y}b?one=1&q={q}"}, Config{}.withDefaults())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args string) {
		req, err := tool.request(json.RawMessage(args))
		if err != nil {
			return
		}
		line := req.url.RequestURI() // what is sent
		if req.url.Scheme != "https" || req.url.Host != "api.test:8443" || req.url.User != nil || req.url.Fragment != "" {
			t.Fatalf("%s leads to %s", args, req.url)
		}
		path, query, _ := strings.Cut(line, "?")
		segments := strings.Split(path, "/")
		if len(segments) != 5 || segments[1] != "v1" || segments[3] != "fixed" || !strings.HasPrefix(segments[4], "a") || !strings.HasSuffix(segments[4], "b") {
			t.Errorf("%s makes the path %s", args, path)
		}
		if x := segments[2]; x == "" || x == "." || x == ".." {
			t.Errorf("%s makes the path %s", args, path)
		}
		if !strings.HasPrefix(query, "one=1") || strings.ContainsAny(line, " \r\n\t#\\") {
			t.Errorf("%s makes the line %q", args, line)
		}
	})
}
