package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/host"
	"agsh.dev/internal/mcpclient/mcptest"
	"agsh.dev/internal/session/memstore"
)

// A series makes the definitions of one project after another. Each has a tool
// that says which it is of.
type series struct {
	t        *testing.T
	released []*atomic.Bool // by version
	newest   atomic.Int64
}

func (s *series) next(name string, conns, hostConns []agent.Connection) agent.Agent {
	version := len(s.released)
	gone := &atomic.Bool{}
	s.released = append(s.released, gone)
	run := func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
		if gone.Load() {
			s.t.Errorf("version %d is called after its release", version)
		}
		if len(hostConns) > 0 {
			if _, err := agent.CallHost(ctx, hostConns[0].Name, "echo", nil); err != nil {
				s.t.Errorf("the host connection of version %d: %v", version, err)
			}
		}
		runtime.Gosched()
		if gone.Load() {
			s.t.Errorf("version %d is released during a call", version)
		}
		return agent.Result{Content: []event.Block{event.Text(strconv.Itoa(version))}}, nil
	}
	return agent.Agent{
		Name: name, Natives: []string{}, Connections: conns, HostConnections: hostConns,
		Tools: []agent.AnyTool{agent.Func{Definition: agent.Definition{Name: "version"}, Run: run}},
	}
}

func (s *series) replace(h *host.Host, def agent.Agent) {
	s.t.Helper()
	old := s.released[s.newest.Load()]
	err := h.Replace([]agent.Agent{def}, func() {
		if old.Swap(true) {
			s.t.Error("a version is released twice")
		}
	})
	if err != nil {
		s.t.Error(err)
	}
	s.newest.Store(int64(len(s.released) - 1))
}

// web serves an MCP server with the tool echo until the test ends.
func web(t *testing.T) (*mcptest.Server, string) {
	t.Helper()
	s := &mcptest.Server{HTTP: mcptest.HTTP{PlainJSON: true, Listen: "none"}}
	s.Offer(0, mcptest.Tool{Name: "echo"})
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return s, srv.URL
}

