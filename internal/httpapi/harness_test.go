package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/host"
	"agsh.dev/internal/httpapi"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
)

// A served is an API on a loopback port, with agents "one" and "two".
type served struct {
	t    *testing.T
	url  string
	host *host.Host
	log  *lines
	// holds blocks calls of tool hold until something is sent or ctx ends.
	holds   chan struct{}
	holding chan struct{} // a hold begins
	closing <-chan struct{}
	stop    context.CancelFunc // begins the end of the server
	closed  chan struct{}      // the server closes a connection that was in use
}

// lines is a log that may be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func fn(name string, def agent.Definition, run func(context.Context, json.RawMessage) (agent.Result, error)) agent.AnyTool {
	def.Name = name
	return agent.Func{Definition: def, Run: run}
}

func text(s string) agent.Result { return agent.Result{Content: []event.Block{event.Text(s)}} }

// serveAPI serves over store; change may alter the configuration.
func serveAPI(t *testing.T, store session.Store, change func(*httpapi.Config)) *served {
	t.Helper()
	s := &served{t: t, log: &lines{}, holds: make(chan struct{}), holding: make(chan struct{}, 2000), closed: make(chan struct{}, 2000)}
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	if store == nil {
		store = memstore.New()
	}
	tools := []agent.AnyTool{
		fn("echo", agent.Definition{Effect: agent.Read}, func(_ context.Context, args json.RawMessage) (agent.Result, error) {
			return agent.Result{Content: []event.Block{event.Text(string(args))}, Structured: args}, nil
		}),
		fn("count", agent.Definition{Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
			func(context.Context, json.RawMessage) (agent.Result, error) { return text("counted"), nil }),
		fn("ask", agent.Definition{NeedsApproval: agent.Approval{Mode: agent.Always}},
			func(context.Context, json.RawMessage) (agent.Result, error) { return text("ran"), nil }),
		fn("big", agent.Definition{}, func(context.Context, json.RawMessage) (agent.Result, error) {
			return text(strings.Repeat("x", 3<<20)), nil
		}),
		fn("markup", agent.Definition{Effect: agent.Read}, func(context.Context, json.RawMessage) (agent.Result, error) {
			page := strings.Repeat("<", 5<<20)
			return agent.Result{Content: []event.Block{event.Text(page)}, Structured: json.RawMessage(`["` + page + `"]`)}, nil
		}),
		fn("hold", agent.Definition{}, func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
			s.holding <- struct{}{}
			select {
			case <-s.holds:
				return text("held"), nil
			case <-ctx.Done():
				return agent.Result{}, ctx.Err()
			}
		}),
	}
	h, err := host.New(host.Config{
		Agents: []agent.Agent{{Name: "one", Description: "First.", Natives: []string{}, Tools: tools}, {Name: "two", Natives: []string{}}},
		Store:  store, Dir: t.TempDir(), Log: logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.host = h
	closing, stop := context.WithCancel(context.Background())
	s.closing, s.stop = closing.Done(), stop
	cfg := httpapi.Config{Host: h, Loopback: true, Closing: closing, Log: logger}
	if change != nil {
		change(&cfg)
	}
	srv := httptest.NewUnstartedServer(httpapi.New(cfg))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(64 << 10) // so that a client that does not read is felt soon
		return ctx
	}
	active := map[net.Conn]bool{}
	var mu sync.Mutex
	srv.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateClosed && active[c] {
			s.closed <- struct{}{}
		}
		active[c] = state == http.StateActive
	}
	srv.Start()
	s.url = srv.URL
	t.Cleanup(func() {
		s.stop()
		now, cancel := context.WithCancel(context.Background())
		cancel()
		h.Close(now)
		srv.CloseClientConnections()
		srv.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// An answer is all of a response.
type answer struct {
	status int
	header http.Header
	body   string
	err    *api.Error // of its body, if it is one
}

func (s *served) do(method, path, body string, header ...string) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, in)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return read(s.t, res)
}

func read(t *testing.T, res *http.Response) answer {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(b)}
	var failure api.ErrorBody
	if json.Unmarshal(b, &failure) == nil {
		a.err = failure.Error
	}
	return a
}

// session starts one and returns its id and token.
func (s *served) session() api.NewSession {
	s.t.Helper()
	a := s.do("POST", "/one/v1/sessions", "")
	var out api.NewSession
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusCreated {
		s.t.Fatalf("POST sessions = %d %s", a.status, a.body)
	}
	return out
}

// stream opens a session's events and returns a decoder of its lines.
func (s *served) stream(ctx context.Context, path string) *json.Decoder {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s = %d", path, res.StatusCode)
	}
	return json.NewDecoder(res.Body)
}

// later makes a POST whose answer nobody looks at; the channel is closed after
// it.
func (s *served) later(path, body string) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err := http.Post(s.url+path, "application/json", strings.NewReader(body))
		if err != nil {
			s.t.Error(err)
			return
		}
		res.Body.Close()
	}()
	return done
}

// A line is an event of a stream, or a heartbeat.
type line struct {
	Seq  int64           `json:"seq"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}
