// Package mcpclient keeps an agent's connections to MCP servers: it starts
// them, lists their tools and calls them, and starts them again when they are
// gone.
package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"agsh.dev/agent"
)

// Config is what connections need from outside. Its zero value works.
type Config struct {
	// Version is what the client says of itself in handshakes.
	Version string
	// Getenv reads the runtime's environment, of which servers that are
	// programs get a few variables; nil means an empty one.
	Getenv func(string) string
	// Roots is the directory that holds the workspaces of the agent's
	// sessions, absolute; "" means that servers get no roots.
	Roots string
	// Log gets what a person running the server should see, also what
	// programs write to standard error; nil discards.
	Log *slog.Logger
	// Grace is how long a program may take to end after its standard input
	// is closed, and again after TERM, before it gets KILL; 0 means 2 s.
	Grace time.Duration
}

// A Listing is what all connections offer at one time. It is never changed.
type Listing struct {
	// Version differs between any two listings that differ.
	Version uint64
	// Connections are in the order they were configured.
	Connections []Listed
}

// A Listed is one connection in a listing.
type Listed struct {
	Name string
	// Err says why there are no tools; nil when the connection is up.
	Err error
	// Tools are in the server's order, filtered and named as configured.
	Tools []Tool
}

// A Tool is a tool of a server. Its Name is the one to advertise; its Run
// calls the server.
type Tool struct {
	agent.Func
	Upstream string // its name on the server
	// Connector is the service behind an aggregating server that the tool is
	// of, or "".
	Connector string
}

// A Pool is the connections of one agent. It is safe for concurrent use.
type Pool struct {
	life  *life
	links []*link

	mu  sync.Mutex // serializes update
	now atomic.Pointer[Listing]
}

// New returns a pool of connections that are not made yet.
func New(conns []agent.Connection, cfg Config) *Pool {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Getenv == nil {
		cfg.Getenv = func(string) string { return "" }
	}
	p := &Pool{life: newLife()}
	for _, c := range conns {
		p.links = append(p.links, newLink(c, cfg, p.life, p.update))
	}
	p.update()
	return p
}

// Start begins to connect in the background. It returns at once.
func (p *Pool) Start() {
	for _, l := range p.links {
		l.refresh()
	}
}

// Tools returns the newest listing. It waits, at most until ctx ends, for
// connections that are being made for the first time or since they broke, and
// for lists that servers said have changed. It begins to make those anew whose
// last attempt failed long enough ago, which are waited for a moment only:
// they may hang as they did before.
func (p *Pool) Tools(ctx context.Context) *Listing {
	brief, cancel := context.WithTimeout(ctx, retryWait)
	defer cancel()
	var waits []wait
	for _, l := range p.links {
		waits = append(waits, l.refresh())
	}
	for _, w := range waits {
		until := ctx
		if w.retry {
			until = brief
		}
		select {
		case <-w.done:
		case <-until.Done():
		}
	}
	return p.Now()
}

// Now is the newest listing, without waiting for anything. A connection that
// is being made for the first time is listed with an error that says so.
func (p *Pool) Now() *Listing { return p.now.Load() }

// Call calls a tool by connection and upstream name, connecting first if need
// be. A tool that the configuration leaves out cannot be called.
//
// A result that the server marks as an error is a result; an error says that
// there is none. It wraps [context.DeadlineExceeded] if the connection's
// limits were reached.
func (p *Pool) Call(ctx context.Context, connection, tool string, args json.RawMessage) (agent.Result, error) {
	for _, l := range p.links {
		if l.conn.Name == connection {
			return l.call(ctx, tool, args)
		}
	}
	return agent.Result{}, fmt.Errorf("call %s of connection %s: there is no such connection", tool, connection)
}

// Close ends all connections and the programs behind them, and returns when
// nothing of them is left. Calls under way fail.
func (p *Pool) Close() { p.life.end() }

// update makes a new listing if what it says differs from the newest one.
func (p *Pool) update() {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := &Listing{Version: 1, Connections: make([]Listed, len(p.links))}
	for i, l := range p.links {
		next.Connections[i] = l.listed()
	}
	if last := p.now.Load(); last != nil {
		if slices.EqualFunc(last.Connections, next.Connections, sameListed) {
			return
		}
		next.Version = last.Version + 1
	}
	p.now.Store(next)
}

func sameListed(a, b Listed) bool {
	return a.Name == b.Name && reason(a.Err) == reason(b.Err) && slices.EqualFunc(a.Tools, b.Tools, sameTool)
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// sameTool compares all but Run, which does the same for the same upstream.
func sameTool(a, b Tool) bool {
	return a.Upstream == b.Upstream && a.Connector == b.Connector && reflect.DeepEqual(a.Definition, b.Definition)
}
