package session

import (
	"context"
	"sync"
)

// Tails lets a store implement Wait: readers wait in it for a log to grow,
// and the store tells it when one did. The zero value is ready; it is safe for
// concurrent use. Its size is the number of sessions that are waited for.
type Tails struct {
	mu      sync.Mutex
	closed  bool
	waiting map[string]*tail
}

// A tail is a session someone waits for.
type tail struct {
	readers int
	last    int64         // as far as Moved has told
	moved   chan struct{} // closed when last changes or the store closes
}

// Wait returns nil once session's last sequence number is greater than after.
// It asks last for the number only if no Moved has told it since someone
// began to wait.
func (t *Tails) Wait(ctx context.Context, session string, after int64, last func() (int64, error)) error {
	tl, err := t.enter(session)
	if err != nil {
		return err
	}
	defer t.leave(session, tl)

	// Looking only after entering means that no growth falls between the two.
	if seen, _ := t.look(tl); seen <= after {
		stored, err := last()
		if err != nil {
			return err
		}
		if stored > after {
			return nil
		}
	}
	for {
		seen, moved := t.look(tl)
		if seen > after {
			return nil
		}
		if moved == nil {
			return ErrClosed
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-moved:
		}
	}
}

// Moved wakes who waits for session to grow up to last.
func (t *Tails) Moved(session string, last int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tl := t.waiting[session]; tl != nil && last > tl.last {
		tl.last = last
		close(tl.moved)
		tl.moved = make(chan struct{})
	}
}

// Close wakes everyone; their Wait, and every later one, returns [ErrClosed].
func (t *Tails) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	for _, tl := range t.waiting {
		close(tl.moved)
	}
}

// look returns the last known number and the channel of its next change, nil
// once the store is closed.
func (t *Tails) look(tl *tail) (int64, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return tl.last, nil
	}
	return tl.last, tl.moved
}

func (t *Tails) enter(session string) (*tail, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	tl := t.waiting[session]
	if tl == nil {
		if t.waiting == nil {
			t.waiting = make(map[string]*tail)
		}
		tl = &tail{moved: make(chan struct{})}
		t.waiting[session] = tl
	}
	tl.readers++
	return tl, nil
}

func (t *Tails) leave(session string, tl *tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tl.readers--; tl.readers == 0 {
		delete(t.waiting, session)
	}
}
