package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/runner"
)

// A host connection is for the agent's own tools: no client can list it, call
// it or learn of what it is configured with.
func TestHostConnectionsAreForTheAgentsOwnTools(t *testing.T) {
	t.Parallel()
	const secret = "example_token_123"
	log := filepath.Join(t.TempDir(), "log")
	connection := agent.Connection{
		Name: "vault", Command: filepath.Join(programs, mcpServer), Args: []string{"-offer", "pid,silent,die", "-tell", log},
		Env: map[string]string{"SECRET": secret}, Timeout: time.Second,
	}
	broken := agent.Connection{Name: "broken", Command: "/bin/sh", Args: []string{"-c", `echo "bad token $SECRET" >&2; exit 4`}, Env: connection.Env}
	through := func(name, connection, tool string) agent.AnyTool {
		return agent.Func{Definition: agent.Definition{Name: name}, Run: func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
			return agent.CallHost(ctx, connection, tool, args)
		}}
	}
	var said transcript
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- runner.Serve(ctx, runner.Config{
			Agents: []agent.Agent{{
				Name: "a", Natives: []string{}, HostConnections: []agent.Connection{connection, broken},
				Tools: []agent.AnyTool{
					through("unlock", "vault", "pid"), through("wait", "vault", "silent"), through("crash", "vault", "die"),
					through("bad", "broken", "pid"), through("none", "other", "pid"),
				},
			}},
			StateRoot: t.TempDir(), Addr: "127.0.0.1:0", Getenv: os.Getenv,
			Log:   slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Ready: func(base string) { ready <- base },
		})
	}()
	var client *api.Client
	select {
	case base := <-ready:
		c, err := api.NewClient(base+"/a", api.Config{})
		if err != nil {
			t.Fatal(err)
		}
		client = c
	case err := <-ended:
		t.Fatal(err)
	}
	defer client.Close()
	call := func(name string) (text string, isError bool) {
		t.Helper()
		res, err := client.Call(t.Context(), name, api.CallRequest{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said.Write([]byte(res.Content[0].Text + "\n"))
		return res.Content[0].Text, res.IsError
	}
	if _, err := os.Stat(log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the host connection is made before a tool asks for it: %v", err)
	}
	first, failed := call("unlock")
	if again, _ := call("unlock"); failed || again != first {
		t.Errorf("unlock = %q, then %q", first, again)
	}
	for name, want := range map[string]string{
		"wait": "neither an answer nor progress", "bad": "status 4: bad token …", "none": "there is no such connection",
	} {
		if text, failed := call(name); !failed || !strings.Contains(text, want) {
			t.Errorf("%s = %q, %v, want an error with %q", name, text, failed, want)
		}
	}
	if text, failed := call("crash"); !failed || !strings.Contains(text, "may or may not have happened") {
		t.Errorf("crash = %q, %v", text, failed)
	}
	if text, failed := call("unlock"); failed || text == first {
		t.Errorf("unlock after the crash = %q, want another process than %s", text, first)
	}

	list, err := client.Tools(t.Context(), api.Binding{})
	if err != nil || len(list.Tools) != 5 || len(list.Unavailable) != 0 {
		t.Errorf("listing: %+v, %v", list, err)
	}
	for _, name := range []string{"pid", "vault_pid", "vault", "silent"} {
		_, err := client.Call(t.Context(), name, api.CallRequest{Approve: true})
		if failed, ok := errors.AsType[*api.Error](err); !ok || failed.Code != api.CodeToolNotFound {
			t.Errorf("a call of %s: %v, want %s", name, err, api.CodeToolNotFound)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if strings.Contains(said.String(), secret) {
		t.Errorf("the secret is told:\n%s", said.String())
	}
}
