//go:build peers

package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait; none takes nearly that long.
const patience = 60 * time.Second

// A server is an agent-sdk that serves an agent whose tools are all of peers.
type server struct {
	t      *testing.T
	home   string // of the server and of the programs it starts
	dir    string // of the server of files
	target string
	cmd    *exec.Cmd
	stderr *log
	done   chan struct{}
	err    error // once done
}

// serve starts one; connections are files of mcp-connections by name.
func serve(t *testing.T, connections map[string]string) *server {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, home: home, dir: filepath.Join(home, "files"), stderr: &log{}, done: make(chan struct{})}
	write(t, filepath.Join(s.dir, "dot.png"), "\x89PNG\r\n\x1a\n")
	write(t, filepath.Join(home, "agent", "agent.yaml"), "name: peers\ntools: []\n")
	for name, text := range connections {
		write(t, filepath.Join(home, "agent", "mcp-connections", name+".yaml"), strings.ReplaceAll(text, "$DIR", s.dir))
	}
	s.cmd = exec.CommandContext(context.Background(), filepath.Join(programs, "agent-sdk"),
		"serve", "--dir", home, "--addr", "127.0.0.1:0", "--state-root", filepath.Join(home, "state"))
	s.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SECRET=hidden"}
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n')
		ready <- line
		_, _ = io.Copy(io.Discard, lines)
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() { s.end(syscall.SIGKILL) })
	select {
	case line := <-ready:
		if _, s.target, _ = strings.Cut(strings.TrimSpace(line), " "); s.target == "" {
			t.Fatalf("agent-sdk prints %q\n%s", line, s.stderr)
		}
	case <-time.After(patience):
		t.Fatalf("agent-sdk is not ready after %v\n%s", patience, s.stderr)
	}
	return s
}

func (s *server) end(sig syscall.Signal) {
	_ = s.cmd.Process.Signal(sig)
	<-s.done
}

// tools waits until each connection is listed and returns its tools.
func (s *server) tools(connections []string) map[string][]string {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		var listing struct {
			Tools []struct {
				Name   string
				Source struct{ Connection string }
			}
		}
		body := s.post(http.MethodGet, "/v1/tools", "")
		if err := json.Unmarshal(body, &listing); err != nil {
			s.t.Fatalf("%v: %s", err, body)
		}
		got := map[string][]string{}
		for _, tool := range listing.Tools {
			c := tool.Source.Connection
			got[c] = append(got[c], tool.Name)
		}
		if !slices.ContainsFunc(connections, func(c string) bool { return got[c] == nil }) {
			return got
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("after %v the tools are %v\n%s", patience, got, s.stderr)
		}
	}
}

// post makes a request that may be answered in lines and returns the body.
func (s *server) post(method, path, body string) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.target+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/x-ndjson")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s answers %s: %v\n%s", method, path, res.Status, err, answer)
	}
	return answer
}

// A shell is a person's agsh, with a home of its own, so that what two do at
// the same time is two sessions.
type shell struct {
	s    *server
	home string
}

func (s *server) shell(t *testing.T) shell { return shell{s, t.TempDir()} }

func (a shell) command(ctx context.Context, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "agsh"), words...)
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH"), "AGENT_SHELL_TARGET=" + a.s.target, "COLUMNS=120"}
	return cmd
}

// run runs agsh and returns what it prints and its exit code.
func (a shell) run(t *testing.T, stdin string, words ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := a.command(ctx, words...)
	var out, diag bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &diag
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("agsh %q: %v", words, err)
	}
	return out.String(), diag.String(), cmd.ProcessState.ExitCode()
}

// program is the connection to a peer that is started, with more arguments.
func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	b, err := json.Marshal(append([]string{module(t, "@modelcontextprotocol/"+name)}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("command: %q\nargs: %s\n", node(t), b)
}

// remote starts server-everything on a port and returns its URL.
func remote(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	ln.Close()
	cmd := exec.CommandContext(context.Background(), node(t), module(t, "@modelcontextprotocol/server-everything"), "streamableHttp")
	cmd.Env = []string{"PORT=" + port, "PATH=" + os.Getenv("PATH")}
	stderr := &log{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(patience); !strings.Contains(stderr.String(), "listening"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("server-everything does not listen after %v\n%s", patience, stderr)
		}
	}
	return "http://127.0.0.1:" + port + "/mcp"
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A log is what a program writes while others read it.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
