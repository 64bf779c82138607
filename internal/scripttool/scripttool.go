// Package scripttool runs tools that are programs: arguments go in as one
// JSON object on standard input or as words of the command line, what the
// program prints is the result.
package scripttool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agsh.dev/agent"
)

// A Config is what runs need from outside. Its zero value works.
type Config struct {
	// Getenv reads the runtime's environment; nil means an empty one. A
	// variable that is unset or empty is not passed on.
	Getenv func(string) string
	// Log gets what tools write to standard error, one bounded record a run.
	// Nil drops it.
	Log *slog.Logger
	// Grace is how long a process group may take to end after TERM before it
	// gets KILL; 0 means [DefaultGrace].
	Grace time.Duration
	// Linger is how long a child of a tool that has exited may keep standard
	// output open; 0 means 500 ms. The group is killed after it.
	Linger time.Duration
	// MaxOutput is the most bytes kept of one run's standard output, half of
	// it head and half tail; 0 means 16 MiB.
	MaxOutput int
	// CacheDir keeps the programs built from Go files; it must be this user's
	// alone. Without it Go files cannot be run.
	CacheDir string
	// TempDir is TMPDIR of the tools; empty means [os.TempDir].
	TempDir string
}

// DefaultGrace is the time between TERM and KILL when nothing else is said.
const DefaultGrace = 5 * time.Second

const (
	defaultLinger    = 500 * time.Millisecond
	defaultMaxOutput = 16 << 20
	defaultPath      = "/usr/local/bin:/usr/bin:/bin"
	// maxStderr bounds what is kept of standard error for the log and the
	// error text.
	maxStderr = 16 << 10
)

// Fixed are the variables every tool gets; an executable cannot name them in
// its own list.
var Fixed = []string{"PATH", "HOME", "LANG", "TMPDIR", "AGENT_NAME", "AGENT_SESSION_ID", "AGENT_CALL_ID"}

// New makes e callable. The returned Run is safe for concurrent use, must be
// called with a context that carries an [agent.Call], and starts e in that
// call's workspace, in a process group of its own, with the variables named
// in [Fixed] and in e.Env and no others.
//
// The call ends when the program has exited, and no process of its group
// outlives it. When ctx ends or e.Timeout is over the group gets TERM and,
// after cfg.Grace, KILL. What was printed until then is kept. A program that
// fails gives an error result, not an error; an error means that it did not
// run.
//
// A file that ends in .go is built once for its content. Building has a limit
// of its own, two minutes, which the returned Timeout includes.
func New(e agent.Executable, cfg Config) agent.Func {
	cfg = cfg.withDefaults()
	if filepath.Ext(e.Path) != ".go" {
		return newTool(e.Definition, e.Env, e.Retry, cfg, func(_ context.Context, args json.RawMessage) (launch, error) {
			return launch{path: e.Path, stdin: args}, nil
		})
	}
	b := newBuilder(cfg)
	f := newTool(e.Definition, e.Env, e.Retry, cfg, func(ctx context.Context, args json.RawMessage) (launch, error) {
		program, err := b.build(ctx, e.Path)
		// A program built from source is called by its source's path: beside it
		// are the files it belongs with, as they are for a script.
		return launch{path: program, name: e.Path, stdin: args}, err
	})
	f.Timeout += buildLimit
	return f
}

func (c Config) withDefaults() Config {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.Linger == 0 {
		c.Linger = defaultLinger
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = defaultMaxOutput
	}
	if c.TempDir == "" {
		c.TempDir = os.TempDir()
	}
	return c
}

// A launch is what a call starts.
type launch struct {
	path  string
	name  string // argv[0]; path if empty
	args  []string
	stdin []byte
}

// A tool is a program with what its runs need.
type tool struct {
	agent.Definition
	vars  []string
	retry agent.Retry
	cfg   Config
	// launch says what to start for the arguments of a call. It is not bound
	// by the tool's timeout.
	launch func(ctx context.Context, args json.RawMessage) (launch, error)
}

// newTool takes a cfg that has its defaults.
func newTool(
	def agent.Definition, vars []string, retry agent.Retry, cfg Config,
	start func(context.Context, json.RawMessage) (launch, error),
) agent.Func {
	if def.Timeout <= 0 {
		def.Timeout = agent.DefaultTimeout
	}
	t := &tool{Definition: def, vars: vars, retry: retry, cfg: cfg, launch: start}
	return agent.Func{Definition: def, Run: t.run}
}

var errTimeout = errors.New("the tool's timeout is over")

func (t *tool) run(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	call, ok := agent.CallFrom(ctx)
	if !ok || call.Workspace == "" {
		return agent.Result{}, fmt.Errorf("run tool %s: the call has no workspace", t.Name)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	l, err := t.launch(ctx, args)
	if err != nil {
		return agent.Result{}, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, errTimeout)
	defer cancel()
	p := process{
		path: l.path, name: l.name, args: l.args, dir: call.Workspace, env: t.env(call), stdin: l.stdin, temp: t.cfg.TempDir,
		grace: t.cfg.Grace, linger: t.cfg.Linger, maxOut: t.cfg.MaxOutput, maxErr: maxStderr,
	}
	for attempt := 1; ; attempt++ {
		out, err := p.run(ctx)
		if err != nil {
			return agent.Result{}, fmt.Errorf("start tool %s: %w", t.Name, explain(l, call.Workspace, err))
		}
		t.log(ctx, call, attempt, out)
		if !out.stopped && t.again(attempt, out.state.ExitCode()) {
			continue
		}
		why := ""
		if out.stopped {
			why = t.why(ctx)
		}
		return shape(out, why), nil
	}
}

// again reports whether a run that ended with code is worth another one. Only
// a tool that changes nothing is run twice.
func (t *tool) again(attempt, code int) bool {
	return t.Effect == agent.Read && attempt < t.retry.Attempts && slices.Contains(t.retry.On, code)
}

// why says what ended a run that ctx ended.
func (t *tool) why(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "stopped: the call was cancelled"
	}
	return fmt.Sprintf("stopped: it did not finish within %s", t.Timeout)
}

func (t *tool) env(call agent.Call) []string {
	env := make([]string, 0, len(Fixed)+len(t.vars))
	env = append(env,
		"PATH="+searchPath(t.cfg), "HOME="+call.Workspace, "LANG=C.UTF-8", "TMPDIR="+t.cfg.TempDir,
		"AGENT_NAME="+call.Agent, "AGENT_SESSION_ID="+call.Session, "AGENT_CALL_ID="+call.ID)
	for _, name := range t.vars {
		if v := t.cfg.Getenv(name); v != "" && !slices.Contains(Fixed, name) {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// searchPath is the PATH of the tools.
func searchPath(cfg Config) string {
	return cmp.Or(cfg.Getenv("PATH"), defaultPath)
}

func (t *tool) log(ctx context.Context, call agent.Call, attempt int, out outcome) {
	if out.stderr.size == 0 {
		return
	}
	text, _ := out.stderr.text()
	t.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "tool wrote to standard error",
		slog.String("tool", t.Name), slog.String("agent", call.Agent), slog.String("session", call.Session),
		slog.String("call", call.ID), slog.Int("attempt", attempt), slog.Int64("bytes", out.stderr.size),
		slog.String("stderr", text))
}
