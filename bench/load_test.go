//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// target serves h and returns a load of n connections on it.
func target(t *testing.T, n int, h http.HandlerFunc) load {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	l := load{addr: srv.Listener.Addr().String()}
	for range n {
		l.requests = append(l.requests, post(l.addr, "/v1/tools/echo", `{"args":{}}`))
	}
	return l
}

func TestLoadSendsWholeRequests(t *testing.T) {
	var good atomic.Int64
	l := target(t, 3, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost && r.URL.Path == "/v1/tools/echo" && string(body) == `{"args":{}}` {
			good.Add(1)
		}
		_, _ = io.WriteString(w, `{"isError":false}`)
	})
	if err := l.send(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if n := good.Load(); n < 98 || n > 102 {
		t.Errorf("%d good requests arrived, want about 100", n)
	}
	f, err := l.flow(t.Context(), 50*time.Millisecond)
	if err != nil || f.rate <= 0 || f.p50 <= 0 || f.p99 < f.p50 {
		t.Errorf("flow = %+v, %v", f, err)
	}
}

func TestLoadFails(t *testing.T) {
	tests := []struct {
		name   string
		handle http.HandlerFunc
		want   string
	}{
		{"on a status", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such tool", 404) }, "404 Not Found: no such tool"},
		{"on a tool's error", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"isError":true}`) }, "the tool failed"},
		{"without a length", func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush() }, "Content-Length"},
		{"when the server goes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := target(t, 2, tt.handle).send(t.Context(), 10); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := target(t, 2, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is the client's end noticed
		cancel()
		<-r.Context().Done()
	})
	if err := l.send(ctx, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
