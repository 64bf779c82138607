package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"agsh.dev/api"
)

const secret = "example_token_123"

// roundTrips is a transport onto a function, for what needs no connection.
type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// serve returns a client of a server that is a function.
func serve(t *testing.T, target string, cfg api.Config, h http.HandlerFunc) *api.Client {
	t.Helper()
	cfg.Transport = roundTrips(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		h(w, r)
		return w.Result(), nil
	})
	c, err := api.NewClient(target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wire runs do in a bubble with a client whose connections are those that peer
// answers. The bubble ends only if nothing of client and peer is left behind.
func wire(t *testing.T, peer func(net.Conn), do func(*testing.T, *api.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		transport := &http.Transport{
			DisableCompression: true,
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() {
					defer func() { _ = theirs.Close() }()
					peer(theirs)
				}()
				return ours, nil
			},
		}
		c, err := api.NewClient("http://127.0.0.1:1/a", api.Config{Transport: transport, BearerToken: secret})
		if err != nil {
			t.Fatal(err)
		}
		do(t, c)
		c.Close()
	})
}

// answers is a peer that reads one request and writes text.
func answers(text string) func(net.Conn) {
	return func(conn net.Conn) {
		if readRequest(bufio.NewReader(conn)) == nil {
			return
		}
		_, _ = io.WriteString(conn, text)
	}
}

func readRequest(r *bufio.Reader) *http.Request {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, req.Body)
	return req
}

// message is a whole answer with a length.
func message(status, kind, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, kind, len(body), body)
}

// unreachable fails the test unless err is an UnreachableError that says all
// of want and not the token.
func unreachable(t *testing.T, err error, want ...string) {
	t.Helper()
	if _, ok := errors.AsType[*api.UnreachableError](err); !ok {
		t.Fatalf("got %T (%v), want an UnreachableError", err, err)
	}
	says(t, err, want...)
}

func says(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if text := fmt.Sprintf("%v %+v %q", err, err, err); strings.Contains(text, secret) {
		t.Errorf("%s shows the token", text)
	}
	if len(err.Error()) > 1000 {
		t.Errorf("the error has %d bytes: %.200s…", len(err.Error()), err)
	}
}