// settled waits until there are no more goroutines than before, but for a few
// that serve connections of HTTP.
func settled(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+10; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<18)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestFiftyReloadsLeaveNothingAndKeepConnections(t *testing.T) {
	kept, keptURL := web(t)
	changing, changingURL := web(t)
	hidden, hiddenURL := web(t)
	s := &series{t: t}
	def := func(n int) agent.Agent {
		return s.next("one", []agent.Connection{{Name: "kept", URL: keptURL}}, []agent.Connection{{Name: "hidden", URL: hiddenURL, Prefix: fmt.Sprint("p", n/25)}})
	}
	h, err := host.New(host.Config{Agents: []agent.Agent{def(0)}, Store: memstore.New(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	h.Start()
	use := func(names ...string) {
		t.Helper()
		for _, name := range names {
			a, _ := h.Agent("one")
			if _, done, err := a.Call(t.Context(), operator, call(name, "")); err != nil || done.Status != event.StatusOK {
				t.Fatalf("%s: %+v, %v", name, done, err)
			}
		}
	}
	use("version", "echo")
	before := runtime.NumGoroutine()
	for n := range 50 {
		s.replace(h, def(n))
		use("version", "echo")
	}
	settled(t, before)
	for version, gone := range s.released {
		if newest := version == len(s.released)-1; gone.Load() == newest {
			t.Errorf("version %d: released %v", version, gone.Load())
		}
	}
	if n := kept.Count("initialize"); n != 1 {
		t.Errorf("the connection that stayed as it was is made %d times", n)
	}
	if n := hidden.Count("initialize"); n != 2 {
		t.Errorf("the host connection, which changed once, is made %d times", n)
	}
	for n := range 50 {
		s.replace(h, s.next("one", []agent.Connection{{Name: "kept", URL: keptURL}, {Name: "changing", URL: changingURL, Prefix: fmt.Sprint("p", n, "_")}}, nil))
		use("version", "echo", fmt.Sprint("p", n, "_echo"))
	}
	if n := changing.Count("initialize"); n != 50 {
		t.Errorf("a connection that changed 50 times is made %d times", n)
	}
	h.Close(t.Context())
	settled(t, before)
}

// Three definitions follow one another, of which the first two have the same
// connections: a call under the first keeps them up when the second is gone.
func TestACallKeepsConnectionsThatALaterDefinitionSharedAndLeft(t *testing.T) {
	server, url := web(t)
	begun, let := make(chan struct{}), make(chan struct{})
	def := func(conns ...agent.Connection) agent.Agent {
		return agent.Agent{Name: "one", Natives: []string{}, HostConnections: conns, Tools: []agent.AnyTool{
			agent.Func{Definition: agent.Definition{Name: "late"}, Run: func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
				close(begun)
				<-let
				return agent.CallHost(ctx, "hidden", "echo", nil)
			}},
		}}
	}
	hidden := agent.Connection{Name: "hidden", URL: url}
	h, err := host.New(host.Config{Agents: []agent.Agent{def(hidden)}, Store: memstore.New(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	a, _ := h.Agent("one")
	ended := make(chan error, 1)
	go func() {
		_, done, err := a.Call(t.Context(), operator, call("late", ""))
		if err == nil && done.Status != event.StatusOK {
			err = errors.New(done.Error.Message)
		}
		ended <- err
	}()
	<-begun
	for _, next := range []agent.Agent{def(hidden), def()} {
		released := make(chan struct{})
		if err := h.Replace([]agent.Agent{next}, func() { close(released) }); err != nil {
			t.Fatal(err)
		}
		if len(next.HostConnections) == 0 {
			<-released // of the second definition, which nothing uses
		}
	}
	close(let)
	if err := <-ended; err != nil {
		t.Errorf("the call under the first definition: %v", err)
	}
	if n := server.Count("tools/call"); n != 1 {
		t.Errorf("the server had %d calls", n)
	}
}

// However replacements and calls mix, a call sees one whole definition, which
// is not older than the newest one when it began, and its release waits for it.
func TestAnyInterleavingOfReloadsAndCalls(t *testing.T) {
	_, firstURL := web(t)
	_, otherURL := web(t)
	first := agent.Connection{Name: "first", URL: firstURL}
	other := agent.Connection{Name: "other", URL: otherURL, Prefix: "other_"}
	renamed := agent.Connection{Name: "first", URL: firstURL, Prefix: "r_"}
	hidden := agent.Connection{Name: "hidden", URL: otherURL}
	choices := [][2][]agent.Connection{
		{}, {{first}}, {{first, other}}, {{renamed}}, {{first}, {hidden}}, {nil, {hidden}},
	}
	before := runtime.NumGoroutine()
	rapid.Check(t, func(rt *rapid.T) {
		s := &series{t: t}
		pick := func() agent.Agent {
			c := rapid.SampledFrom(choices).Draw(rt, "connections")
			return s.next("one", c[0], c[1])
		}
		h, err := host.New(host.Config{Agents: []agent.Agent{pick()}, Store: memstore.New(), Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		h.Start()
		var calls sync.WaitGroup
		for _, step := range rapid.SliceOfN(rapid.SampledFrom([]string{"replace", "version", "echo", "r_echo", "other_echo", "list"}), 1, 20).Draw(rt, "steps") {
			a, _ := h.Agent("one")
			switch step {
			case "replace":
				s.replace(h, pick())
			case "list":
				calls.Go(func() {
					if _, err := a.Namespace(t.Context()); err != nil {
						t.Error(err)
					}
				})
			default:
				calls.Go(func() { s.check(a, step) })
			}
		}
		if rapid.Bool().Draw(rt, "close early") {
			h.Close(t.Context())
		}
		calls.Wait()
		h.Close(t.Context())
		for version, gone := range s.released[:len(s.released)-1] {
			if !gone.Load() {
				t.Errorf("version %d is not released", version)
			}
		}
	})
	settled(t, before)
}

func (s *series) check(a *host.Agent, tool string) {
	oldest := s.newest.Load()
	_, done, err := a.Call(s.t.Context(), operator, call(tool, ""))
	if known, ok := errors.AsType[*api.Error](err); ok {
		if known.Code != api.CodeDraining && (known.Code != api.CodeToolNotFound || tool == "version") {
			s.t.Errorf("%s: %v", tool, err)
		}
		return
	}
	if err != nil || done.Status != event.StatusOK {
		s.t.Errorf("%s: %+v, %v", tool, done, err)
		return
	}
	if tool != "version" {
		return
	}
	if version, err := strconv.ParseInt(done.Content[0].Text, 10, 64); err != nil || version < oldest {
		s.t.Errorf("a call that began under version %d ran under %d, %v", oldest, version, err)
	}
}
