package host

import (
	"container/list"
	"context"
	"sync"

	"agsh.dev/internal/session"
)

// maxIdle is how many sessions nobody uses keep their log open. An open log
// is a few kilobytes; opening one again reads a single row.
const maxIdle = 512

// A registry holds every session in use, so that no session ever has two
// writers.
type registry struct {
	mu   sync.Mutex
	open map[string]*openSession
	idle *list.List // least recently used first
}

func newRegistry() registry {
	return registry{open: make(map[string]*openSession), idle: list.New()}
}

// acquire returns a session, opened by open if it is not in use. The caller
// releases it.
func (r *registry) acquire(ctx context.Context, id string, open func() (*session.Log, error)) (*openSession, error) {
	r.mu.Lock()
	s, ok := r.open[id]
	if !ok {
		s = newOpenSession(id)
		r.open[id] = s
	}
	r.retain(s)
	r.mu.Unlock()
	if !ok {
		log, err := open()
		r.opened(s, log, err)
	}
	select {
	case <-s.opened:
	case <-ctx.Done():
		r.release(s)
		return nil, ctx.Err()
	}
	if s.err != nil {
		r.release(s)
		return nil, s.err
	}
	return s, nil
}

// reserve takes the place of a session that does not exist yet, so that
// nobody opens it before it is made. The caller calls opened, unless the
// session never comes to be, and releases it.
func (r *registry) reserve(id string) *openSession {
	s := newOpenSession(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[id] = s
	r.retain(s)
	return s
}

// opened says how opening a session went, to all that wait for it. One that
// failed is not kept: the next one tries again.
func (r *registry) opened(s *openSession, log *session.Log, err error) {
	s.log, s.err = log, err
	if err != nil {
		r.mu.Lock()
		delete(r.open, s.id)
		r.mu.Unlock()
	}
	close(s.opened)
}

// retain is called with mu held.
func (r *registry) retain(s *openSession) {
	s.refs++
	if s.idle != nil {
		r.idle.Remove(s.idle)
		s.idle = nil
	}
}

func (r *registry) release(s *openSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.refs--; s.refs > 0 || r.open[s.id] != s {
		return
	}
	if s.log == nil { // reserved, and never made
		delete(r.open, s.id)
		return
	}
	s.idle = r.idle.PushBack(s)
	for r.idle.Len() > maxIdle {
		oldest := r.idle.Remove(r.idle.Front()).(*openSession)
		oldest.idle = nil
		delete(r.open, oldest.id)
	}
}
