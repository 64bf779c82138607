//go:build peers

package peers

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// everyPeer is the connections to all peers.
func everyPeer(t *testing.T) map[string]string {
	return map[string]string{
		"everything": program(t, "server-everything", "stdio"),
		"files":      program(t, "server-filesystem", "$DIR") + "roots: none\n",
		"memory":     program(t, "server-memory") + "env: {MEMORY_FILE_PATH: $DIR/memory.jsonl}\n",
		"remote":     "url: " + remote(t) + "\nadvertise: {prefix: remote_}\n",
	}
}

// TestTools calls every tool of every peer as a person does. A tool that a
// new version of a peer brings fails it until there is a call of it.
func TestTools(t *testing.T) {
	peers := everyPeer(t)
	s := serve(t, peers)
	listed := s.tools(slices.Collect(maps.Keys(peers)))
	calls := map[string][]call{"everything": everything, "files": files, "memory": memory, "remote": everything}

	t.Run("peers", func(t *testing.T) { // returns after those that run at the same time
		for _, name := range slices.Sorted(maps.Keys(peers)) {
			prefix := map[string]string{"remote": "remote_"}[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				a := s.shell(t)
				for _, c := range calls[name] {
					a.check(t, prefix, c)
				}
				for _, tool := range listed[name] {
					if !slices.ContainsFunc(calls[name], func(c call) bool { return prefix+c.tool == tool }) {
						t.Errorf("there is no call of %s", tool)
					}
				}
			})
		}
		t.Run("help", func(t *testing.T) {
			t.Parallel()
			a := s.shell(t)
			a.groups(t, listed)
			for _, tool := range slices.Concat(slices.Collect(maps.Values(listed))...) {
				out, diag, code := a.run(t, "", tool, "--help")
				if code != 0 || diag != "" || !strings.Contains(out, "NAME\n    "+tool) || !strings.Contains(out, "Source: connection ") {
					t.Errorf("agsh %s --help ends with %d and prints\n%s%s", tool, code, out, diag)
				}
			}
		})
		t.Run("script", func(t *testing.T) {
			t.Parallel()
			out, diag, code := s.shell(t).run(t, "get-resource-links --count 4 | grep Text | wc -l\nremote_echo --message 'a  b' | head -n 1\nget-sum --a 1 --b 2 | jq .\n")
			if want := "2\nEcho: a  b\n\"The sum of 1 and 2 is 3.\"\n"; code != 0 || out != want {
				t.Errorf("the script ends with %d and prints %q, want %q\n%s", code, out, want, diag)
			}
		})
		t.Run("progress", func(t *testing.T) {
			t.Parallel()
			s.progress(t)
			s.shell(t).watches(t)
		})
	})

	if out, _, _ := s.shell(t).run(t, "", "get-env"); strings.Contains(out, "hidden") {
		t.Errorf("a peer gets a variable of agent-sdk that is not its own:\n%s", out)
	}
	s.end(syscall.SIGTERM)
	if s.err != nil {
		t.Errorf("agent-sdk ends with %v\n%s", s.err, s.stderr)
	}
	s.alone(t, "it was terminated")
}

// check makes a call and looks at what it prints.
func (a shell) check(t *testing.T, prefix string, c call) {
	t.Helper()
	words := strings.Fields(c.words)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "$DIR", a.s.dir)
	}
	out, diag, code := a.run(t, "", append([]string{prefix + c.tool}, words...)...)
	if out = strings.ReplaceAll(out, a.s.dir, "$DIR"); code != c.code || !regexp.MustCompile(c.want).MatchString(out) {
		t.Errorf("agsh %s%s %s ends with %d, want %d, and prints, want a match of %s\n%s%s",
			prefix, c.tool, c.words, code, c.code, c.want, out, diag)
	}
}

// groups checks that help lists every tool below its connection.
func (a shell) groups(t *testing.T, listed map[string][]string) {
	t.Helper()
	out, diag, code := a.run(t, "", "help")
	if code != 0 {
		t.Fatalf("agsh help ends with %d\n%s", code, diag)
	}
	got := map[string][]string{}
	group := ""
	for line := range strings.Lines(out) {
		switch words := strings.Fields(line); {
		case len(words) > 0 && strings.HasPrefix(line, "    "):
			got[group] = append(got[group], words[0])
		case len(words) > 0:
			group = words[0]
		}
	}
	for name, tools := range listed {
		want := slices.Sorted(slices.Values(tools))
		if have := got[strings.ToUpper(name)]; !slices.Equal(have, want) {
			t.Errorf("help lists below %s %q, want %q", strings.ToUpper(name), have, want)
		}
	}
}

// progress checks what a program sees of a long call: the steps in their
// order, of which the answer may overtake the last ones.
func (s *server) progress(t *testing.T) {
	t.Helper()
	body := s.post("POST", "/v1/tools/remote_trigger-long-running-operation", `{"args":{"duration":2,"steps":4}}`)
	var steps []float64
	var last string
	for line := range bytes.Lines(body) {
		var e struct {
			Type            string
			Progress, Total float64
			Result          struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if e.Type == "progress" && e.Total == 4 {
			steps = append(steps, e.Progress)
		}
		if e.Type == "result" && len(e.Result.Content) == 1 {
			last = e.Result.Content[0].Text
		}
	}
	if len(steps) < 2 || !slices.Equal(steps, []float64{1, 2, 3, 4}[:min(4, len(steps))]) || !strings.Contains(last, "completed") {
		t.Errorf("the call is answered with\n%s", body)
	}
}

// watches checks what a person at a terminal sees of a long call.
func (a shell) watches(t *testing.T) {
	t.Helper()
	cmd := a.command(t.Context(), "trigger-long-running-operation", "--duration", "3", "--steps", "3")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	person, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	defer person.Close()
	kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	seen, _ := io.ReadAll(person) // ends with an error, as terminals do
	if err := cmd.Wait(); err != nil {
		t.Errorf("agsh ends with %v", err)
	}
	if !regexp.MustCompile(`(?s)trigger-long-running-operation \ds · [12]/3.*Steps: 3`).Match(seen) {
		t.Errorf("what is shown is %q", seen)
	}
}

// TestNothingStaysAfterAKill: the programs go with an agent-sdk that had no
// chance to end them.
func TestNothingStaysAfterAKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends programs with the one that started them")
	}
	peers := everyPeer(t)
	s := serve(t, peers)
	s.tools(slices.Collect(maps.Keys(peers)))
	if n := len(s.processes()); n != 4 {
		t.Fatalf("agent-sdk and its programs are %d processes, want 4", n)
	}
	s.end(syscall.SIGKILL)
	s.alone(t, "it was killed")
}

// alone fails if a program that agent-sdk started goes on.
func (s *server) alone(t *testing.T, what string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := s.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("10 s after %s agent-sdk leaves %q", what, left)
		}
	}
}

// processes are the command lines of all processes that have agent-sdk's home
// in their environment: itself and what it started.
func (s *server) processes() []string {
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		env, err := os.ReadFile(file)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "HOME="+s.home) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}
