// Package mcpclient keeps an agent's connections to MCP servers: it starts
// them, lists their tools and calls them, and starts them again when they are
// gone.
package mcpclient

import (
	"context"
	"encoding/json"
	"log/slog"
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
type Pool struct{}

// New returns a pool of connections that are not made yet.
func New(conns []agent.Connection, cfg Config) *Pool { panic("contract") }

// Start begins to connect in the background. It returns at once.
func (p *Pool) Start() {}

// Tools returns the newest listing. It waits, at most until ctx ends, for
// connections that are being made for the first time, and begins to make
// those anew whose last attempt failed long enough ago.
func (p *Pool) Tools(ctx context.Context) *Listing { return nil }

// Now is the newest listing, without waiting for anything.
func (p *Pool) Now() *Listing { return nil }

// Call calls a tool by connection and upstream name, connecting first if need
// be.
func (p *Pool) Call(ctx context.Context, connection, tool string, args json.RawMessage) (agent.Result, error) {
	return agent.Result{}, nil
}

// Close ends all connections and the programs behind them, and returns when
// nothing of them is left.
func (p *Pool) Close() {}
