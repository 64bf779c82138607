package host

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// An openSession is a session in use: its one log in this process and the
// calls that run in it.
type openSession struct {
	id     string
	opened chan struct{} // closed once log or err is set
	log    *session.Log
	err    error

	refs int           // guarded by registry.mu
	idle *list.Element // in registry.idle when refs is 0

	workspace atomic.Bool // its directory is there

	mu       sync.Mutex
	running  map[string]context.CancelFunc // by call id
	settled  chan struct{}                 // closed when running got empty; nil when it is
	deleting int                           // how many are about to delete it
}

func newOpenSession(id string) *openSession {
	return &openSession{id: id, opened: make(chan struct{})}
}

// begin registers a running call, which cancel ends. It reports false when
// the session is being deleted.
func (s *openSession) begin(call string, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deleting > 0 {
		return false
	}
	if s.running == nil {
		s.running = make(map[string]context.CancelFunc)
	}
	if len(s.running) == 0 {
		s.settled = make(chan struct{})
	}
	s.running[call] = cancel
	return true
}

// end takes a call that has its result, or never will, off the running ones.
func (s *openSession) end(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, call)
	if len(s.running) == 0 {
		close(s.settled)
		s.settled = nil
	}
}

// shut refuses new calls and cancels those that run, until reopen.
func (s *openSession) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleting++
	for _, cancel := range s.running {
		cancel()
	}
}

func (s *openSession) reopen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleting--
}

// settle waits for the calls that run, at most for the given time.
func (s *openSession) settle(ctx context.Context, wait time.Duration) error {
	s.mu.Lock()
	settled := s.settled
	s.mu.Unlock()
	if settled == nil {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("session %s: a call in it did not stop within %s", s.id, wait)
	}
}

// orphans are the calls that the log shows open and that nobody runs: their
// results could not be recorded.
func (s *openSession) orphans() []session.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A call is open in the log only between begin and end, unless its result
	// was lost.
	var lost []session.Call
	for _, call := range s.log.State().Open {
		if _, ok := s.running[call.ID]; !ok {
			lost = append(lost, call)
		}
	}
	return lost
}

// A scratch records a call in a session that its first append creates, so
// that a call without a session still takes a single commit. The gate never
// calls it from two goroutines at once.
type scratch struct {
	agent   *Agent
	session *openSession // reserved
	by      string
}

func (s *scratch) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	switch {
	case s.session.err != nil:
		return nil, s.session.err
	case s.session.log != nil:
		return s.session.log.Append(ctx, events...)
	}
	h := s.agent.host
	token := h.cfg.TokenKey.Token(s.session.id, 1)
	log, err := session.Create(ctx, h.sessions, s.session.id, s.by, s.agent.started(token, true), events...)
	h.registry.opened(s.session, log, err)
	return events, err
}
