package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// handler serves the tools at /mcp, to those who know the token if there is
// one, and the status page at /status to all.
func handler(server *mcp.Server, token string) http.Handler {
	tools := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{SessionTimeout: time.Hour})
	mux := http.NewServeMux()
	mux.Handle("/mcp", authorized(tools, token))
	mux.HandleFunc("GET /status", status)
	return mux
}

func authorized(next http.Handler, token string) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			answer(w, http.StatusUnauthorized, map[string]string{"error": "the token is missing or wrong; it has to be the one in TRACKER_TOKEN"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// status tells whether the service named by the parameter may be released.
func status(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("service")
	if name != service {
		answer(w, http.StatusNotFound, map[string]string{"error": fmt.Sprintf("there is no service %q; there is %s", name, service)})
		return
	}
	answer(w, http.StatusOK, releaseStatus())
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// serveHTTP serves h at addr until ctx ends, and calls ready with the address
// once it listens.
func serveHTTP(ctx context.Context, addr string, h http.Handler, ready func(addr string)) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		// A client that follows a stream never goes by itself.
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(patience) != nil {
			_ = server.Close() // all is lost anyway
		}
	})
	ready(listener.Addr().String())
	err = server.Serve(listener)
	if !stop() {
		<-done
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
