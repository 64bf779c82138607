package runner

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

// Main serves agents defined in Go until it is told to stop, as
// "agent-sdk serve" does for a folder, with the same flags. It returns the
// exit code:
//
//	func main() { os.Exit(runner.Main(myAgent)) }
func Main(agents ...agent.Agent) int {
	t := term.OS()
	ctx, stop := term.Signals(context.Background())
	defer stop()
	name := "server"
	if exe, err := os.Executable(); err == nil {
		name = filepath.Base(exe)
	}
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SetOutput(t.Err)
	var f Flags
	f.Add(fs)
	err := fs.Parse(os.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err == nil && fs.NArg() > 0:
		err = fmt.Errorf("unknown argument %q", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(t.Err, "Error: %v\n", err)
		return 2
	}
	if f.StateRoot == "" {
		names := make([]string, 0, len(agents))
		for _, a := range agents {
			names = append(names, a.Name)
		}
		f.StateRoot = DefaultStateRoot(t.Getenv, name+"\n"+strings.Join(names, "\n"))
	}
	cfg, err := f.Config(t, agents)
	if err != nil {
		fmt.Fprintf(t.Err, "Error: %v\n", err)
		return 2
	}
	if err := Serve(ctx, cfg); err != nil {
		fmt.Fprintf(t.Err, "Error: %v\n", err)
		return 1
	}
	return 0
}

// Flags are the command-line flags of serving.
type Flags struct {
	Addr         string
	StateRoot    string
	BearerToken  string
	AllowedHosts []string
	PublicURL    string
	DrainTimeout time.Duration
	Log          string
}

// Add defines the flags in fs.
func (f *Flags) Add(fs *pflag.FlagSet) {
	fs.StringVar(&f.Addr, "addr", DefaultAddr, "`host:port` to listen on; port 0 takes a free one")
	fs.StringVar(&f.StateRoot, "state-root", "", "`directory` for sessions and workspaces (default $XDG_STATE_HOME/agent-sdk/<project>)")
	fs.Var((*given)(&f.BearerToken), "bearer-token", "`token` every request must carry, or @file; required on any address but loopback [AGENT_SDK_BEARER_TOKEN]")
	fs.StringArrayVar(&f.AllowedHosts, "allowed-host", nil, "`name` a Host header may have beside localhost; repeat for several")
	fs.StringVar(&f.PublicURL, "public-url", "", "`URL` clients reach the server at, when a proxy is in front")
	fs.DurationVar(&f.DrainTimeout, "drain-timeout", 30*time.Second, "how long (`duration`) running calls may take to finish when the server stops")
	fs.StringVar(&f.Log, "log", "text", "format of the log on standard error: `text|json`")
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

// EnvBearerToken is the variable the bearer token is read from when no flag
// gives it.
const EnvBearerToken = "AGENT_SDK_BEARER_TOKEN" //nolint:gosec // a variable's name, not a secret

// Config makes the configuration the flags say. Ready prints one line per
// agent on standard output, "<slug> <url>".
func (f *Flags) Config(t *term.Term, agents []agent.Agent) (Config, error) {
	token, err := f.token(t.Getenv)
	if err != nil {
		return Config{}, err
	}
	if f.DrainTimeout < 0 {
		return Config{}, fmt.Errorf("--drain-timeout %s: want 0s or more", f.DrainTimeout)
	}
	drain := f.DrainTimeout
	if drain == 0 {
		drain = -1
	}
	if err := checkPublicURL(f.PublicURL); err != nil {
		return Config{}, err
	}
	log, err := logger(t.Err, f.Log)
	if err != nil {
		return Config{}, err
	}
	return Config{
		Agents: agents, StateRoot: f.StateRoot, CacheDir: cacheDir(t.Getenv), Addr: f.Addr, BearerToken: token,
		AllowedHosts: f.AllowedHosts, PublicURL: f.PublicURL, DrainTimeout: drain, Hurry: term.Signals, Getenv: t.Getenv, Log: log,
		Ready: func(base string) {
			if f.PublicURL != "" {
				base = strings.TrimRight(f.PublicURL, "/")
			}
			for _, a := range agents {
				fmt.Fprintf(t.Out, "%s %s/%s\n", a.Name, base, a.Name)
			}
		},
	}, nil
}

// token finds the bearer token: what the flag or the environment says, or the
// content of the file they name.
func (f *Flags) token(getenv func(string) string) (string, error) {
	token := f.BearerToken
	if token == "" {
		token = getenv(EnvBearerToken)
	}
	if file, ok := strings.CutPrefix(token, "@"); ok {
		b, err := os.ReadFile(file)
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

// DefaultStateRoot is where a project's state is kept when nothing else is
// said: project identifies it, such as the absolute path of its folder. It is
// "" when the environment names no home.
func DefaultStateRoot(getenv func(string) string, project string) string {
	state := getenv("XDG_STATE_HOME")
	if state == "" {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(state, "agent-sdk", hex.EncodeToString(sum[:6]))
}

// cacheDir is shared by all projects: what is in it is found by content.
func cacheDir(getenv func(string) string) string {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "agent-sdk", "tools")
}
