package mcpclient

import (
	"strconv"
	"sync"

	"agsh.dev/agent"
)

// A reporters is the calls of a session that may report progress, by token. It
// is safe for concurrent use.
type reporters struct {
	mu    sync.Mutex
	last  int
	calls map[string]*reporter
}

// A reporter is one of them.
type reporter struct {
	mu     sync.Mutex
	report func(agent.Progress) // nil after the call
}

// add makes a token for a call. After done, report is not called and does not
// run any more.
func (r *reporters) add(report func(agent.Progress)) (token string, done func()) {
	call := &reporter{report: report}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	token = strconv.Itoa(r.last)
	if r.calls == nil {
		r.calls = map[string]*reporter{}
	}
	r.calls[token] = call
	return token, func() {
		r.mu.Lock()
		delete(r.calls, token)
		r.mu.Unlock()
		call.mu.Lock()
		call.report = nil
		call.mu.Unlock()
	}
}

// tell passes progress on to the call of a token. That of a call that is over
// is dropped.
func (r *reporters) tell(token any, p agent.Progress) {
	name, ok := token.(string)
	if !ok {
		return
	}
	r.mu.Lock()
	call := r.calls[name]
	r.mu.Unlock()
	if call == nil {
		return
	}
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.report != nil {
		call.report(p)
	}
}
