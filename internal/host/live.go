package host

import (
	"container/list"
	"context"
	"fmt"
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
	deleting int                           // how many are about to delete it
	ready    bool                          // its workspace is there
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

// failed reports whether the session could not be opened or made.
func (l *live) failed() bool {
	select {
	case <-l.opened:
		return l.err != nil || l.log == nil
	default:
		return true
	}
}

// begin registers a running call, which cancel ends. It reports false when
// the session is being deleted.
func (l *live) begin(call string, cancel context.CancelFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deleting > 0 {
		return false
	}
	if l.running == nil {
		l.running = make(map[string]context.CancelFunc)
	}
	if len(l.running) == 0 {
		l.settled = make(chan struct{})
	}
	l.running[call] = cancel
	return true
}

// end takes a call that has its result, or never will, off the running ones.
func (l *live) end(call string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, call)
	if len(l.running) == 0 {
		close(l.settled)
		l.settled = nil
	}
}

// shut refuses new calls and cancels those that run, until reopen.
func (l *live) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleting++
	for _, cancel := range l.running {
		cancel()
	}
}

func (l *live) reopen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleting--
}

// settle waits for the calls that run, at most for the given time.
func (l *live) settle(ctx context.Context, wait time.Duration) error {
	l.mu.Lock()
	settled := l.settled
	l.mu.Unlock()
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
		return fmt.Errorf("session %s: a call in it did not stop within %s", l.id, wait)
	}
}

// orphans are the calls that the log shows open and that nobody runs: their
// results could not be recorded.
func (l *live) orphans() []session.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A call is open in the log only between begin and end, unless its result
	// was lost.
	var lost []session.Call
	for _, call := range l.log.State().Open {
		if _, ok := l.running[call.ID]; !ok {
			lost = append(lost, call)
		}
	}
	return lost
}
