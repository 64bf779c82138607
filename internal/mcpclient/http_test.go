package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/mcptest"
)

// web is a pool with one connection, to a handler.
func web(t testing.TB, h http.Handler, c agent.Connection) *Pool {
	server := httptest.NewServer(h)
	c.Name, c.URL = "box", server.URL+"/mcp?key=query-secret"
	p := New([]agent.Connection{c}, Config{})
	t.Cleanup(func() {
		p.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return p
}

func TestR33_ForgottenSession(t *testing.T) {
	for name, tt := range map[string]struct {
		forgets    func(session string, call int) bool
		handshakes int
		fails      string
	}{
		"once":   {func(_ string, call int) bool { return call == 1 }, 2, ""},
		"always": {func(string, int) bool { return true }, 2, "does not know the session"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serverOf(mcptest.Tool{Name: "echo"})
			var calls atomic.Int32
			var mu sync.Mutex
			var opened []string // session headers of handshakes
			s.Refuse = func(w http.ResponseWriter, r *http.Request, method string) bool {
				switch method {
				case "initialize":
					mu.Lock()
					opened = append(opened, r.Header.Get(mcptest.Header))
					mu.Unlock()
				case "tools/call":
					if tt.forgets(r.Header.Get(mcptest.Header), int(calls.Add(1))) {
						http.NotFound(w, r)
						return true
					}
				}
				return false
			}
			p := web(t, s, agent.Connection{})
			if err := p.Tools(t.Context()).Connections[0].Err; err != nil {
				t.Fatal(err)
			}
			_, err := p.Call(t.Context(), "box", "echo", nil)
			if (err == nil) != (tt.fails == "") || !strings.Contains(reason(err), tt.fails) {
				t.Errorf("Call = %v, want %q", err, tt.fails)
			}
			if calls.Load() != 2 {
				t.Errorf("%d calls, want 2", calls.Load())
			}
			if diff := cmp.Diff(make([]string, tt.handshakes), opened); diff != "" {
				t.Errorf("session headers of handshakes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestR33_WrongAddress(t *testing.T) {
	var handshakes atomic.Int32
	s := serverOf()
	s.Refuse = func(w http.ResponseWriter, r *http.Request, method string) bool {
		if method == "initialize" {
			handshakes.Add(1)
		}
		http.NotFound(w, r)
		return true
	}
	p := web(t, s, agent.Connection{})
	err := p.Tools(t.Context()).Connections[0].Err
	if err == nil || !strings.Contains(err.Error(), "no MCP server answers at http://") || strings.Contains(err.Error(), "query-secret") {
		t.Errorf("error: %v", err)
	}
	if handshakes.Load() != 1 {
		t.Errorf("%d handshakes, want 1", handshakes.Load())
	}
}

func TestHTTPStatusIsNamed(t *testing.T) {
	for status, want := range map[int]string{401: "401 Unauthorized and wants credentials (Bearer)", 403: "403 Forbidden", 418: "418"} {
		s := serverOf()
		s.Refuse = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("WWW-Authenticate", `Bearer realm="www-secret"`)
			w.WriteHeader(status)
			return true
		}
		p := web(t, s, agent.Connection{Headers: map[string]string{"Authorization": "Bearer header-secret"}})
		err := p.Tools(t.Context()).Connections[0].Err
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "-secret") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestHTTPKinds(t *testing.T) {
	const data = `{"z":12345678901234567890,"a":1.10}`
	echo := mcptest.Tool{Name: "echo", Call: func(_ context.Context, c *mcptest.Call) json.RawMessage {
		c.Progress(1)
		return json.RawMessage(`{"content":[{"type":"hologram"}],"structuredContent":` + string(c.Arguments) + `}`)
	}}
	for name, how := range map[string]func(s *mcptest.Server){
		"streams":           func(*mcptest.Server) {},
		"plain JSON":        func(s *mcptest.Server) { s.PlainJSON = true },
		"no notices":        func(s *mcptest.Server) { s.Listen = "none" },
		"notices that hang": func(s *mcptest.Server) { s.Listen = "hang" },
		"no sessions":       func(s *mcptest.Server) { s.Stateless = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serverOf(echo)
			how(s)
			var bare atomic.Int32
			s.Refuse = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
				if r.Header.Get("X-Key") != "v" {
					bare.Add(1)
				}
				return false
			}
			p := web(t, s, agent.Connection{Headers: map[string]string{"X-Key": "v"}})
			p.Tools(t.Context())
			for range 2 {
				res, err := p.Call(t.Context(), "box", "echo", json.RawMessage(data))
				if err != nil {
					t.Fatal(err)
				}
				if string(res.Structured) != data || res.Content[0].Text != `{"type":"hologram"}` {
					t.Errorf("result: %+v", res)
				}
			}
			if bare.Load() != 0 {
				t.Errorf("%d requests without the header", bare.Load())
			}
		})
	}
}

func TestHTTPNoticesAndCancel(t *testing.T) {
	ended := make(chan struct{})
	s := serverOf(mcptest.Tool{Name: "slow", Call: func(ctx context.Context, _ *mcptest.Call) json.RawMessage {
		<-ctx.Done()
		close(ended)
		return nil
	}})
	cancelled := make(chan struct{})
	s.Refuse = func(_ http.ResponseWriter, _ *http.Request, method string) bool {
		if method == "notifications/cancelled" {
			close(cancelled)
		}
		return false
	}
	p := web(t, s, agent.Connection{Timeout: 50 * time.Millisecond})
	p.Tools(t.Context())
	if _, err := p.Call(t.Context(), "box", "slow", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Call = %v", err)
	}
	<-ended
	<-cancelled
	// The stream of notices may be a moment behind the handshake.
	for len(namesOf(p.Now().Connections[0])) != 2 {
		s.Offer(1, numbered(2)...)
		time.Sleep(5 * time.Millisecond)
	}
}

// A stream that breaks within a call is taken up again, and so is the raw
// result.
func TestBrokenStreamIsResumed(t *testing.T) {
	s := serverOf(mcptest.Tool{Name: "echo"})
	var id atomic.Value
	p := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case m.Method == "tools/call":
			id.Store(string(m.ID))
			_, _ = io.WriteString(w, "id: 1\nretry: 1\ndata:\n\n")
		case r.Header.Get("Last-Event-Id") == "1":
			_, _ = io.WriteString(w, "id: 2\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":"+id.Load().(string)+",\r\ndata: \"result\":{\"content\":[],\"structuredContent\":{\"n\":1.10}}}\r\n\r\n")
		default:
			w.Header().Del("Content-Type")
			r.Body = io.NopCloser(bytes.NewReader(body))
			s.ServeHTTP(w, r)
		}
	}), agent.Connection{})
	p.Tools(t.Context())
	res, err := p.Call(t.Context(), "box", "echo", nil)
	if err != nil || string(res.Structured) != `{"n":1.10}` {
		t.Errorf("Call = %s, %v", res.Structured, err)
	}
}

