package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/api"
	"agsh.dev/event"
)

func TestEachVerbMakesItsRequestAndReadsItsAnswer(t *testing.T) {
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		do   func(context.Context, *api.Client) (any, error)
		want string // method, request URI and body
		gets string
		out  any
	}{
		{
			"agents",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Agents(ctx) },
			"GET /p/ ", `{"agents":[{"slug":"a","url":"/a"}]}`,
			[]api.AgentRef{{Slug: "a", URL: "/a"}},
		},
		{
			"info",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Info(ctx) },
			"GET /p/a/v1/info ", `{"name":"a","model":{"provider":"x","name":"y"},"more":[1]}`,
			api.Info{Name: "a", Model: &api.Model{Provider: "x", Name: "y"}},
		},
		{
			"tools",
			func(ctx context.Context, c *api.Client) (any, error) {
				return c.Tools(ctx, api.Binding{Session: api.Latest, ContinuationToken: "a b&c"})
			},
			"GET /p/a/v1/tools?continuationToken=a+b%26c&session=latest ", `{"tools":[],"unavailable":[{"connection":"c","error":"e"}]}`,
			api.ToolList{Tools: []api.ToolEntry{}, Unavailable: []api.Unavailable{{Connection: "c", Error: "e"}}, ETag: `"7"`},
		},
		{
			"a tool",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Tool(ctx, "LS", false, api.Binding{}) },
			"GET /p/a/v1/tools/LS ", `{"name":"LS","description":"d","inputSchema":{"z":1,"a":1.0}}`,
			api.ToolDetail{Name: "LS", Description: "d", InputSchema: []byte(`{"z":1,"a":1.0}`), ETag: `"7"`},
		},
		{
			"a tool in another case",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Tool(ctx, "ls", true, api.Binding{}) },
			"GET /p/a/v1/tools/ls?fold=1 ", `{"name":"LS","inputSchema":{}}`,
			api.ToolDetail{Name: "LS", InputSchema: []byte(`{}`), ETag: `"7"`},
		},
		{
			"a tool with an odd name",
			func(ctx context.Context, c *api.Client) (any, error) {
				return c.Tool(ctx, "é?#% .", false, api.Binding{})
			},
			"GET /p/a/v1/tools/%C3%A9%3F%23%25%20. ", `{"name":"é?#% ."}`,
			api.ToolDetail{Name: "é?#% .", ETag: `"7"`},
		},
		{
			"a call",
			func(ctx context.Context, c *api.Client) (any, error) {
				return c.Call(ctx, "t", api.CallRequest{Args: []byte(`{"n":12345678901234567890.0, "<":"&"}`), Session: "s", Approve: true})
			},
			`POST /p/a/v1/tools/t {"args":{"n":12345678901234567890.0,"<":"&"},"session":"s","approve":true}`,
			`{"session":"s","callId":"c","content":[{"type":"text","text":""}],"structuredContent":{"b":1e400,"a":1},"truncated":{"bytes":9}}`,
			api.CallResult{
				Session: "s", CallID: "c", Content: []event.Block{{Type: "text"}},
				StructuredContent: []byte(`{"b":1e400,"a":1}`), Truncated: &event.Truncated{Bytes: 9}, ETag: `"7"`,
			},
		},
		{
			"a call without anything",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Call(ctx, "t", api.CallRequest{}) },
			`POST /p/a/v1/tools/t {}`, `{"session":"s","callId":"c","content":[],"isError":true}`,
			api.CallResult{Session: "s", CallID: "c", Content: []event.Block{}, IsError: true, ETag: `"7"`},
		},
		{
			"a new session",
			func(ctx context.Context, c *api.Client) (any, error) { return c.NewSession(ctx) },
			"POST /p/a/v1/sessions ", `{"session":"s","continuationToken":"k"}`,
			api.NewSession{Session: "s", ContinuationToken: "k"},
		},
		{
			"a session",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Session(ctx, "s 1") },
			"GET /p/a/v1/sessions/s%201 ", `{"session":"s 1","created":"2026-11-30T20:00:00Z","active":"2026-11-30T20:00:00Z"}`,
			api.Session{Session: "s 1", Created: at, Active: at},
		},
		{
			"sessions",
			func(ctx context.Context, c *api.Client) (any, error) { return c.Sessions(ctx, "n&1") },
			"GET /p/a/v1/sessions?after=n%261 ", `{"sessions":[],"next":"n2"}`,
			api.SessionList{Sessions: []api.Session{}, Next: "n2"},
		},
		{
			"the end of a session",
			func(ctx context.Context, c *api.Client) (any, error) { return c.DeleteSession(ctx, "s") },
			"DELETE /p/a/v1/sessions/s ", `{"session":"s","status":"deleted"}`,
			api.Deleted{Session: "s", Status: "deleted"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			c := serve(t, "http://[::1]:1/p/a/", api.Config{BearerToken: secret, UserAgent: "me"}, func(w http.ResponseWriter, r *http.Request) {
				b := ""
				if r.Body != nil {
					all, _ := io.ReadAll(r.Body)
					b = string(all)
				}
				got = r.Method + " " + r.URL.RequestURI() + " " + b
				header := map[string]string{"Accept": "application/json", "User-Agent": "me", "Authorization": "Bearer " + secret}
				if b != "" {
					header["Content-Type"] = "application/json"
				}
				for name, want := range header {
					if have := r.Header.Get(name); have != want {
						t.Errorf("%s is %q, want %q", name, have, want)
					}
				}
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				w.Header().Set("ETag", `"7"`)
				_, _ = io.WriteString(w, tt.gets)
			})
			out, err := tt.do(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.out, out); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatNoPathCanCarryIsNotAsked(t *testing.T) {
	c := serve(t, "http://localhost/a", api.Config{}, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked", r.URL)
	})
	for _, name := range []string{"", ".", "..", "a/b", "../x", "a\x00"} {
		_, toolErr := c.Tool(t.Context(), name, true, api.Binding{})
		_, callErr := c.Call(t.Context(), name, api.CallRequest{})
		_, getErr := c.Session(t.Context(), name)
		_, deleteErr := c.DeleteSession(t.Context(), name)
		for i, err := range []error{toolErr, callErr, getErr, deleteErr} {
			want := api.CodeToolNotFound
			if i > 1 {
				want = api.CodeSessionNotFound
			}
			var failed *api.Error
			if !errors.As(err, &failed) || failed.Code != want {
				t.Errorf("%q: got %v, want %s", name, err, want)
			}
		}
	}
}

func TestAnAnswerAboutSomethingElseIsRefused(t *testing.T) {
	c := serve(t, "http://localhost/a", api.Config{BearerToken: secret}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"Delete `+secret+`","inputSchema":{}}`)
	})
	_, err := c.Tool(t.Context(), "ls", true, api.Binding{})
	unreachable(t, err, `"ls"`, `"Delete [redacted]"`)
}
