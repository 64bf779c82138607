package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Connection is an MCP server whose tools the agent has. It is reached over
// the standard streams of a program, or over streamable HTTP: exactly one of
// Command and URL is set.
type Connection struct {
	// Name is a letter, then at most 63 letters, digits, _ or -.
	Name        string
	Description string

	// Command is the program: a path, or a name that is looked up in PATH.
	Command string
	Args    []string
	// Env is what the program gets beside the few variables every server
	// gets. Values may hold secrets.
	Env map[string]string
	// Cwd is where it runs, absolute.
	Cwd string

	// URL is the server's endpoint, http or https.
	URL string
	// Headers go with every request. Values may hold secrets.
	Headers map[string]string

	// Allow and Deny are globs over upstream names: a tool is taken if Allow
	// is empty or one of it matches, and none of Deny does.
	Allow, Deny []string
	// Prefix is put in front of every name the agent sees, and Rename gives
	// an upstream name another one, before that.
	Prefix string
	Rename map[string]string
	// Approval is how often a tool asks, by a glob over upstream names. Of
	// several that match the strictest counts.
	Approval map[string]ApprovalMode

	// NoRoots keeps the workspaces of sessions from the server, which is told
	// of them when it asks for its roots.
	NoRoots bool

	// ConnectTimeout bounds start, handshake and first listing; 0 means
	// [DefaultConnectTimeout].
	ConnectTimeout time.Duration
	// Timeout is how long a call may be silent: every progress report of the
	// server begins it anew. 0 means [DefaultTimeout].
	Timeout time.Duration
	// TotalTimeout bounds a call whatever is reported; 0 means
	// [DefaultTotalTimeout], or Timeout if that is longer.
	TotalTimeout time.Duration
}

// The timeouts of a [Connection] that names none.
const (
	DefaultConnectTimeout = 20 * time.Second
	DefaultTotalTimeout   = 10 * time.Minute
)

// Progress is how far a call has come, as its tool reports it.
type Progress struct {
	// Done grows; Total is 0 when it is not known.
	Done, Total float64
	// Message says what is being done, or nothing. It is untrusted text.
	Message string
}

// Report tells whoever waits for the call that ctx belongs to how far it has
// come. It does nothing when nobody listens, and may be called by several
// goroutines at once, but not after the tool's Run has returned.
func Report(ctx context.Context, p Progress) {
	if call, ok := CallFrom(ctx); ok && call.Progress != nil {
		call.Progress(p)
	}
}

// ErrNoHostConnection is the error of [CallHost] for a name that no host
// connection of the agent has.
var ErrNoHostConnection = errors.New("the agent has no host connection of this name")

// CallHost calls a tool of one of the agent's host connections, under the
// tool's upstream name. Only tools can do that, within their Run: what they
// let through is theirs to decide, since neither the model nor callers of the
// API see host connections.
func CallHost(ctx context.Context, connection, tool string, args json.RawMessage) (Result, error) {
	call, ok := CallFrom(ctx)
	if !ok || call.Host == nil {
		return Result{}, ErrNoHostConnection
	}
	return call.Host(ctx, connection, tool, args)
}
