package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/internal/mcpclient/mcptest"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("MCPTEST"); kind != "" {
		program(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// over is a pool whose connections reach servers in memory. A nil server
// refuses to connect. It is closed with the test.
func over(t testing.TB, cfg Config, conns []agent.Connection, servers ...*mcptest.Server) *Pool {
	p := New(conns, cfg)
	for i, l := range p.links {
		l.dialer = dialer{[]string{legacy}, func() carrier { return inMemory(servers[i]) }}
	}
	t.Cleanup(p.Close)
	return p
}

type transportFunc func(ctx context.Context) (mcp.Connection, error)

func (f transportFunc) Connect(ctx context.Context) (mcp.Connection, error) { return f(ctx) }

func inMemory(s *mcptest.Server) carrier {
	var served sync.WaitGroup
	return carrier{
		explain: func(err error, _ *capture) error { return err },
		close:   served.Wait,
		transport: tee{transportFunc(func(ctx context.Context) (mcp.Connection, error) {
			if s == nil {
				return nil, errors.New("no server")
			}
			here, there := net.Pipe()
			served.Go(func() {
				s.Serve(context.Background(), there, there)
				there.Close()
			})
			return (&mcp.IOTransport{Reader: here, Writer: here}).Connect(ctx)
		})},
	}
}

func one() []agent.Connection { return []agent.Connection{{Name: "box"}} }

func serverOf(tools ...mcptest.Tool) *mcptest.Server {
	s := &mcptest.Server{}
	s.Offer(0, tools...)
	return s
}

func namesOf(l Listed) []string {
	var names []string
	for _, t := range l.Tools {
		names = append(names, t.Name)
	}
	return names
}

func numbered(n int) []mcptest.Tool {
	var tools []mcptest.Tool
	for i := range n {
		tools = append(tools, mcptest.Tool{Name: fmt.Sprintf("tool-%02d", i)})
	}
	return tools
}

func TestR34_AllPagesAreListed(t *testing.T) {
	s := serverOf(numbered(54)...)
	s.PageSize = 50
	l := over(t, Config{}, one(), s).Tools(t.Context()).Connections[0]
	var want []string
	for _, tool := range numbered(54) {
		want = append(want, tool.Name)
	}
	if diff := cmp.Diff(want, namesOf(l)); diff != "" || l.Err != nil {
		t.Errorf("Err = %v, names (-want +got):\n%s", l.Err, diff)
	}
}

func TestR34_Cursors(t *testing.T) {
	for name, tt := range map[string]struct {
		cursor func(int) string
		tools  int
		fails  string
	}{
		"an empty one is the end": {func(int) string { return "" }, 3, ""},
		"a repeated one":          {func(int) string { return "again" }, 0, "repeats itself"},
		"ever more":               {func() func(int) string { n := 0; return func(int) string { n++; return fmt.Sprint("page", n) } }(), 0, "more than 10000"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serverOf(numbered(3)...)
			if tt.fails == "more than 10000" {
				s = serverOf(numbered(2000)...)
			}
			s.Cursor = tt.cursor
			l := over(t, Config{}, one(), s).Tools(t.Context()).Connections[0]
			if len(l.Tools) != tt.tools || (l.Err == nil) != (tt.fails == "") || !strings.Contains(reason(l.Err), tt.fails) {
				t.Errorf("%d tools, %v, want %d and %q", len(l.Tools), l.Err, tt.tools, tt.fails)
			}
		})
	}
}

func TestServerWithoutToolsHasNone(t *testing.T) {
	s := serverOf(numbered(2)...)
	s.NoTools = true
	l := over(t, Config{}, one(), s).Tools(t.Context()).Connections[0]
	if len(l.Tools) != 0 || l.Err != nil || s.Count("tools/list") != 0 {
		t.Errorf("listed = %+v", l)
	}
}

