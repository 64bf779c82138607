package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// detail and listing are honest answers, for fakes that lie only when called.
const (
	detail  = `{"name":"t","description":"A tool.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"source":{"kind":"authored"}}`
	listing = `{"tools":[{"name":"t","source":{"kind":"authored"}}],"unavailable":[]}`
)

func reply(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// honest answers all but calls as a server would.
func honest(call http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/tools/"):
			call(w, r)
		case strings.HasSuffix(r.URL.Path, "/tools"):
			reply(w, 200, "application/json", listing)
		case strings.HasSuffix(r.URL.Path, "/tools/t"):
			reply(w, 200, "application/json", detail)
		default:
			reply(w, 404, "application/json", `{"error":{"code":"not_found","message":"no"}}`)
		}
	}
}

func text(s string) string {
	return fmt.Sprintf(`{"session":"ses_1","callId":"c","content":[{"type":"text","text":%q}],"isError":false}`, s)
}

// fakes are servers that do not behave.
var fakes = map[string]http.HandlerFunc{
	"evil": func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, "application/json", `{"tools":[{"name":"$(rm -rf x)","source":{"kind":"authored"}},{"name":"t","source":{"kind":"authored"}}],"unavailable":[]}`)
	},
	"html502": func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 502, "text/html", "<html><body>Bad gateway</body></html>")
	},
	"login": func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, "text/html", "<!doctype html><title>Sign in</title>")
	},
	"empty":     func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", "") },
	"truncated": honest(func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", text("hello")[:40]) }),
	"huge": honest(func(w http.ResponseWriter, _ *http.Request) {
		body := text("@")
		reply(w, 200, "application/json", strings.Replace(body, "@", strings.Repeat("a", 16<<20+1-len(body)+1), 1))
	}),
	"cut": honest(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		reply(w, 200, "application/json", `{"session":`)
	}),
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
	},
	"escapes": honest(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 500, "application/json", `{"error":{"code":"internal","message":"bad \u001b[2J\u009b\u202e end"}}`)
	}),
	"echoes": func(w http.ResponseWriter, r *http.Request) {
		reply(w, 401, "application/json", fmt.Sprintf(`{"error":{"code":"unauthorized","message":%q}}`, "no: "+r.Header.Get("Authorization")))
	},
	"nothing": honest(func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", "{}") }),
	"nowhere": honest(func(w http.ResponseWriter, _ *http.Request) { reply(w, 302, "application/json", text("moved")) }),
	"problem": honest(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 503, "application/problem+json", `{"title":"no upstream"}`)
	}),
	"another": func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", detail) },
	"silent": honest(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, "application/json", `{"session":"ses_1","content":[],"isError":true}`)
	}),
	"wrongtypes": honest(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, "application/json", `{"session":1,"content":"x"}`)
	}),
}

// fake NAME serves one of the fakes and sets AGENT_SHELL_TARGET to it;
// "closed" is an address where nobody listens.
func startFake(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "closed" {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Check(ln.Close())
		ts.Setenv("AGENT_SHELL_TARGET", "http://"+ln.Addr().String()+"/a")
		return
	}
	h, ok := fakes[args[0]]
	if !ok {
		ts.Fatalf("no fake %s", args[0])
	}
	srv := httptest.NewServer(h)
	ts.Defer(srv.Close)
	ts.Setenv("AGENT_SHELL_TARGET", srv.URL+"/a")
}
