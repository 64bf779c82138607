package mcpclient

import (
	"context"
	"errors"
	"sync"
)

var errClosed = errors.New("the runtime is ending")

// A life is how long a pool's work may go on.
type life struct {
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
	cancel context.CancelFunc
	run    func(f func(context.Context))
	after  func(f func()) (stop func() bool)
}

func newLife() *life {
	// The pool's work is nobody's request: it ends with the pool.
	ctx, cancel := context.WithCancel(context.Background())
	return &life{
		cancel: cancel,
		run:    func(f func(context.Context)) { f(ctx) },
		after:  func(f func()) func() bool { return context.AfterFunc(ctx, f) },
	}
}

// begin runs f in the background. Its context ends when the life does. It
// reports false, and does nothing, after that.
func (l *life) begin(f func(context.Context)) bool {
	if !l.enter() {
		return false
	}
	go func() {
		defer l.work.Done()
		l.run(f)
	}()
	return true
}

func (l *life) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.work.Add(1)
	return true
}

// join returns a context that also ends with the life, with [errClosed] as its
// cause, or with cancel. The life does not end before leave is called.
func (l *life) join(ctx context.Context) (joined context.Context, cancel context.CancelCauseFunc, leave func(), err error) {
	if !l.enter() {
		return nil, nil, nil, errClosed
	}
	ctx, cancel = context.WithCancelCause(ctx)
	stop := l.after(func() { cancel(errClosed) })
	return ctx, cancel, func() {
		stop()
		cancel(nil)
		l.work.Done()
	}, nil
}

// end ends the work and returns when all of it has.
func (l *life) end() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
}
