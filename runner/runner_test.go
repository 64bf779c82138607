package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/internal/session/sqlitestore"
)

func TestTokenKeyIsMadeOnceAndNeverHalf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "token.key")
	first, err := tokenKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := tokenKey(path)
	if err != nil || again != first || bytes.Equal(first[:], make([]byte, 32)) {
		t.Errorf("tokenKey = %x, then %x, %v", first, again, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Errorf("the key's file is %v, %v", info, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	for name, content := range map[string]string{"empty": "", "short": "x", "long": strings.Repeat("x", 33)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tokenKey(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("a key that is %s = %v", name, err)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("a key that is %s was replaced", name)
		}
	}
	if _, err := tokenKey(filepath.Join(dir, "none", "token.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory = %v", err)
	}
}

func TestOnlyLoopbackIsOpen(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:0": "loopback", "localhost:1": "loopback", "[::1]:80": "loopback", "127.9.9.9:1": "loopback",
		"0.0.0.0:1": "token", ":1": "token", "[::]:1": "token", "10.0.0.1:1": "token", "example.com:1": "token", "localhost.evil.test:1": "token",
		"127.0.0.1": "host:port", "": "host:port", "::1:80": "host:port",
	} {
		loopback, err := checkAddr(addr, "")
		switch {
		case want == "loopback" && (err != nil || !loopback):
			t.Errorf("%q = %v, %v", addr, loopback, err)
		case want != "loopback" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q = %v, want an error about %s", addr, err, want)
		}
		if want == "token" {
			if loopback, err := checkAddr(addr, "secret"); err != nil || loopback {
				t.Errorf("%q with a token = %v, %v", addr, loopback, err)
			}
		}
	}
}

// serve starts Serve and returns its URL and how it ends.
func serve(ctx context.Context, t *testing.T, cfg Config) (url string, ended <-chan error) {
	t.Helper()
	ready, done := make(chan string, 1), make(chan error, 1)
	cfg.Ready = func(base string) { ready <- base }
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	go func() { done <- Serve(ctx, cfg) }()
	select {
	case url := <-ready:
		return url, done
	case err := <-done:
		t.Fatalf("Serve = %v", err)
		return "", nil
	}
}

// held is an agent with a tool that runs until it is cancelled.
func held(begun chan struct{}) agent.Agent {
	return agent.Agent{Name: "a", Natives: []string{}, Tools: []agent.AnyTool{agent.Tool[struct{}, string]{
		Name: "hold", Run: func(ctx context.Context, _ struct{}) (string, error) {
			close(begun)
			<-ctx.Done()
			return "", ctx.Err()
		},
	}}}
}

func post(t *testing.T, url string) <-chan string {
	t.Helper()
	out := make(chan string, 1)
	go func() {
		res, err := http.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			out <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		out <- string(b)
	}()
	return out
}

// A second signal, like the end of the drain timeout, cancels what runs; its
// caller still gets an answer.
func TestStoppingCancelsWhatDoesNotEnd(t *testing.T) {
	for name, change := range map[string]func(*Config, context.Context){
		"no wait":      func(c *Config, _ context.Context) { c.DrainTimeout = -1 },
		"time is over": func(c *Config, _ context.Context) { c.DrainTimeout = time.Millisecond },
		"second signal": func(c *Config, hurry context.Context) {
			c.Hurry = func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				context.AfterFunc(hurry, cancel)
				return ctx, cancel
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			hurry, again := context.WithCancel(t.Context())
			begun := make(chan struct{})
			cfg := Config{Agents: []agent.Agent{held(begun)}, StateRoot: t.TempDir()}
			change(&cfg, hurry)
			url, ended := serve(ctx, t, cfg)
			answer := post(t, url+"/a/v1/tools/hold")
			<-begun
			stop()
			again()
			if got := <-answer; !strings.Contains(got, "the call was cancelled") {
				t.Errorf("the call was answered with %s", got)
			}
			if err := <-ended; err != nil {
				t.Errorf("Serve = %v", err)
			}
			if conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
				conn.Close()
				t.Error("it still listens")
			}
		})
	}
}

func TestServeRefusesToStart(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	busy, damaged, taken := t.TempDir(), t.TempDir(), t.TempDir()
	store, err := sqlitestore.Open(busy, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := os.WriteFile(filepath.Join(damaged, "token.key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cfg  Config
		says string
	}{
		"no state root":    {Config{}, "--state-root"},
		"an open address":  {Config{StateRoot: t.TempDir(), Addr: "0.0.0.0:0"}, "--bearer-token"},
		"a second process": {Config{StateRoot: busy}, "in use by process"},
		"a damaged key":    {Config{StateRoot: damaged}, "token.key"},
		"a port in use":    {Config{StateRoot: taken, Addr: ln.Addr().String()}, "port is in use"},
		"an agent twice":   {Config{StateRoot: t.TempDir(), Agents: []agent.Agent{{Name: "a"}, {Name: "a"}}}, "two agents"},
	} {
		if tt.cfg.Addr == "" {
			tt.cfg.Addr = "127.0.0.1:0"
		}
		tt.cfg.Ready = func(string) { t.Errorf("%s: it says it is ready", name) }
		if err := Serve(t.Context(), tt.cfg); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: Serve = %v, want an error that says %q", name, err, tt.says)
		}
	}
	// What failed holds nothing: the next one can start.
	again, err := sqlitestore.Open(taken, sqlitestore.Config{})
	if err != nil {
		t.Fatalf("after a failed start: %v", err)
	}
	again.Close()
}
