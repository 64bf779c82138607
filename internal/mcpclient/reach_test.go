package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/mcptest"
)

// What a person reads is one sentence: what cannot be done, and why.
func TestAServerThatIsGoneIsSaidToBeUnreachable(t *testing.T) {
	s := &mcptest.Server{}
	s.Offer(0, mcptest.Tool{Name: "look", Call: func(context.Context, *mcptest.Call) json.RawMessage { return mcptest.Text("seen") }})
	web := httptest.NewServer(s)
	host := strings.TrimPrefix(web.URL, "http://")
	p := New([]agent.Connection{{Name: "web", URL: web.URL + "/mcp"}}, Config{})
	defer p.Close()
	if l := p.Tools(t.Context()).Connections[0]; l.Err != nil || len(l.Tools) != 1 {
		t.Fatalf("got %v, %d tools", l.Err, len(l.Tools))
	}
	web.CloseClientConnections()
	web.Close()

	want := "cannot reach " + host + ": connection refused"
	_, err := p.Call(t.Context(), "web", "look", nil)
	if err != nil && strings.Contains(err.Error(), "may or may not") {
		// A connection from before took the request and broke.
		_, err = p.Call(t.Context(), "web", "look", nil)
	}
	if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
		t.Errorf("the call says %v, want %s", err, want)
	}
	if l := p.Now().Connections[0]; l.Err == nil || l.Err.Error() != want || len(l.Tools) != 0 {
		t.Errorf("the listing says %v with %d tools, want %s", l.Err, len(l.Tools), want)
	}
}

func TestUnreachableSaysWhy(t *testing.T) {
	plainHTTP := httptest.NewServer(http.NotFoundHandler())
	defer plainHTTP.Close()
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangsUp.Close()
	for _, tt := range []struct{ name, url, want string }{
		{"no TLS", strings.Replace(plainHTTP.URL, "http:", "https:", 1), "it speaks no TLS"},
		{"hangs up", hangsUp.URL, "the connection was closed"},
		{"nobody there", "http://127.0.0.1:1/mcp", "cannot reach 127.0.0.1:1: connection refused"},
		{"no MCP server", plainHTTP.URL + "/mcp", "no MCP server answers at " + plainHTTP.URL + "/mcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New([]agent.Connection{{Name: "web", URL: tt.url}}, Config{})
			defer p.Close()
			err := p.Tools(t.Context()).Connections[0].Err
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sending") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestPlainTakesTheChainOfDoings(t *testing.T) {
	cause := errors.New("the cause")
	for in, want := range map[string]string{
		`calling "initialize": sending "initialize": rejected by transport: nope`: "nope",
		`list its tools: calling "tools/list": broken`:                            "list its tools: broken",
		`calling "x`: `calling "x`,
		"untouched":  "untouched",
	} {
		got := plain(errors.Join(errors.New(in)))
		if got.Error() != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	if err := plain(&plainError{"connection closed: x", cause}); !errors.Is(err, cause) || errors.Is(err, io.EOF) {
		t.Errorf("the cause is lost: %v", err)
	}
}
