package runner

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of one connection, and of the wait for the last answers.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	lastAnswers   = 5 * time.Second
)

// A server answers requests. Unlike an [http.Server] it knows when the last
// of its handlers has returned.
type server struct {
	http   *http.Server
	failed chan error // one error, once it serves no longer

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup // added to under mu while not closed
}

// enter counts a handler, unless the server is closed.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	return true
}

// serving answers requests that come in at ln.
func serving(handler http.Handler, ln net.Listener, log *slog.Logger) *server {
	s := &server{failed: make(chan error, 1)}
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.enter() {
				panic(http.ErrAbortHandler)
			}
			defer s.handlers.Done()
			handler.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout:            headerTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true, // it would answer before anyone asks who calls
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { s.failed <- s.http.Serve(ln) }()
	return s
}

// shutdown lets the last answers go out, closes every connection and waits
// for the handlers.
func (s *server) shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lastAnswers)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.handlers.Wait()
	return err
}
