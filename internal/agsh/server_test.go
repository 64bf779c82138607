package agsh

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agsh.dev/internal/term"
)

// A server is an agent named agent whose tools give back their arguments. It
// keeps the requests it got, as METHOD path?query body.
type server struct {
	mu          sync.Mutex
	tools       []string
	unavailable []string          // connections
	schema      map[string]string // of a tool, if it is not everything
	etag        int
	latest      string            // the session with that name, "" for none
	tokens      map[string]string // session by continuation token
	approval    map[string]bool
	effect      string // of every tool
	// call, if set, answers calls.
	call     http.HandlerFunc
	requests []string
	url      string
}

func newServer(t *testing.T, tools ...string) *server {
	t.Helper()
	s := &server{tools: tools, schema: map[string]string{}, tokens: map[string]string{}, approval: map[string]bool{}, etag: 1}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL + "/agent"
	return s
}

// run runs agsh against the server with a script or other input.
func (s *server) run(t *testing.T, in string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	tm, out, errOut := term.Test(in, "AGENT_SHELL_TARGET="+s.url, "HOME="+t.TempDir())
	code = Run(t.Context(), tm, args)
	return out.String(), errOut.String(), code
}

// asked returns the requests since the last time, of the methods.
func (s *server) asked(methods string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.requests {
		method, _, _ := strings.Cut(r, " ")
		if strings.Contains(methods, method) {
			out = append(out, r)
		}
	}
	s.requests = nil
	return out
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Args                       json.RawMessage
		Session, ContinuationToken string
		Approve                    bool
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/agent/v1")
	line := r.Method + " " + path
	if r.URL.RawQuery != "" {
		line += "?" + r.URL.RawQuery
	}
	if r.Method == http.MethodPost {
		line += fmt.Sprintf(" %s session=%s token=%s approve=%v", body.Args, body.Session, body.ContinuationToken, body.Approve)
	}
	s.requests = append(s.requests, line)
	name, isTool := strings.CutPrefix(path, "/tools/")
	switch {
	case path == "/info":
		s.answer(w, 200, map[string]any{"name": "agent", "description": "An agent."})
	case path == "/tools":
		session := s.tokens[r.URL.Query().Get("continuationToken")]
		var tools []map[string]any
		for _, t := range s.tools {
			tools = append(tools, map[string]any{"name": t, "title": "Does " + t})
		}
		away := []map[string]any{}
		for _, name := range s.unavailable {
			away = append(away, map[string]any{"connection": name, "error": "down"})
		}
		s.answer(w, 200, map[string]any{"tools": tools, "session": session, "unavailable": away})
	case isTool && r.Method == http.MethodGet:
		s.detail(w, name)
	case isTool && s.call != nil:
		call := s.call
		s.mu.Unlock()
		call(w, r)
		s.mu.Lock()
	case isTool && s.find(name) != name:
		s.fail(w, 404, "tool_not_found", "no tool "+name)
	case isTool && s.approval[name] && !body.Approve:
		s.fail(w, 409, "approval_required", name+" needs approval")
	case isTool:
		session := body.Session
		switch {
		case body.ContinuationToken != "":
			session = s.tokens[body.ContinuationToken]
		case session == "latest" && s.latest == "":
			s.latest, session = "ses_new", "ses_new"
		case session == "latest":
			session = s.latest
		}
		s.answer(w, 200, map[string]any{
			"session": session, "callId": "c", "isError": name == "fail",
			"content": []map[string]string{{"type": "text", "text": string(body.Args) + "\n"}},
		})
	case path == "/sessions" && r.Method == http.MethodPost:
		s.latest = "ses_made"
		s.answer(w, 201, map[string]string{"session": s.latest, "continuationToken": "tok"})
	case path == "/sessions/latest" && s.latest != "":
		s.answer(w, 200, map[string]string{"session": s.latest})
	case path == "/sessions/ses_named":
		s.answer(w, 200, map[string]string{"session": "ses_named"})
	default:
		s.fail(w, 404, "session_not_found", "no session "+path)
	}
}

// find is the real name of a tool, "" if there is none or not only one.
func (s *server) find(typed string) string {
	found, n := "", 0
	for _, t := range s.tools {
		if t == typed {
			return t
		}
		if strings.EqualFold(t, typed) {
			found = t
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return found
}

func (s *server) detail(w http.ResponseWriter, typed string) {
	name := s.find(typed)
	if name == "" {
		s.fail(w, 404, "tool_not_found", "no tool "+typed)
		return
	}
	schema := s.schema[name]
	if schema == "" {
		schema = `{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}}`
	}
	s.answer(w, 200, map[string]any{"name": name, "description": "A tool.", "effect": s.effect, "inputSchema": json.RawMessage(schema)})
}

func (s *server) answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, s.etag))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *server) fail(w http.ResponseWriter, status int, code, message string) {
	s.answer(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

// change gives the server other tools.
func (s *server) change(tools ...string) {
	s.tools = tools
	s.etag++
}
