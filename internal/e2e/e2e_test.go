package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// programs is the directory of the built programs.
var programs string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == mcpServer {
		os.Exit(serveMCP(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agsh-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", dir+string(filepath.Separator), "agsh.dev/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	if err := linkMCPServer(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programs = dir
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"serve":   serve,
			"halt":    stop,
			"http":    request,
			"fake":    startFake,
			"signal":  signalServer,
			"subst":   subst,
			"repeat":  repeat,
			"gone":    gone,
			"running": running,
			"mcp":     startMCP,
			"lines":   lines,
			"logged":  logged,
		},
	})
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmp"))
	env.Setenv("MCPSERVER", filepath.Join(programs, mcpServer))
	env.Setenv("STATE", filepath.Join(env.WorkDir, "state"))
	for _, dir := range []string{home, filepath.Join(env.WorkDir, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	// Tools written in Go are built with the build cache of this test.
	for _, name := range []string{"GOCACHE", "GOPATH", "GOROOT"} {
		out, err := exec.CommandContext(context.Background(), "go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(out)))
	}
	env.Values[serversKey{}] = map[string]*server{}
	return nil
}

// serversKey finds a script's servers in its environment.
type serversKey struct{}

// A server is an agent-sdk serve that a script started.
type server struct {
	cmd    *exec.Cmd
	stderr *transcript
	done   chan struct{}
	err    error // once done
}

// serve [-name n] dir [flags…] serves dir on a free port with the state root
// $STATE, and sets AGENT_SHELL_TARGET to its first agent and URL to the
// server. It is stopped at the end of the script.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	name := "server"
	if len(args) > 1 && args[0] == "-name" {
		name, args = args[1], args[2:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve [-name n] dir [flags]")
	}
	command := append([]string{"serve", "--dir", ts.MkAbs(args[0]), "--addr", "127.0.0.1:0"}, args[1:]...)
	if !strings.Contains(strings.Join(args, " "), "--state-root") {
		command = append(command, "--state-root", ts.Getenv("STATE"))
	}
	s := &server{cmd: exec.Command(filepath.Join(programs, "agent-sdk"), command...), stderr: &transcript{}, done: make(chan struct{})}
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = scriptEnv(ts)
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	ready := make(chan string, 1)
	go func() {
		line := make([]byte, 0, 256)
		var b [1]byte
		for {
			n, err := stdout.Read(b[:])
			if n == 1 && b[0] == '\n' || err != nil {
				break
			}
			line = append(line, b[:n]...)
		}
		ready <- string(line)
		_, _ = io.Copy(io.Discard, stdout)
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	servers(ts)[name] = s
	ts.Defer(func() { s.end(syscall.SIGKILL) })
	select {
	case line := <-ready:
		_, target, ok := strings.Cut(line, " ")
		if !ok {
			<-s.done
			ts.Fatalf("serve ended: %v\n%s", s.err, s.stderr)
		}
		ts.Setenv("AGENT_SHELL_TARGET", target)
		ts.Setenv("URL", target[:strings.LastIndexByte(target, '/')])
	case <-time.After(30 * time.Second):
		ts.Fatalf("serve is not ready after 30 s\n%s", s.stderr)
	}
}

func servers(ts *testscript.TestScript) map[string]*server {
	return ts.Value(serversKey{}).(map[string]*server)
}

func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "STATE", "XDG_STATE_HOME", "AGENT_SDK_BEARER_TOKEN", "GOCACHE", "GOPATH", "GREETING", "TOKEN", "ONCE", "ALWAYS", "NOWHERE", "CHANGES", "DENIED", "WORK"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (s *server) end(sig syscall.Signal) {
	_ = s.cmd.Process.Signal(sig)
	<-s.done
}

// halt [-name n] ends a server with a terminate signal, which must be
// orderly; what it logged becomes the script's stderr.
func stop(ts *testscript.TestScript, _ bool, args []string) {
	s := named(ts, args)
	s.end(syscall.SIGTERM)
	if s.err != nil {
		ts.Fatalf("the server ended with %v\n%s", s.err, s.stderr)
	}
	_, _ = io.WriteString(ts.Stderr(), s.stderr.String())
}

func named(ts *testscript.TestScript, args []string) *server {
	name := "server"
	if len(args) == 2 && args[0] == "-name" {
		name = args[1]
	}
	s, ok := servers(ts)[name]
	if !ok {
		ts.Fatalf("no server %s", name)
	}
	return s
}

// A transcript is what a program writes, for who reads it meanwhile.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// logged N PATTERN waits until N lines that the server has logged match, and
// fails when there are more.
func logged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: logged N PATTERN")
	}
	s := named(ts, nil)
	awaitLines(ts, "the server's log", args[0], args[1], s.stderr.String)
}

// signal NAME sends a signal to the server and, unless it is STOP or CONT,
// waits for its end.
func signalServer(ts *testscript.TestScript, _ bool, args []string) {
	sigs := map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT}
	sig, ok := sigs[args[0]]
	if !ok {
		ts.Fatalf("unknown signal %s", args[0])
	}
	s := named(ts, args[1:])
	if sig == syscall.SIGSTOP || sig == syscall.SIGCONT {
		ts.Check(s.cmd.Process.Signal(sig))
		return
	}
	s.end(sig)
}

// http STATUS METHOD PATH [BODY] [Header:value…] makes a request of $URL; the
// body of the answer is stdout, its headers stderr.
func request(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: http STATUS METHOD PATH [BODY] [Header:value]")
	}
	var body io.Reader
	if len(args) > 3 && args[3] != "" {
		body = strings.NewReader(args[3])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, args[1], ts.Getenv("URL")+args[2], body)
	ts.Check(err)
	for _, h := range args[min(4, len(args)):] {
		name, value, _ := strings.Cut(h, ":")
		if strings.EqualFold(name, "Host") {
			req.Host = value
		} else {
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	ts.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	ts.Check(err)
	_, _ = ts.Stdout().Write(b)
	var headers bytes.Buffer
	_ = res.Header.Write(&headers)
	_, _ = ts.Stderr().Write(headers.Bytes())
	if fmt.Sprint(res.StatusCode) != args[0] {
		ts.Fatalf("%s %s answered %d, want %s\n%s", args[1], args[2], res.StatusCode, args[0], b)
	}
}

// subst FILE expands $VARIABLES of the script in a file.
func subst(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		path := ts.MkAbs(file)
		b, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(os.Expand(string(b), ts.Getenv)), 0o600))
	}
}

// repeat FILE N TEXT… writes a file of N times TEXT, with \n for a newline.
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	var n int
	_, err := fmt.Sscan(args[1], &n)
	ts.Check(err)
	text := strings.ReplaceAll(strings.Join(args[2:], " "), `\n`, "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, n)), 0o600))
}

// gone PATTERN waits until no process has a command line that matches.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, args[0], func(found []string) bool { return len(found) == 0 })
}

// running PATTERN waits until a process has a command line that matches.
func running(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, args[0], func(found []string) bool { return len(found) > 0 })
}

// await looks at the processes of the machine until they are as wanted; after
// 10 s the script fails.
func await(ts *testscript.TestScript, pattern string, wanted func(found []string) bool) {
	re, err := regexp.Compile(pattern)
	ts.Check(err)
	deadline := time.Now().Add(10 * time.Second)
	for {
		found := matching(re)
		if wanted(found) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("after 10 s the processes that match %s are %q", pattern, found)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func matching(re *regexp.Regexp) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && re.Match(bytes.ReplaceAll(b, []byte{0}, []byte(" "))) {
			out = append(out, string(b))
		}
	}
	return out
}
