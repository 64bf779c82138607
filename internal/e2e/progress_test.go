//go:build unix

package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// serveFiles serves a project of these files until the test ends.
func serveFiles(t *testing.T, files map[string]string) (target string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(programs, "agent-sdk"), // cleanup ends it
		"serve", "--dir", dir, "--addr", "127.0.0.1:0", "--state-root", t.TempDir())
	cmd.Env = append(os.Environ(), "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var said transcript
	cmd.Stderr = &said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		began := time.Now()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v: %s", err, said.String())
		}
		if took := time.Since(began); took > patience {
			t.Errorf("the server ended after %v", took)
		}
	})
	var line [256]byte
	n, err := stdout.Read(line[:])
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	_, target, _ = strings.Cut(strings.TrimSpace(string(line[:n])), " ")
	return target
}

// openCommand starts agsh with arguments on a terminal.
func openCommand(t *testing.T, env []string, args ...string) *console {
	t.Helper()
	c := &console{t: t, cmd: exec.CommandContext(t.Context(), filepath.Join(programs, "agsh"), args...)}
	c.cond = sync.NewCond(&c.mu)
	c.cmd.Env = append([]string{"HOME=" + t.TempDir(), "TERM=xterm", "PATH=" + os.Getenv("PATH")}, env...)
	person, err := pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 24, Cols: 40})
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	c.person = person
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		person.Close()
	})
	go c.watch()
	return c
}

// ends waits for the end of agsh and returns what it showed since the last
// time, and its exit code.
func (c *console) ends() (shown string, code int) {
	c.t.Helper()
	err := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended { // the other side of a terminal ends when all of it was read
		c.cond.Wait()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return c.shown.String(), exit.ExitCode()
	}
	return c.shown.String(), 0
}

func calls(tell string) map[string]string {
	return map[string]string{
		"agent/agent.yaml":                 "name: agent\ntools: []\n",
		"agent/instructions.md":            "Test.\n",
		"agent/mcp-connections/calls.yaml": "command: mcpserver\nargs: [-offer, 'steps,silent,echo', -tell, '" + tell + "']\n",
	}
}

func TestALongCallShowsItsProgressOnATerminal(t *testing.T) {
	t.Parallel()
	target := "AGENT_SHELL_TARGET=" + serveFiles(t, calls(filepath.Join(t.TempDir(), "log")))
	const clear = "\r\x1b[K"

	c := openCommand(t, []string{target}, "steps", "--n", "20", "--ms", "100")
	if before := c.sees(clear + "steps 1s"); strings.Contains(before, "steps") {
		t.Errorf("before a second was over: %q", before)
	}
	c.sees("/100 at it")
	shown, code := c.ends()
	rest, ok := strings.CutPrefix(shown[strings.LastIndex(shown, clear):], clear)
	if !ok || code != 0 || !strings.HasPrefix(rest, "all steps are done\r\n") || strings.Contains(rest, "at it") {
		t.Errorf("code %d, in the end: %q", code, shown)
	}
	for row := range strings.SplitSeq(shown, clear) {
		if text, _, _ := strings.Cut(row, "\r\n"); len(text) >= 40 && strings.Contains(text, "steps 1s") {
			t.Errorf("a row of %d columns wraps: %q", len(text), text)
		}
	}

	// What is over sooner shows none, nor does a terminal that cannot clear.
	shown, code = openCommand(t, []string{target}, "echo", "--output", "json").ends()
	if code != 0 || strings.Contains(shown, "\x1b[K") || !strings.HasPrefix(shown, "{}\r\n") {
		t.Errorf("a short call: code %d, %q", code, shown)
	}
	shown, code = openCommand(t, []string{target, "TERM=dumb"}, "steps", "--n", "12", "--ms", "100").ends()
	if code != 0 || strings.ContainsAny(shown, "\x1b") || !strings.HasPrefix(shown, "all steps are done\r\n") {
		t.Errorf("on a dumb terminal: code %d, %q", code, shown)
	}
}

func TestAnInterruptDuringProgressReachesTheServerOfTheTool(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	target := "AGENT_SHELL_TARGET=" + serveFiles(t, calls(log))
	for n, args := range [][]string{{"silent"}, {"steps", "--ms", "20"}} {
		c := openCommand(t, []string{target}, args...)
		c.sees(args[0] + " 1s")
		began := time.Now()
		c.types("\x03")
		shown, code := c.ends()
		if code != 130 || !strings.HasSuffix(shown, "\r\x1b[K") {
			t.Errorf("%s: code %d, in the end: %q", args[0], code, shown)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: agsh ended after %v", args[0], took)
		}
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			b, err := os.ReadFile(log)
			if err == nil && strings.Count(string(b), "notifications/cancelled\n") == n+1 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the server was told %q, %v", args[0], b, err)
			}
		}
	}
}
