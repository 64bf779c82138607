package api_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"agsh.dev/api"
)

// TestR20_WhatIsNoAnswerIsNamed covers servers that lie and proxies in
// between. Every error says who answered, with which status, what was wrong,
// and only a little of the body.
func TestR20_WhatIsNoAnswerIsNamed(t *testing.T) {
	page := "<html><body>" + strings.Repeat("Sign in, please. ", 1000) + secret + "</body></html>"
	ok := `{"tools":[]}`
	tests := []struct {
		name string
		raw  string
		want []string
	}{
		{"a page", message("502 Bad Gateway", "text/html", page), []string{"127.0.0.1:1 answered 502 Bad Gateway (text/html): expected JSON; it begins with: <html><body>Sign in", "…"}},
		{"a login page", message("200 OK", "text/html", page), []string{"200 OK (text/html): expected JSON"}},
		{"JSON that says it is a page", message("200 OK", "text/html", ok), []string{"expected JSON"}},
		{"a page that says it is JSON", message("200 OK", "application/json", page), []string{"expected JSON"}},
		{"half of the JSON", message("200 OK", "application/json", ok[:7]), []string{"expected JSON; it begins with: {\"tools"}},
		{"two values", message("200 OK", "application/json", ok+ok), []string{"expected JSON"}},
		{"no type", "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + ok, []string{"answered 200 OK: expected JSON"}},
		{"nothing", message("200 OK", "application/json", ""), []string{"it is empty"}},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", []string{"204 No Content: expected JSON; it is empty"}},
		{"null", message("200 OK", "application/json", "null"), []string{"it has no tools"}},
		{"an empty object", message("200 OK", "application/json", "{}"), []string{"it has no tools"}},
		{"a list", message("200 OK", "application/json", "[]"), []string{"it cannot be of type array"}},
		{"a field of another type", message("200 OK", "application/json", `{"tools":[{"name":1}]}`), []string{"its tools.name cannot be of type number"}},
		{"an error with a page", message("500 x", "application/json", page), []string{"500 x (application/json): expected JSON"}},
		{"an error of another API", message("502 Bad Gateway", "application/problem+json", `{"title":"no upstream"}`), []string{"its error is none of this API", "no upstream"}},
		{"an error as a string", message("400 Bad Request", "application/json", `{"error":"bad"}`), []string{"its error is none of this API", `{"error":"bad"}`}},
		{"an error without a code", message("400 Bad Request", "application/json", `{"error":{"message":"bad"}}`), []string{"its error is none of this API"}},
		{"an error without a body", message("500 Oops", "application/json", ""), []string{"500 Oops", "it is empty"}},
		{"a redirect", "HTTP/1.1 302 Found\r\nLocation: http://u:p@evil.test/" + secret + "?t=" + secret + "\r\nContent-Length: 0\r\n\r\n", []string{"redirect to http://…@evil.test/[redacted]", "redirects are refused"}},
		{"a redirect that keeps the body", "HTTP/1.1 308 Permanent Redirect\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", []string{"redirect to /b;"}},
		{"a redirect to nowhere", message("302 Found", "application/json", ok), []string{"302 Found (application/json): expected an answer"}},
		{"a redirect that cannot be read", "HTTP/1.1 302 Found\r\nLocation: http://[" + secret + "\r\nContent-Length: 0\r\n\r\n", []string{"Location"}},
		{"a choice", message("300 Multiple Choices", "application/json", ok), []string{"expected an answer"}},
		{"not modified", "HTTP/1.1 304 Not Modified\r\n\r\n", []string{"304 Not Modified: expected an answer"}},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", []string{"101 Switching Protocols: expected an answer"}},
		{"no HTTP", "SSH-2.0-OpenSSH_9.9 " + secret + strings.Repeat("x", 5000) + "\r\n", []string{"cannot reach 127.0.0.1:1", "malformed HTTP", "[redacted]"}},
		{"no status", "HTTP/1.1 abc\r\n\r\n", []string{"malformed HTTP"}},
		{"silence", "", []string{"the connection was closed before the answer was whole"}},
		{"half of the headers", "HTTP/1.1 200 OK\r\nContent-Type: x\r\n", []string{"the connection was closed before the answer was whole"}},
		{"half of the body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"to", []string{"broke off after 4 bytes", "closed before the answer was whole"}},
		{"half of the chunks", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"too\r\n", []string{"broke off after 5 bytes"}},
		{"chunks that are none", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n", []string{"broke off after 0 bytes", "invalid byte in chunk length"}},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", []string{"cannot reach"}},
		{"half of a body that ends with the connection", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + ok[:5], []string{"expected JSON"}},
		{"a token behind much space", message("200 OK", "text/plain", strings.Repeat(" ", 635)+secret), []string{"expected JSON"}},
		{"a token at the cut", message("200 OK", "text/plain", strings.Repeat("x", 150)+secret), []string{"x[redacted]"}},
		{"a token in the status", message("599 "+secret, secret, "x"), []string{"599 [redacted] ([redacted])"}},
		{"controls", message("200 OK", "text/plain", "\xff\x1b[2J"), []string{"\ufffd\x1b[2J"}}, // escaped by who shows it
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wire(t, answers(tt.raw), func(t *testing.T, c *api.Client) {
				_, err := c.Tools(t.Context(), api.Binding{})
				unreachable(t, err, tt.want...)
				if part := secret[:10]; strings.Contains(err.Error(), part) {
					t.Errorf("%q shows a part of the token", err)
				}
			})
		})
	}
}

