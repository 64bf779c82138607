package host

import (
	"container/list"
	"context"
	"sync"
	"time"

	"agsh.dev/internal/session"
)

// maxIdle is how many sessions nobody uses keep their log open. An open log
// is a few kilobytes; opening one again reads a single row.
const maxIdle = 512

// A live is a session in use: its one log in this process and the calls that
// run in it.
type live struct {
	id     string
	opened chan struct{} // closed once log or err is set
	log    *session.Log
	err    error

	refs int           // guarded by lives.mu
	idle *list.Element // in lives.idle when refs is 0

	mu       sync.Mutex
	running  map[string]context.CancelFunc // by call id
	settled  chan struct{}                 // closed when running got empty; nil when it is
	deleting bool
	ready    bool // its workspace is there
}

// lives holds every session in use, so that no session ever has two writers.
type lives struct {
	mu   sync.Mutex
	open map[string]*live
	idle *list.List // least recently used first
}

func (ls *lives) init() { ls.open, ls.idle = make(map[string]*live), list.New() }

// acquire returns the session's live, opened by open if it is not in use. The
// caller releases it.
func (ls *lives) acquire(ctx context.Context, id string, open func() (*session.Log, error)) (*live, error) {
	ls.mu.Lock()
	l, ok := ls.open[id]
	if !ok {
		l = &live{id: id, opened: make(chan struct{})}
		ls.open[id] = l
	}
	ls.retain(l)
	ls.mu.Unlock()
	if !ok {
		l.log, l.err = open()
		close(l.opened)
	}
	select {
	case <-l.opened:
	case <-ctx.Done():
		ls.release(l)
		return nil, ctx.Err()
	}
	if l.err != nil {
		ls.release(l)
		return nil, l.err
	}
	return l, nil
}

// retain is called with mu held.
func (ls *lives) retain(l *live) {
	l.refs++
	if l.idle != nil {
		ls.idle.Remove(l.idle)
		l.idle = nil
	}
}

func (ls *lives) release(l *live) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l.refs--; l.refs > 0 {
		return
	}
	if l.failed() {
		delete(ls.open, l.id)
		return
	}
	l.idle = ls.idle.PushBack(l)
	for ls.idle.Len() > maxIdle {
		oldest := ls.idle.Remove(ls.idle.Front()).(*live)
		oldest.idle = nil
		delete(ls.open, oldest.id)
	}
}

// failed reports whether the session could not be opened, or was deleted.
func (l *live) failed() bool {
	select {
	case <-l.opened:
		return l.err != nil || l.log == nil
	default:
		return true
	}
}

// cancelAll cancels every call of every session.
func (ls *lives) cancelAll() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.open {
		l.cancel()
	}
}

// begin registers a running call and returns its context, or false when the
// session is being deleted.
func (l *live) begin(ctx context.Context, call string) (context.Context, func(), bool) {
	ctx, cancel := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deleting {
		cancel()
		return nil, nil, false
	}
	if l.running == nil {
		l.running = make(map[string]context.CancelFunc)
	}
	if len(l.running) == 0 {
		l.settled = make(chan struct{})
	}
	l.running[call] = cancel
	return ctx, func() { l.end(call) }, true
}

func (l *live) end(call string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[call]()
	delete(l.running, call)
	if len(l.running) == 0 {
		close(l.settled)
		l.settled = nil
	}
}

func (l *live) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, cancel := range l.running {
		cancel()
	}
}

// shut refuses new calls, cancels those that run and waits for them, at most
// for the given time. It reports whether all have ended.
func (l *live) shut(ctx context.Context, wait time.Duration) bool {
	l.mu.Lock()
	l.deleting = true
	settled := l.settled
	l.mu.Unlock()
	if settled == nil {
		return true
	}
	l.cancel()
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	select {
	case <-settled:
		return true
	case <-ctx.Done():
		return false
	}
}
