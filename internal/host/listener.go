package host

import (
	"sync"

	"agsh.dev/agent"
)

// A listener hands the reports of a call to whoever waits for it. Tools
// report from any goroutine, also from one that outlives the call.
type listener struct {
	tell func(agent.Progress)

	mu   sync.Mutex
	over bool
}

func (l *listener) progress(p agent.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.tell(p)
	}
}

// end returns once nothing is told any more.
func (l *listener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}
