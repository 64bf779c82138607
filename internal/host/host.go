// Package host keeps the agents of one process: their namespaces, their
// sessions and the calls that run. It is the one object every front door
// calls; it speaks no protocol itself.
package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/mcpclient"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/session"
	"agsh.dev/internal/toolset"
)

// Config is what a [Host] is made of. Agents, Store, Dir and TokenKey are
// required.
type Config struct {
	Agents []agent.Agent
	Store  session.Store
	// Dir holds the files of sessions, one directory each.
	Dir string
	// TokenKey is the secret continuation tokens are derived from.
	TokenKey session.TokenKey
	// Scripts configures executable tools.
	Scripts scripttool.Config
	// Connections configures those to MCP servers; Roots is set by the host.
	Connections mcpclient.Config
	// Log gets what a person running the server should see; nil discards.
	Log *slog.Logger
	// NewID makes an id from its prefix; nil means random letters and digits.
	NewID func(prefix string) string
}

// A Host serves agents. It is safe for concurrent use.
type Host struct {
	cfg        Config
	sessions   session.Config
	gate       toolset.Gate
	slots      chan struct{} // for programs that run
	registry   registry
	deleteWait time.Duration   // how long a delete waits for the calls it cancelled
	halted     context.Context //nolint:containedctx // ends, for every call, when the host is closed
	halt       context.CancelFunc

	mu       sync.Mutex
	agents   []*Agent
	draining bool
	running  sync.WaitGroup // what changes sessions; added to under mu while not draining
	retiring sync.WaitGroup // agents that were replaced and are still in use
}

// Principal is who asks.
type Principal struct{ ID string }

// slug is what an agent may be called: its name goes into URLs and paths.
var slug = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// New returns a host of the agents in cfg. It assembles every agent's
// namespace, so a definition that cannot be served is an error here.
func New(cfg Config) (*Host, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.NewID == nil {
		cfg.NewID = func(prefix string) string { return prefix + rand.Text() }
	}
	if cfg.Scripts.MaxOutput == 0 {
		// A little less than the gate lets through, so that an output is cut
		// once, with the notes of a failed run behind it.
		cfg.Scripts.MaxOutput = toolset.DirectOutput - 32<<10
	}
	h := &Host{
		cfg:      cfg,
		sessions: session.Config{Store: cfg.Store, NewID: cfg.NewID},
		slots:    make(chan struct{}, maxPrograms),
		registry: newRegistry(),
	}
	h.halted, h.halt = context.WithCancel(context.Background())
	// Whoever stops a call waits for longer than what it stops may take: the
	// gate for an executable, a delete for the gate.
	h.gate = toolset.Gate{Stop: cmp.Or(cfg.Scripts.Grace, scripttool.DefaultGrace) + 2*time.Second}
	h.deleteWait = h.gate.Stop + 3*time.Second
	agents, err := h.build(cfg.Agents)
	if err != nil {
		return nil, err
	}
	h.agents = agents
	return h, nil
}

// build makes agents of their definitions; nothing of them is started.
func (h *Host) build(defs []agent.Agent) ([]*Agent, error) {
	names := make(map[string]bool, len(defs))
	agents := make([]*Agent, 0, len(defs))
	for _, def := range defs {
		if !slug.MatchString(def.Name) {
			return nil, fmt.Errorf("agent %q: a name is a letter, then at most 63 letters, digits, _ or -", def.Name)
		}
		if names[def.Name] {
			return nil, fmt.Errorf("agent %s: two agents have this name", def.Name)
		}
		names[def.Name] = true
		own, err := assemble(def, h.cfg.Scripts, h.slots)
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", def.Name, err)
		}
		a := &Agent{host: h, def: def, own: own, gate: h.gate}
		a.mcp = h.connections(def, def.Connections)
		a.hostMCP = h.connections(def, def.HostConnections)
		agents = append(agents, a)
	}
	return agents, nil
}

// connections returns a pool of an agent's connections; nil of none.
func (h *Host) connections(def agent.Agent, conns []agent.Connection) *pool {
	if len(conns) == 0 {
		return nil
	}
	cfg := h.cfg.Connections
	cfg.Roots = filepath.Join(h.cfg.Dir, def.Name)
	return newPool(mcpclient.New(conns, cfg))
}