func TestAnAnswerMayComeInAnyFraming(t *testing.T) {
	body := `{"tools":[{"name":"t"}]}`
	tests := []struct{ name, raw string }{
		{"with a length", message("200 OK", "application/json", body)},
		{"until the connection ends", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + body},
		{"in chunks", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)},
		{"after notices", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + message("200 OK", "application/json", body)},
		{"with a character set", message("200 OK", `application/json; charset="utf-8"`, body)},
		{"with a broken parameter", message("200 OK", "Application/JSON; charset", body)},
		{"as a kind of JSON", message("201 Created", "application/vnd.agent+json", body)},
		{"with space around it", message("200 OK", "application/json", "\r\n "+body+"\n\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wire(t, answers(tt.raw), func(t *testing.T, c *api.Client) {
				list, err := c.Tools(t.Context(), api.Binding{})
				if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "t" {
					t.Errorf("got %+v, %v", list, err)
				}
			})
		})
	}
}

func TestAnAnswerMayBeAsLargeAsTheLimitAndNoLarger(t *testing.T) {
	for _, framing := range []string{"length", "chunks"} {
		for more, want := range []string{"expected JSON", "the answer is larger than 16 MiB"} { // it is read, and no JSON
			t.Run(fmt.Sprintf("%s+%d", framing, more), func(t *testing.T) {
				c := serve(t, "http://localhost/a", api.Config{}, func(w http.ResponseWriter, _ *http.Request) {
					if framing == "length" {
						w.Header().Set("Content-Length", fmt.Sprint(api.MaxAnswer+more))
					}
					_, _ = w.Write(make([]byte, api.MaxAnswer+more))
				})
				_, err := c.Call(t.Context(), "t", api.CallRequest{})
				unreachable(t, err, want)
			})
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	ln := listen(t, func(conn net.Conn) {
		answers("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n")(conn)
	})
	c, err := api.NewClient("http://"+ln+"/a", api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Info(t.Context())
	unreachable(t, err, "exceeded 1048576 bytes")
}

// listen answers every connection to an address on this machine with peer.
func listen(t *testing.T, peer func(net.Conn)) string {
	t.Helper()
	var cfg net.ListenConfig
	ln, err := cfg.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			peer(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return ln.Addr().String()
}

// TestR76_ErrorsOfAServerAreKeptWithoutTheToken covers servers that echo the
// credential they refuse.
func TestR76_ErrorsOfAServerAreKeptWithoutTheToken(t *testing.T) {
	body := fmt.Sprintf(`{"error":{"code":"unauthorized","message":"no: Bearer %[1]s","hint":"not %[1]s","field":"%[1]s","errorId":"%[1]s"}}`, secret)
	wire(t, answers(message("401 Unauthorized", "application/problem+json", body)), func(t *testing.T, c *api.Client) {
		_, err := c.Info(t.Context())
		var failed *api.Error
		if !errors.As(err, &failed) {
			t.Fatalf("got %T: %v", err, err)
		}
		says(t, err, "no: Bearer [redacted] (not [redacted]) [[redacted]]")
		if failed.Code != api.CodeUnauthorized || failed.Status != http.StatusUnauthorized || failed.Field != "[redacted]" {
			t.Errorf("got %+v", failed)
		}
	})
}

// A refusal is one whoever words it: a proxy that asks for a login answers 401
// with a page of its own.
func TestR20_ARefusalNeedsNoBodyOfThisAPI(t *testing.T) {
	tests := []struct {
		status, kind, body string
		code               api.Code
		want               string
	}{
		{"401 Unauthorized", "text/html", "<html>Log in, " + secret, api.CodeUnauthorized, "answered 401 Unauthorized (text/html): expected JSON; it begins with: <html>Log in, [redacted]"},
		{"401 Unauthorized", "text/plain", "", api.CodeUnauthorized, "expected JSON; it is empty"},
		{"401 Unauthorized", "application/json", `{"error":"who?"}`, api.CodeUnauthorized, "its error is none of this API"},
		{"403 Forbidden", "text/html", "<html>No", api.CodeForbidden, "answered 403 Forbidden (text/html): expected JSON"},
	}
	for _, tt := range tests {
		wire(t, answers(message(tt.status, tt.kind, tt.body)), func(t *testing.T, c *api.Client) {
			_, err := c.Info(t.Context())
			var failed *api.Error
			if !errors.As(err, &failed) || failed.Code != tt.code || !strings.HasPrefix(tt.status, fmt.Sprint(failed.Status)) {
				t.Fatalf("%s: got %T: %v", tt.status, err, err)
			}
			says(t, err, tt.want)
		})
	}
}

func TestAnErrorWithoutAMessageSaysItsCode(t *testing.T) {
	wire(t, answers(message("503 x", "application/json", `{"error":{"code":"draining"}}`)), func(t *testing.T, c *api.Client) {
		if _, err := c.Info(t.Context()); err == nil || err.Error() != "draining" {
			t.Errorf("got %v", err)
		}
	})
}

func TestEveryKindOfAnswerNeedsWhatItIsAbout(t *testing.T) {
	verbs := map[string]func(context.Context, *api.Client) error{
		"agents": func(ctx context.Context, c *api.Client) error { _, err := c.Agents(ctx); return err },
		"info":   func(ctx context.Context, c *api.Client) error { _, err := c.Info(ctx); return err },
		"tools":  func(ctx context.Context, c *api.Client) error { _, err := c.Tools(ctx, api.Binding{}); return err },
		"tool": func(ctx context.Context, c *api.Client) error {
			_, err := c.Tool(ctx, "t", false, api.Binding{})
			return err
		},
		"call": func(ctx context.Context, c *api.Client) error {
			_, err := c.Call(ctx, "t", api.CallRequest{})
			return err
		},
		"new":     func(ctx context.Context, c *api.Client) error { _, err := c.NewSession(ctx); return err },
		"list":    func(ctx context.Context, c *api.Client) error { _, err := c.Sessions(ctx, ""); return err },
		"session": func(ctx context.Context, c *api.Client) error { _, err := c.Session(ctx, "s"); return err },
		"delete":  func(ctx context.Context, c *api.Client) error { _, err := c.DeleteSession(ctx, "s"); return err },
	}
	for name, do := range verbs {
		for _, body := range []string{"{}", "null", `{"ok":true}`} {
			t.Run(name+" "+body, func(t *testing.T) {
				wire(t, answers(message("200 OK", "application/json", body)), func(t *testing.T, c *api.Client) {
					unreachable(t, do(t.Context(), c), "expected an answer of this API: it has no ")
				})
			})
		}
	}
	t.Run("half", func(t *testing.T) {
		wire(t, answers(message("200 OK", "application/json", `{"session":"s"}`)), func(t *testing.T, c *api.Client) {
			_, err := c.Call(t.Context(), "t", api.CallRequest{})
			unreachable(t, err, "it has no content")
		})
		wire(t, answers(message("200 OK", "application/json", `{"session":"s"}`)), func(t *testing.T, c *api.Client) {
			_, err := c.NewSession(t.Context())
			unreachable(t, err, "it has no continuationToken")
		})
	})
}