func TestR35_ChangedListIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(mcptest.Tool{Name: "t1"}, mcptest.Tool{Name: "t0"})
		p := over(t, Config{}, one(), s)
		defer p.Close()
		before := p.Tools(t.Context())
		t1 := before.Connections[0].Tools[0]
		s.Offer(1, mcptest.Tool{Name: "t0"}, mcptest.Tool{Name: "t2"})
		time.Sleep(time.Second)
		after := p.Tools(t.Context())
		if diff := cmp.Diff([]string{"t0", "t2"}, namesOf(after.Connections[0])); diff != "" {
			t.Errorf("after the notice (-want +got):\n%s", diff)
		}
		if after.Version == before.Version {
			t.Error("the version stayed")
		}
		if diff := cmp.Diff([]string{"t1", "t0"}, namesOf(before.Connections[0])); diff != "" {
			t.Errorf("the old listing changed (-want +got):\n%s", diff)
		}
		if _, err := t1.Run(t.Context(), nil); !errors.Is(err, errGone) {
			t.Errorf("t1 = %v, want that it is gone", err)
		}
		lists := s.Count("tools/list")
		for i := range 20 {
			s.Offer(1, mcptest.Tool{Name: fmt.Sprint("burst", i)})
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := s.Count("tools/list") - lists; n > 4 {
			t.Errorf("20 notices caused %d lists", n)
		}
		if got := namesOf(p.Now().Connections[0]); !cmp.Equal(got, []string{"burst19"}) {
			t.Errorf("the burst ended with %v", got)
		}
		version := p.Now().Version
		s.Offer(1, mcptest.Tool{Name: "burst19"})
		time.Sleep(time.Second)
		if p.Now().Version != version {
			t.Error("a list that is the same has another version")
		}
	})
}

func slow(every, lasts time.Duration) mcptest.Tool {
	return mcptest.Tool{Name: "slow", Call: func(ctx context.Context, c *mcptest.Call) json.RawMessage {
		for done := time.Duration(0); done < lasts; done += every {
			select {
			case <-time.After(every):
				c.Progress(int(done / every))
			case <-ctx.Done():
				return nil
			}
		}
		return mcptest.Text("done")
	}}
}

func TestR38_ProgressExtendsTheTimeout(t *testing.T) {
	conns := []agent.Connection{{Name: "box", Timeout: 30 * time.Second, TotalTimeout: 120 * time.Second}}
	for name, tt := range map[string]struct {
		tool  mcptest.Tool
		ends  time.Duration
		fails string
	}{
		"reports every 5 s": {slow(5*time.Second, 90*time.Second), 90 * time.Second, ""},
		"silent":            {slow(90*time.Second, 90*time.Second), 30 * time.Second, "neither an answer nor progress for 30s"},
		"reports for ever":  {slow(5*time.Second, time.Hour), 120 * time.Second, "did not end within 2m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serverOf(tt.tool)
				p := over(t, Config{}, conns, s)
				defer p.Close()
				p.Tools(t.Context())
				start := time.Now()
				reports := 0
				ctx := agent.WithCall(t.Context(), agent.Call{Progress: func(agent.Progress) { reports++ }})
				_, err := p.Call(ctx, "box", "slow", nil)
				if took := time.Since(start); took != tt.ends {
					t.Errorf("ended after %v, want %v", took, tt.ends)
				}
				if (err == nil) != (tt.fails == "") || !strings.Contains(reason(err), tt.fails) {
					t.Errorf("Call = %v, want %q", err, tt.fails)
				}
				synctest.Wait()
				if cancelled := s.Count("notifications/cancelled") == 1; cancelled != (tt.fails != "") {
					t.Errorf("cancelled = %v", cancelled)
				}
				if tt.fails != "" && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "imeout: in the connection's file")) {
					t.Errorf("%v tells no deadline, or not how to raise it", err)
				}
				if tt.fails == "" && reports < 17 {
					t.Errorf("%d reports", reports)
				}
			})
		})
	}
}

func TestLateProgressIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late *mcptest.Call
		s := serverOf(mcptest.Tool{Name: "hasty", Call: func(_ context.Context, c *mcptest.Call) json.RawMessage {
			late = c
			return mcptest.Text("done")
		}})
		p := over(t, Config{}, one(), s)
		defer p.Close()
		p.Tools(t.Context())
		ctx := agent.WithCall(t.Context(), agent.Call{Progress: func(agent.Progress) { t.Error("progress after the end") }})
		if _, err := p.Call(ctx, "box", "hasty", nil); err != nil {
			t.Fatal(err)
		}
		late.Progress(1)
		synctest.Wait()
	})
}

func TestCancelReachesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(slow(time.Hour, time.Hour))
		p := over(t, Config{}, one(), s)
		defer p.Close()
		p.Tools(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := p.Call(ctx, "box", "slow", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Call = %v", err)
		}
		synctest.Wait()
		if s.Count("notifications/cancelled") != 1 {
			t.Errorf("seen %v", s.Seen())
		}
	})
}

