package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/sqlitestore"
)

// stateVar makes the test's program a server with this state root.
const stateVar = "RUNNER_TEST_STATE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(stateVar); dir != "" {
		err := Serve(context.Background(), Config{Agents: []agent.Agent{quick()}, StateRoot: dir, Addr: "127.0.0.1:0", Ready: func(base string) { fmt.Println(base) }})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// quick is an agent whose tools write and read nothing, at once or soon.
func quick() agent.Agent {
	tool := func(name string, effect agent.Effect, wait time.Duration) agent.AnyTool {
		return agent.Tool[struct{}, string]{Name: name, Effect: effect, Run: func(ctx context.Context, _ struct{}) (string, error) {
			select {
			case <-time.After(wait):
				return strings.Repeat("done ", 20), nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}}
	}
	return agent.Agent{Name: "a", Natives: []string{}, Tools: []agent.AnyTool{
		tool("write", agent.Write, 0), tool("read", agent.Read, 0), tool("soon", agent.Write, 5*time.Millisecond),
	}}
}

// spawn starts a server in a process of its own.
func spawn(t *testing.T, state string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stateVar+"="+state)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	return cmd, strings.TrimSpace(line)
}

// Killed at any moment, a server has lost nothing it answered for, and after
// its next start every call it had begun has exactly one result.
func TestKilledAtAnyMoment(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	state := t.TempDir()
	answered := map[string]string{} // session by call
	var mu sync.Mutex
	var sessions []string
	for range kills {
		cmd, url := spawn(t, state)
		client, err := api.NewClient(url+"/a", api.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := client.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s.Session)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for n := 0; ; n++ {
					req := api.CallRequest{Session: s.Session}
					if n%3 == 0 {
						req.Session = ""
					}
					res, err := client.Call(t.Context(), []string{"write", "read", "soon"}[(w+n)%3], req)
					if err != nil {
						return
					}
					mu.Lock()
					answered[res.CallID] = res.Session
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		wg.Wait()
		client.Close()
	}
	cmd, _ := spawn(t, state) // settles what the last one left
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()

	store, err := sqlitestore.Open(state, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	results := map[string]int{}
	for _, id := range append(sessions, values(answered)...) {
		if _, ok := results[id]; ok {
			continue
		}
		results[id] = 0
		count(t, store, id, results)
	}
	for call, session := range answered {
		if results[call] != 1 {
			t.Errorf("call %s of session %s was answered and has %d results", call, session, results[call])
		}
	}
	t.Logf("%d kills, %d answers", kills, len(answered))
}

func values(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// count folds a session and counts the results of each of its calls.
func count(t *testing.T, store session.Store, id string, results map[string]int) {
	t.Helper()
	l, err := session.Open(t.Context(), session.Config{Store: store}, id)
	if err != nil {
		t.Fatal(err)
	}
	folded := session.State{Session: id}
	for e, err := range l.Events(t.Context(), 1) {
		if err == nil {
			err = folded.Apply(e) // refuses gaps and second results
		}
		if err != nil {
			t.Fatal(err)
		}
		if done, ok := e.Data.(event.ToolCompleted); ok {
			results[done.CallID]++
		}
	}
	if len(folded.Open) != 0 || folded.Requested != folded.Completed {
		t.Errorf("session %s: %d requested, %d completed, %d open", id, folded.Requested, folded.Completed, len(folded.Open))
	}
}

// Clients that leave at any moment leave no process behind, and every call
// has its result.
func TestClientsThatLeave(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "tool")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 7200.28125 & sleep 7200.28125\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	state := t.TempDir()
	url, ended := serve(ctx, t, Config{StateRoot: state, Getenv: os.Getenv, Agents: []agent.Agent{{
		Name: "a", Natives: []string{}, Executables: []agent.Executable{{Path: script, Definition: agent.Definition{Name: "tool", Input: json.RawMessage(`{"type":"object"}`)}}},
	}}})
	client, err := api.NewClient(url+"/a", api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := client.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(30))*time.Millisecond)
				_, _ = client.Call(ctx, "tool", api.CallRequest{Session: s.Session})
				cancel()
			}
		})
	}
	wg.Wait()
	client.Close()
	stop()
	if err := <-ended; err != nil {
		t.Fatalf("Serve = %v", err)
	}
	if left := processes(regexp.MustCompile(`sleep\x007200\.28125`)); left != 0 {
		t.Errorf("%d processes are left", left)
	}
	store, err := sqlitestore.Open(state, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	results := map[string]int{}
	count(t, store, s.Session, results)
	t.Logf("%d of 200 calls were begun", len(results))
}

func processes(re *regexp.Regexp) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && re.Match(b) {
			n++
		}
	}
	return n
}
