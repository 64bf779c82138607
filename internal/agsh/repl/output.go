package repl

import (
	"errors"
	"sync"
)

// maxWaiting is how many bytes of output wait for the screen before those who
// write have to wait too.
const maxWaiting = 64 << 10

var errClosed = errors.New("the terminal is closed")

// An output carries what running entries print to the one goroutine that
// writes to the terminal. It is safe for concurrent use.
type output struct {
	ready chan struct{} // has a value when there is something to take

	mu     sync.Mutex
	room   sync.Cond
	buf    []byte
	closed bool
}

func newOutput() *output {
	o := &output{ready: make(chan struct{}, 1)}
	o.room.L = &o.mu
	return o
}

// Write returns when all of p waits to be shown, or with an error once the
// screen has closed. What several write at once is not mixed if it is small.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for rest := p; len(rest) > 0; {
		for len(o.buf) > 0 && len(o.buf)+len(rest) > maxWaiting && !o.closed {
			if len(o.buf) < maxWaiting && len(rest) > maxWaiting {
				break
			}
			o.room.Wait()
		}
		if o.closed {
			return len(p) - len(rest), errClosed
		}
		n := min(len(rest), maxWaiting-len(o.buf))
		o.buf = append(o.buf, rest[:n]...)
		rest = rest[n:]
		select {
		case o.ready <- struct{}{}:
		default: // it was told already
		}
	}
	return len(p), nil
}

// take returns what waits.
func (o *output) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.buf
	o.buf = nil
	o.room.Broadcast()
	return p
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.room.Broadcast()
}
