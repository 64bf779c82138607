//go:build unix

// Package stdio is the MCP transport to a server that is a program and speaks
// JSON-RPC on its standard streams, one message a line.
//
// It differs from the SDK's command transport where servers in the field do:
// a line may be long, and one that is too long fails its own call only; what
// is no message is skipped; the program runs in a process group of its own,
// of which nothing is left after Close; and when the program ends, the error
// says how.
package stdio

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Config says which program to run and what to tell of it. All but Path may
// be zero.
//
// Stderr and Junk are called from one goroutine each, and Close waits for
// them: they must not block and not call Close. Their lines have no line end,
// at most 4 KiB, and are as untrusted as the program.
type Config struct {
	// Path is the program: a path, relative to Dir, if it has a slash in it,
	// else a name that is looked up in the PATH of Env.
	Path string
	Args []string // without the name of the program
	Dir  string   // where it runs; "" is where we do
	// Env is the environment as NAME=value; nothing is inherited.
	Env []string
	// Grace is how long the program and its descendants may take to end after
	// standard input is closed, and again after TERM, before they get KILL;
	// 0 means 2 s.
	Grace time.Duration
	// MaxMessage is how many bytes a line may have, without its line end;
	// 0 means 64 MiB. Of a longer one only the ids of the answers in it are
	// kept, whose calls then fail.
	MaxMessage int
	// Stderr gets each line of standard error; nil drops them.
	Stderr func(line string)
	// Junk gets each line of standard output that is no message; nil drops
	// them.
	Junk func(line string)
}

const (
	defaultGrace      = 2 * time.Second
	defaultMaxMessage = 64 << 20
)

// A Transport runs a server once. It is safe for concurrent use.
type Transport struct {
	cfg     Config
	used    atomic.Bool
	process atomic.Pointer[process]
}

var _ mcp.Transport = (*Transport)(nil)

// New returns a transport that has not started its program.
func New(cfg Config) *Transport {
	if cfg.Grace <= 0 {
		cfg.Grace = defaultGrace
	}
	if cfg.MaxMessage <= 0 {
		cfg.MaxMessage = defaultMaxMessage
	}
	return &Transport{cfg: cfg}
}

// Connect starts the program; a second call is an error. The end of ctx does
// not end the program: Close of the connection does, and must be called even
// if the program has ended by itself.
//
// Read of the connection returns io.EOF after Close and an *ExitError after
// the program ended by itself; so does Write. A Write that is cancelled within
// a message breaks the connection: all later ones fail.
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.used.Swap(true) {
		return nil, errors.New("connect: a transport starts its server once; make a new one")
	}
	p, err := start(t.cfg)
	if err != nil {
		return nil, err
	}
	t.process.Store(p)
	return newConn(p, t.cfg), nil
}

// Exit returns how the program ended, also after Close; nil before that. It is
// for when the SDK has made a mere text of the error of Read or Write.
func (t *Transport) Exit() *ExitError {
	if p := t.process.Load(); p != nil && isClosed(p.ended) {
		return p.exit
	}
	return nil
}