func TestRedirectElsewhereIsRefused(t *testing.T) {
	var leaked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) { leaked.Add(1) }))
	defer other.Close()
	p := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}), agent.Connection{})
	err := p.Tools(t.Context()).Connections[0].Err
	if err == nil || !strings.Contains(err.Error(), "redirects to another address") || leaked.Load() != 0 {
		t.Errorf("error: %v; %d requests went there", err, leaked.Load())
	}
}

// The SDK's own servers, of both generations of the protocol.
func TestSDKServers(t *testing.T) {
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{
		"with sessions": {}, "stateless": {Stateless: true}, "plain JSON": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "sdk"}, nil)
			add := func(name string) {
				server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","title":"T"}`)},
					func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return &mcp.CallToolResult{StructuredContent: req.Params.Arguments}, nil
					})
			}
			add("echo")
			p := web(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opts), agent.Connection{})
			l := p.Tools(t.Context()).Connections[0]
			if l.Err != nil || len(l.Tools) != 1 {
				t.Fatalf("listed: %+v", l)
			}
			if got := string(l.Tools[0].Input); got != `{"type":"object","title":"T"}` {
				t.Errorf("schema: %s", got)
			}
			const data = `{"z":12345678901234567890,"a":1.10}`
			res, err := l.Tools[0].Run(t.Context(), json.RawMessage(data))
			if err != nil || string(res.Structured) != data {
				t.Errorf("Run = %s, %v", res.Structured, err)
			}
			add("more")
			for len(p.Now().Connections[0].Tools) != 2 {
				time.Sleep(time.Millisecond)
			}
		})
	}
}
