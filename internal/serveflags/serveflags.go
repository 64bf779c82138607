// Package serveflags is the command line of serving, which every program that
// serves agents has: what agent-sdk serve and the programs of
// [agsh.dev/runner.Main] take, and what they are configured with in turn.
package serveflags

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"agsh.dev/agent"
	"agsh.dev/internal/term"
)

// EnvBearerToken is the variable the bearer token is read from when no flag
// gives it.
const EnvBearerToken = "AGENT_SDK_BEARER_TOKEN" //nolint:gosec // a variable's name, not a secret

// Flags are the command-line flags of serving.
type Flags struct {
	addr         string
	stateRoot    string
	bearerToken  string
	allowedHosts []string
	publicURL    string
	drainTimeout time.Duration
	log          string
}

// Add defines the flags in fs. addr is where to listen when no flag says.
func (f *Flags) Add(fs *pflag.FlagSet, addr string) {
	fs.StringVar(&f.addr, "addr", addr, "`host:port` to listen on; port 0 takes a free one")
	fs.StringVar(&f.stateRoot, "state-root", "", "`directory` for sessions and workspaces (default $XDG_STATE_HOME/agent-sdk/<project>)")
	fs.Var((*given)(&f.bearerToken), "bearer-token", "`token` every request must carry, or @file; required on any address but loopback [AGENT_SDK_BEARER_TOKEN]")
	fs.StringArrayVar(&f.allowedHosts, "allowed-host", nil, "`name` a Host header may have beside localhost; repeat for several")
	fs.StringVar(&f.publicURL, "public-url", "", "`URL` clients reach the server at, when a proxy is in front")
	fs.DurationVar(&f.drainTimeout, "drain-timeout", 30*time.Second, "`duration` that running calls may take to finish when the server stops")
	fs.StringVar(&f.log, "log", "text", "format of the log on standard error: `text|json`")
}

// given is the value of a flag that must not be empty. An empty token would
// be what is left of a variable that is not set, and leave the server open.
type given string

func (g *given) Set(s string) error {
	if s == "" {
		return errors.New("it is empty; leave the flag out, or give a value")
	}
	*g = given(s)
	return nil
}

func (g *given) String() string { return string(*g) }

// Type implements pflag.Value.
func (g *given) Type() string { return "string" }

// Config is what the flags say. It has the fields of [agsh.dev/runner.Config],
// which it is converted to and which describes them: runner itself has these
// flags.
type Config struct {
	Agents       []agent.Agent
	StateRoot    string
	CacheDir     string
	Addr         string
	BearerToken  string
	AllowedHosts []string
	PublicURL    string
	DrainTimeout time.Duration
	Hurry        func(context.Context) (context.Context, context.CancelFunc)
	Getenv       func(string) string
	Log          *slog.Logger
	Ready        func(base string)
	Beside       func(ctx context.Context, replace func(agents []agent.Agent, release func()) error)
}

// Config makes the configuration to serve agents with. Its Ready prints one
// line per agent on standard output, "<slug> <url>". Project identifies what
// is served, such as the absolute path of its folder: by it the state root is
// found when no flag names one.
func (f *Flags) Config(t *term.Term, agents []agent.Agent, project string) (Config, error) {
	token, err := f.token(t.Getenv)
	if err != nil {
		return Config{}, err
	}
	if f.drainTimeout < 0 {
		return Config{}, fmt.Errorf("--drain-timeout %s: want 0s or more", f.drainTimeout)
	}
	drain := f.drainTimeout
	if drain == 0 {
		drain = -1
	}
	if err := checkPublicURL(f.publicURL); err != nil {
		return Config{}, err
	}
	log, err := logger(t.Err, f.log)
	if err != nil {
		return Config{}, err
	}
	state, err := f.state(t.Getenv, project)
	if err != nil {
		return Config{}, err
	}
	return Config{
		Agents: agents, StateRoot: state, CacheDir: cacheDir(t.Getenv), Addr: f.addr, BearerToken: token,
		AllowedHosts: f.allowedHosts, PublicURL: f.publicURL, DrainTimeout: drain, Hurry: term.Signals, Getenv: t.Getenv, Log: log,
		Ready: func(base string) {
			if f.publicURL != "" {
				base = strings.TrimRight(f.publicURL, "/")
			}
			for _, a := range agents {
				fmt.Fprintf(t.Out, "%s %s/%s\n", a.Name, base, a.Name)
			}
		},
	}, nil
}

// maxToken bounds the file of a bearer token: the headers of a request, which
// carry it, may have 64 KiB.
const maxToken = 32 << 10

// token finds the bearer token: what the flag or the environment says, or the
// content of the file they name.
func (f *Flags) token(getenv func(string) string) (string, error) {
	token := f.bearerToken
	if token == "" {
		token = getenv(EnvBearerToken)
	}
	if file, ok := strings.CutPrefix(token, "@"); ok {
		b, err := readAtMost(file, maxToken)
		if err != nil {
			return "", fmt.Errorf("--bearer-token: %w", err)
		}
		if token = strings.TrimSpace(string(b)); token == "" {
			return "", fmt.Errorf("--bearer-token: %s is empty", file)
		}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("--bearer-token: the token has a character no header can carry as it is: want visible ASCII without spaces")
	}
	return token, nil
}

func readAtMost(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return b, err
}

func checkPublicURL(s string) error {
	u, err := url.Parse(s)
	if s == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return fmt.Errorf("--public-url %q: want a URL such as https://agents.example.com", s)
}

func logger(w io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	return nil, fmt.Errorf("--log %q: want text or json", format)
}

// state is the absolute path of the state root, and "" when neither a flag
// nor the environment leads to one.
func (f *Flags) state(getenv func(string) string, project string) (string, error) {
	if f.stateRoot != "" {
		return filepath.Abs(f.stateRoot)
	}
	home := userDir(getenv, "XDG_STATE_HOME", ".local/state")
	if home == "" {
		return "", nil
	}
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(home, "agent-sdk", hex.EncodeToString(sum[:6])), nil
}

// cacheDir is shared by all projects: what is in it is found by content.
func cacheDir(getenv func(string) string) string {
	cache := userDir(getenv, "XDG_CACHE_HOME", ".cache")
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, "agent-sdk", "tools")
}

// userDir is the directory a variable names, by default one below the home
// directory, and "" where there is none.
func userDir(getenv func(string) string, variable, below string) string {
	if dir := getenv(variable); dir != "" {
		return dir
	}
	home := getenv("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(home, below)
}
