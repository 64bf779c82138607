package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/mcptest"
	"agsh.dev/internal/mcpclient/stdio"
)

// program is the test binary as a server.
func program(kind string) {
	s := serverOf(
		mcptest.Tool{Name: "echo"},
		mcptest.Tool{Name: "size", Call: func(_ context.Context, c *mcptest.Call) json.RawMessage {
			var in struct{ N int }
			_ = json.Unmarshal(c.Arguments, &in)
			return mcptest.Text(strings.Repeat("x", in.N))
		}},
		mcptest.Tool{Name: "environ", Call: func(context.Context, *mcptest.Call) json.RawMessage {
			env := os.Environ()
			slices.Sort(env)
			return mcptest.Text(strings.Join(env, "\n"))
		}},
		mcptest.Tool{Name: "pid", Call: func(context.Context, *mcptest.Call) json.RawMessage {
			return mcptest.Text(strconv.Itoa(os.Getpid()))
		}},
		mcptest.Tool{Name: "die", Call: func(context.Context, *mcptest.Call) json.RawMessage {
			os.Exit(3)
			return nil
		}},
	)
	switch kind {
	case "banner":
		s.Banner = "ready\n\n{\"jsonrpc\":\n"
	case "secret":
		fmt.Fprintln(os.Stderr, "the token is "+os.Getenv("TOKEN"))
		os.Exit(4)
	}
	s.Serve(context.Background(), os.Stdin, os.Stdout)
}

// ours is a connection to this binary.
func ours(kind string) agent.Connection {
	return agent.Connection{Name: "box", Command: os.Args[0], Env: map[string]string{
		"MCPTEST": kind, "GORACE": "atexit_sleep_ms=0", // or each end takes a second
	}}
}

func started(t testing.TB, cfg Config, c agent.Connection) *Pool {
	p := New([]agent.Connection{c}, cfg)
	t.Cleanup(p.Close)
	p.Start()
	if err := p.Tools(t.Context()).Connections[0].Err; err != nil {
		t.Fatal(err)
	}
	return p
}

func text(t testing.TB, p *Pool, tool, args string) string {
	t.Helper()
	res, err := p.Call(t.Context(), "box", tool, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].Text
}

func TestR31_BigAnswersArrive(t *testing.T) {
	const limit = 5_000_100
	p := New([]agent.Connection{ours("plain")}, Config{})
	defer p.Close()
	l := p.links[0]
	l.dialer.new = func() carrier { return dialProgram(l.conn, l.cfg, l.log, l.hide, limit) }
	for _, n := range []int{65_535, 65_537, 5_000_000, 1} {
		if got := len(text(t, p, "size", fmt.Sprintf(`{"n":%d}`, n))); got != n {
			t.Errorf("%d bytes of %d", got, n)
		}
	}
	if _, err := p.Call(t.Context(), "box", "size", fmt.Appendf(nil, `{"n":%d}`, limit)); err == nil {
		t.Error("an answer past the cap arrives")
	}
	if got := text(t, p, "size", `{"n":2}`); got != "xx" {
		t.Errorf("the next call gives %q", got)
	}
}

func TestR32_BannerIsSkipped(t *testing.T) {
	var log bytes.Buffer
	p := New([]agent.Connection{ours("banner")}, Config{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err := p.Tools(t.Context()).Connections[0].Err; err != nil {
		t.Error(err)
	}
	if got := text(t, p, "echo", `{"a":1}`); got != `{"a":1}` {
		t.Errorf("echo = %s", got)
	}
	p.Close()
	if !strings.Contains(log.String(), "text=ready") {
		t.Errorf("log:\n%s", log.String())
	}
}

func TestR39_NoProcessIsLeft(t *testing.T) {
	c := ours("plain")
	// The shell gives what it runs in the background no standard input itself.
	c.Args = []string{"-c", `exec 3<&0; trap "" TERM; "$0" <&3 & wait`, c.Command}
	c.Command = "/bin/sh"
	p := started(t, Config{Grace: 50 * time.Millisecond}, c)
	pid, err := strconv.Atoi(text(t, p, "pid", ""))
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if err := syscall.Kill(pid, 0); err == nil {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %d is left: %s", pid, stat)
		}
	}
}

func TestProgramGetsFewVariables(t *testing.T) {
	c := ours("plain")
	c.Env["OWN"] = "1"
	env := map[string]string{"HOME": "/h", "PATH": "/bin", "LANG": "C", "SECRET": "s", "TERM": ""}
	p := started(t, Config{Getenv: func(name string) string { return env[name] }}, c)
	if got, want := text(t, p, "environ", ""), "GORACE=atexit_sleep_ms=0\nHOME=/h\nLANG=C\nMCPTEST=plain\nOWN=1\nPATH=/bin"; got != want {
		t.Errorf("environment:\n%s\nwant:\n%s", got, want)
	}
}

func TestProgramThatDies(t *testing.T) {
	p := started(t, Config{}, ours("plain"))
	_, err := p.Call(t.Context(), "box", "die", nil)
	if err == nil || !strings.Contains(err.Error(), "may or may not have happened") || !strings.Contains(err.Error(), "3") {
		t.Errorf("die = %v", err)
	}
	if got := text(t, p, "echo", `{"a":1}`); got != `{"a":1}` {
		t.Errorf("the next call gives %s", got)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	var log bytes.Buffer
	c := ours("secret")
	c.Env["TOKEN"] = "hunter2hunter2"
	p := New([]agent.Connection{c}, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	err := p.Tools(t.Context()).Connections[0].Err
	p.Close()
	if err == nil || !strings.Contains(err.Error(), "the token is …") || strings.Contains(err.Error(), "hunter") {
		t.Errorf("error: %v", err)
	}
	if !strings.Contains(log.String(), "the token is …") || strings.Contains(log.String(), "hunter") {
		t.Errorf("log:\n%s", log.String())
	}
}

func BenchmarkCall(b *testing.B) {
	p := started(b, Config{}, ours("plain"))
	args := json.RawMessage(`{"path":"/src/main.go","limit":10}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Call(b.Context(), "box", "echo", args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareSDK(b *testing.B) {
	c := ours("plain")
	t := stdio.New(stdio.Config{Path: c.Command, Env: []string{"MCPTEST=plain"}})
	client := mcp.NewClient(&mcp.Implementation{Name: "bare"}, nil)
	s, err := client.Connect(b.Context(), t, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	args := json.RawMessage(`{"path":"/src/main.go","limit":10}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.CallTool(b.Context(), &mcp.CallToolParams{Name: "echo", Arguments: args}); err != nil {
			b.Fatal(err)
		}
	}
}