func TestBytesAreKept(t *testing.T) {
	const schema = `{"type":"object","title":"T","properties":{"z":{"oneOf":[{"type":"integer","maximum":12345678901234567890},{"$ref":"#/$defs/y"}]},"a":{"type":"object","properties":{"n":{},"b":{"default":1.10}}}},"$defs":{"y":{"title":"Y","const":1.10}}}`
	const data = `{"z":12345678901234567890,"a":1.10,"m":{"y":1,"b":2}}`
	var got json.RawMessage
	s := serverOf(mcptest.Tool{
		Name: "exact",
		Raw: json.RawMessage(`{"name":"exact","title":"Exact","description":"D","inputSchema":` + schema + `,"outputSchema":` + schema +
			`,"annotations":{"readOnlyHint":true,"title":"other"},"_meta":{"connector":"  mail  "}}`),
		Call: func(_ context.Context, c *mcptest.Call) json.RawMessage {
			got = c.Arguments
			return json.RawMessage(`{"content":[{"type":"text","text":""},{"type":"image","data":"aQ==","mimeType":"image/png"},{"type":"audio","data":"YQ==","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"A"}},{"type":"resource","resource":{"uri":"file:///b","blob":"Yg=="}},{"type":"resource_link","uri":"file:///c","name":"c"},{"type":"hologram","depth":1.10}],"structuredContent":` + data + `,"isError":true}`)
		},
	})
	tool := over(t, Config{}, one(), s).Tools(t.Context()).Connections[0].Tools[0]
	want := agent.Definition{
		Name: "exact", Title: "Exact", Description: "D", Input: json.RawMessage(schema), Output: json.RawMessage(schema),
		Effect: agent.Read, Timeout: agent.DefaultTotalTimeout + slack,
	}
	if diff := cmp.Diff(want, tool.Definition); diff != "" || tool.Connector != "mail" {
		t.Errorf("connector %q, definition (-want +got):\n%s", tool.Connector, diff)
	}
	res, err := tool.Run(t.Context(), json.RawMessage(data))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != data {
		t.Errorf("the server got %s, want %s", got, data)
	}
	wantResult := agent.Result{IsError: true, Structured: json.RawMessage(data), Content: []event.Block{
		event.Text(""),
		{Type: "image", Data: "aQ==", MimeType: "image/png"},
		{Type: "audio", Data: "YQ==", MimeType: "audio/wav"},
		{Type: "resource", URI: "file:///a", MimeType: "text/plain", Text: "A"},
		{Type: "resource", URI: "file:///b", Data: "Yg=="},
		{Type: "resource_link", URI: "file:///c", Name: "c"},
		event.Text(`{"type":"hologram","depth":1.10}`),
	}}
	if diff := cmp.Diff(wantResult, res); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestOneFailureHidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mute := serverOf()
		conns := []agent.Connection{{Name: "none"}, {Name: "mute", ConnectTimeout: 3 * time.Second}, {Name: "good"}}
		p := over(t, Config{}, conns, nil, mute, serverOf(numbered(1)...))
		defer p.Close()
		p.links[1].dialer.new = func() carrier {
			c := inMemory(nil)
			c.close = func() { time.Sleep(10 * time.Second) } // it does not end when it is told to
			c.transport = transportFunc(func(ctx context.Context) (mcp.Connection, error) {
				r, w := io.Pipe()
				return (&mcp.IOTransport{Reader: r, Writer: struct {
					io.Writer
					io.Closer
				}{io.Discard, w}}).Connect(ctx)
			})
			return c
		}
		p.Start()
		if err := p.Now().Connections[2].Err; !errors.Is(err, errConnecting) {
			t.Errorf("before anything happened: %v", err)
		}
		start := time.Now()
		l := p.Tools(t.Context())
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("Tools took %v", took)
		}
		if l.Connections[0].Err == nil || l.Connections[1].Err == nil || l.Connections[2].Err != nil {
			t.Errorf("listing: %+v", l)
		}
		if err := l.Connections[1].Err; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "within 3s") {
			t.Errorf("the mute one: %v", err)
		}
	})
}

func TestFailedConnectionBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := over(t, Config{}, one(), nil)
		defer p.Close()
		var tries atomic.Int32
		p.links[0].dialer.new = func() carrier { tries.Add(1); return inMemory(nil) }
		var at []time.Duration
		start := time.Now()
		for range 100 * 10 {
			before := tries.Load()
			p.Tools(t.Context())
			if tries.Load() != before {
				at = append(at, time.Since(start))
			}
			time.Sleep(100 * time.Millisecond)
		}
		want := []time.Duration{0, 1, 3, 7, 15, 31, 61, 91}
		for i := range want {
			want[i] *= time.Second
		}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		p.links[0].dialer.new = func() carrier { return inMemory(serverOf(numbered(1)...)) }
		time.Sleep(lastPause)
		if l := p.Tools(t.Context()).Connections[0]; len(l.Tools) != 1 {
			t.Errorf("one that never was up is waited for: %+v", l)
		}
	})
}

// breakable is a connection that the test breaks.
func breakable(s *mcptest.Server, made *atomic.Int32) (func() carrier, func()) {
	var mu sync.Mutex
	var last net.Conn
	return func() carrier {
			made.Add(1)
			var served sync.WaitGroup
			c := inMemory(nil)
			c.close = served.Wait
			c.transport = tee{transportFunc(func(ctx context.Context) (mcp.Connection, error) {
				here, there := net.Pipe()
				mu.Lock()
				last = there
				mu.Unlock()
				served.Go(func() { s.Serve(context.Background(), there, there); there.Close() })
				return (&mcp.IOTransport{Reader: here, Writer: here}).Connect(ctx)
			})}
			return c
		}, func() {
			mu.Lock()
			defer mu.Unlock()
			last.Close()
		}
}

func TestBrokenConnectionIsShownAndMadeAnewOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(mcptest.Tool{Name: "echo"})
		p := over(t, Config{}, one(), s)
		defer p.Close()
		var made atomic.Int32
		dial, cut := breakable(s, &made)
		p.links[0].dialer.new = dial
		p.Tools(t.Context())
		cut()
		synctest.Wait()
		if l := p.Now().Connections[0]; l.Err == nil || !strings.Contains(l.Err.Error(), "broke") || len(l.Tools) != 0 {
			t.Errorf("after the break: %+v", l)
		}
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				if _, err := p.Call(t.Context(), "box", "echo", nil); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if n := made.Load(); n != 2 {
			t.Errorf("%d handshakes, want 2", n)
		}
		cut()
		synctest.Wait()
		p.Tools(t.Context())
		synctest.Wait()
		if l := p.Now().Connections[0]; l.Err != nil || len(l.Tools) != 1 {
			t.Errorf("after a listing: %+v", l)
		}
	})
}

func TestServerThatAsksIsRefused(t *testing.T) {
	answers := make(chan string, 4)
	s := serverOf(mcptest.Tool{Name: "nosy", Call: func(_ context.Context, c *mcptest.Call) json.RawMessage {
		c.Notify(`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		c.Notify(`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`)
		c.Notify(`{"jsonrpc":"2.0","id":"r1","method":"roots/list"}`)
		return mcptest.Text("asked")
	}})
	s.Answered = func(m json.RawMessage) { answers <- string(m) }
	roots := t.TempDir() + "/work spaces"
	p := over(t, Config{Roots: roots}, one(), s)
	p.Tools(t.Context())
	if _, err := p.Call(t.Context(), "box", "nosy", nil); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a := <-answers
		if asked := strings.Contains(a, `"r1"`); asked != strings.Contains(a, "/work%20spaces") || asked == strings.Contains(a, `"error"`) {
			t.Errorf("answered %s", a)
		}
	}
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	begun := make(chan struct{})
	s := serverOf(mcptest.Tool{Name: "slow", Call: func(ctx context.Context, _ *mcptest.Call) json.RawMessage {
		close(begun)
		<-ctx.Done()
		return nil
	}})
	p := over(t, Config{}, one(), s)
	p.Tools(t.Context())
	ended := make(chan error)
	go func() {
		_, err := p.Call(t.Context(), "box", "slow", nil)
		ended <- err
	}()
	<-begun
	go p.Close()
	if err := <-ended; !errors.Is(err, errClosed) {
		t.Errorf("Call = %v", err)
	}
	p.Close()
	if _, err := p.Call(t.Context(), "box", "slow", nil); err == nil {
		t.Error("a closed pool calls")
	}
}
