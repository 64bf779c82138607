package host

import (
	"sync/atomic"

	"agsh.dev/internal/mcpclient"
)

// A pool is the connections of an agent. Definitions that follow one another
// and have the same connections share one, and calls may run under several of
// them, so the last one that leaves closes it.
type pool struct {
	*mcpclient.Pool
	users atomic.Int64
}

// newPool returns a pool with one user.
func newPool(p *mcpclient.Pool) *pool {
	shared := &pool{Pool: p}
	shared.users.Store(1)
	return shared
}

// share adds a user. The caller is one, or keeps one from leaving.
func (p *pool) share() *pool {
	p.users.Add(1)
	return p
}

// leave takes a user away.
func (p *pool) leave() {
	if p.users.Add(-1) == 0 {
		p.Close()
	}
}
