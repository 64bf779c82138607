// Package runner serves agents: those defined in Go with package agent, and
// those agent-sdk read from a folder. It is the one public door to the
// runtime.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"agsh.dev/agent"
	"agsh.dev/internal/host"
	"agsh.dev/internal/httpapi"
	"agsh.dev/internal/mcpclient"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/session/sqlitestore"
)

// Config says what to serve and how. Agents and StateRoot are required.
type Config struct {
	// Agents are served each below its name. No two have the same.
	Agents []agent.Agent
	// StateRoot keeps sessions, workspaces and the token key; it is made
	// when it is not there. One process at a time may use it.
	StateRoot string
	// CacheDir keeps tools built from Go files; "" means a directory in
	// StateRoot. It may be shared.
	CacheDir string
	// Addr is host:port; port 0 takes a free one. "" means [DefaultAddr].
	Addr string
	// BearerToken is asked of every request. It is required when Addr is not
	// a loopback address.
	BearerToken string
	// AllowedHosts are names beside localhost that a Host or Origin header
	// may have when Addr is a loopback address, with or without a port; for a
	// proxy in front.
	AllowedHosts []string
	// PublicURL is how clients reach the server, such as
	// https://agents.example.com; "" takes it from each request.
	PublicURL string
	// DrainTimeout is how long calls that run may take to finish when the
	// server stops; 0 means 30 s, less than 0 that they are cancelled at once.
	DrainTimeout time.Duration
	// Hurry, if set, is called when the server begins to stop. When the
	// context it returns ends, calls are waited for no longer, as on a second
	// signal. The function beside it is called in the end.
	Hurry func(context.Context) (context.Context, context.CancelFunc)
	// Getenv reads the environment that executables may ask for; nil means
	// an empty one.
	Getenv func(string) string
	// Log gets what a person running the server should see; nil discards.
	Log *slog.Logger
	// Ready is called once requests are answered, with the server's base URL.
	Ready func(base string)
	// Beside, if set, runs while requests are answered, in a goroutine that
	// Serve waits for; its context ends when the server begins to stop.
	// Replace serves other definitions from then on. Calls that began under
	// the old ones end under them, and release is called when none is left.
	// On an error the old ones stay, and release is not called.
	Beside func(ctx context.Context, replace func(agents []agent.Agent, release func()) error)
}

// DefaultAddr is where a server listens when nothing else is said.
const DefaultAddr = "127.0.0.1:39400"

// Serve serves the agents until ctx ends, then drains: new calls are refused,
// those that run get DrainTimeout to finish. It returns nil after an orderly
// end. All it started has stopped when it returns.
func Serve(ctx context.Context, cfg Config) (err error) {
	cfg = cfg.withDefaults()
	loopback, err := checkAddr(cfg.Addr, cfg.BearerToken)
	if err != nil {
		return err
	}
	if err := makeStateRoot(cfg.StateRoot); err != nil {
		return err
	}
	store, err := sqlitestore.Open(cfg.StateRoot, sqlitestore.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	key, err := tokenKey(filepath.Join(cfg.StateRoot, "token.key"))
	if err != nil {
		return err
	}
	h, err := host.New(host.Config{
		Agents: cfg.Agents, Store: store, Dir: filepath.Join(cfg.StateRoot, "sessions"), TokenKey: key, Log: cfg.Log,
		Scripts:     scripttool.Config{Getenv: cfg.Getenv, Log: cfg.Log, CacheDir: cfg.CacheDir},
		Connections: mcpclient.Config{Getenv: cfg.Getenv, Log: cfg.Log},
	})
	if err != nil {
		return err
	}
	if err := h.Recover(ctx); err != nil {
		return err
	}
	ln, err := listen(ctx, cfg.Addr)
	if err != nil {
		return err
	}
	closing, endFollowers := context.WithCancel(context.WithoutCancel(ctx))
	defer endFollowers()
	s := serving(httpapi.New(httpapi.Config{
		Host: h, BearerToken: cfg.BearerToken, Loopback: loopback, AllowedHosts: cfg.AllowedHosts,
		PublicURL: cfg.PublicURL, Closing: closing, Log: cfg.Log,
	}), ln, cfg.Log)
	h.Start()
	if cfg.Ready != nil {
		cfg.Ready("http://" + ln.Addr().String())
	}
	defer beside(ctx, cfg, h)()
	select {
	case err := <-s.failed:
		cfg.DrainTimeout = -1
		s.failed <- fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	cfg.Log.Info("stopping: waiting for calls that run", "timeout", max(0, cfg.DrainTimeout).String())
	endFollowers()
	drain(context.WithoutCancel(ctx), h, cfg)
	return s.shutdown(context.WithoutCancel(ctx))
}

// beside runs what is to run beside the server. What it returns stops it and
// waits for it.
func beside(ctx context.Context, cfg Config, h *host.Host) (stop func()) {
	if cfg.Beside == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { cfg.Beside(ctx, h.Replace) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.DrainTimeout == 0 {
		c.DrainTimeout = 30 * time.Second
	}
	if c.Addr == "" {
		c.Addr = DefaultAddr
	}
	if c.CacheDir == "" {
		c.CacheDir = filepath.Join(c.StateRoot, "cache")
	}
	return c
}

// drain waits for running calls; when the time is over, or there is a hurry,
// they are cancelled.
func drain(ctx context.Context, h *host.Host, cfg Config) {
	ctx, cancel := context.WithTimeout(ctx, cfg.DrainTimeout)
	defer cancel()
	if cfg.Hurry != nil {
		var stop context.CancelFunc
		ctx, stop = cfg.Hurry(ctx)
		defer stop()
	}
	h.Close(ctx)
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listen on %s: the port is in use; stop the other server, or take a free port with --addr %s", addr, freePort(addr))
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

func freePort(addr string) string {
	hostname, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "127.0.0.1:0"
	}
	return net.JoinHostPort(hostname, "0")
}

// checkAddr reports whether addr is a loopback one. Any other needs a token:
// an open server would hand the agent's tools to the network.
func checkAddr(addr, token string) (loopback bool, err error) {
	hostname, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("address %q: want host:port, such as %s", addr, DefaultAddr)
	}
	ip := net.ParseIP(hostname)
	loopback = hostname == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && token == "" {
		return false, fmt.Errorf("address %s is open to the network and nothing asks who calls: set --bearer-token, or listen on 127.0.0.1", addr)
	}
	return loopback, nil
}

func makeStateRoot(dir string) error {
	if dir == "" {
		return errors.New("no state root is given: set --state-root")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the state root %s: %w; choose another with --state-root", dir, err)
	}
	return nil
}
