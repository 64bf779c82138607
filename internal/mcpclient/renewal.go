package mcpclient

import "sync"

// A renewals is what those wait for who want a server's list as new as its
// notices. It is safe for concurrent use; its zero value is ready.
type renewals struct {
	mu sync.Mutex
	// next is closed by the renewal to come, running by the one under way;
	// nil if there is none.
	next, running chan struct{}
	over          bool // none will come
}

// expect says that the list has changed.
func (r *renewals) expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil && !r.over {
		r.next = make(chan struct{})
	}
}

// due returns what is closed once the list is as new as all that was expected
// so far, or never will be.
func (r *renewals) due() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.next != nil:
		return r.next
	case r.running != nil:
		return r.running
	}
	return closed()
}

// begin begins a renewal for all that was expected so far; done ends it.
func (r *renewals) begin() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.next = r.next, nil
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		release(&r.running)
	}
}

// end lets all go who wait.
func (r *renewals) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	release(&r.next)
	release(&r.running)
}

func release(c *chan struct{}) {
	if *c != nil {
		close(*c)
		*c = nil
	}
}

// closed is for what need not be waited for.
func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