// Start begins to connect to MCP servers, in the background. Close ends what
// it started.
func (h *Host) Start() {
	for _, a := range h.Agents() {
		a.start()
	}
}

// maxPrograms is how many executables run at once in one process: each holds a
// thread and a few files. More wait.
const maxPrograms = 256

// Agents returns the agents in the order they were given.
func (h *Host) Agents() []*Agent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.agents)
}

// Agent finds an agent by its slug.
func (h *Host) Agent(slug string) (*Agent, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.agents {
		if a.def.Name == slug {
			return a, true
		}
	}
	return nil, false
}

// Recover settles what an earlier process left open: every call without a
// result gets the result "lost", since nobody waits for it any more and
// whether it happened is not known. That holds for every session in the
// store, also of agents that are served no longer. It must run before the
// host is used.
func (h *Host) Recover(ctx context.Context) error {
	for {
		rows, err := h.cfg.Store.List(ctx, session.Query{Open: true})
		if err != nil {
			return fmt.Errorf("find unfinished calls: %w", err)
		}
		for _, row := range rows {
			if err := h.settle(ctx, row.Session); err != nil {
				return fmt.Errorf("settle session %s: %w", row.Session, err)
			}
		}
		if len(rows) == 0 {
			return nil
		}
	}
}

func (h *Host) settle(ctx context.Context, id string) error {
	log, err := session.Open(ctx, h.sessions, id)
	if err != nil {
		return err
	}
	return h.lose(ctx, log, log.State().Open, "the server stopped while the call ran: it may or may not have happened")
}

// settleOrphans gives calls whose results could not be recorded, as on a full
// disk, the result "lost". It is tried whenever the session is used: what
// keeps it from working now may be mended then.
func (h *Host) settleOrphans(ctx context.Context, s *openSession) {
	orphans := s.orphans()
	if len(orphans) == 0 {
		return
	}
	err := h.lose(context.WithoutCancel(ctx), s.log, orphans, "the call's result could not be recorded: it may or may not have happened")
	if err != nil {
		h.cfg.Log.Warn("calls without a result stay open", "session", s.id, "calls", len(orphans), "err", err)
	}
}

// lose records that nobody will ever know how calls ended.
func (h *Host) lose(ctx context.Context, log *session.Log, calls []session.Call, message string) error {
	var lost []event.Event
	for _, call := range calls {
		lost = append(lost, event.Event{Data: event.ToolCompleted{
			CallID: call.ID, Status: event.StatusLost, Content: []event.Block{event.Text(message)},
			Error: &event.Error{Code: "lost", Message: message},
		}})
		h.cfg.Log.Warn("a call was lost", "session", log.ID(), "call", call.ID, "tool", call.Name)
	}
	_, err := log.Append(ctx, lost...)
	return err
}

// enter admits one call or change, unless the host is closing.
func (h *Host) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return draining()
	}
	h.running.Add(1)
	return nil
}

func draining() error {
	return api.Errorf(api.CodeDraining, "the server is shutting down").WithHint("try again in a moment")
}

// Ready reports whether the host takes calls.
func (h *Host) Ready() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.draining
}

// Close refuses new calls and changes, lets those under way finish until ctx
// ends, then cancels the rest and waits for them. Then it ends the
// connections. It does not close the store.
func (h *Host) Close(ctx context.Context) {
	h.mu.Lock()
	h.draining = true
	agents := h.agents
	h.mu.Unlock()
	stop := context.AfterFunc(ctx, h.halt)
	defer stop()
	h.running.Wait()
	h.halt()
	h.retiring.Wait()
	var closing sync.WaitGroup
	for _, a := range agents {
		closing.Go(a.closeConnections)
	}
	closing.Wait()
}

// storeError turns an error of the session layer into one of the API.
func storeError(id string, err error) error {
	var known *api.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, session.ErrNotFound):
		return api.Errorf(api.CodeSessionNotFound, "no session %q", id).
			WithHint("list them with GET …/v1/sessions, or use latest").WithField("session")
	case errors.Is(err, session.ErrDeleted):
		return api.Errorf(api.CodeSessionDeleted, "session %s was deleted", id).WithField("session")
	}
	// The caller sees one code for every failure of storage, the server's log
	// its cause.
	failed := api.Errorf(api.CodeStorageFailed, "the session's log could not be read or written").
		WithHint("see the server's log; is its disk full?")
	return fmt.Errorf("%w: %w", failed, err)
}
