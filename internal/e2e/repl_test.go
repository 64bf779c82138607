//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience bounds every wait of these tests; none takes nearly that long.
const patience = 15 * time.Second

// A console is agsh on a terminal of its own, with a person before it.
type console struct {
	t      *testing.T
	cmd    *exec.Cmd
	person *os.File // the side of the terminal that types and sees
	tty    *os.File // the side of agsh, open here too to look at its modes
	cooked *term.State
	home   string

	mu    sync.Mutex
	cond  *sync.Cond
	shown bytes.Buffer // and not waited for yet
	ended bool         // nobody shows anything any more
}

// openConsole starts agsh on a terminal; env entries come last and win.
func openConsole(t *testing.T, target string, env ...string) *console {
	t.Helper()
	person, tty, err := pty.Open()
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	c := &console{t: t, person: person, tty: tty, home: t.TempDir()}
	c.cond = sync.NewCond(&c.mu)
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	// Or else a read that is pending would keep it from being closed.
	if err := syscall.SetNonblock(int(person.Fd()), true); err != nil {
		t.Fatal(err)
	}
	if c.cooked, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.CommandContext(t.Context(), filepath.Join(programs, "agsh"))
	c.cmd.Env = append([]string{"HOME=" + c.home, "TERM=xterm", "PATH=" + os.Getenv("PATH"), "AGENT_SHELL_TARGET=" + target}, env...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		person.Close()
		tty.Close()
	})
	go c.watch()
	return c
}

func (c *console) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := c.person.Read(buf)
		c.mu.Lock()
		c.shown.Write(buf[:n])
		c.ended = err != nil
		c.cond.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits until a text is shown and returns what came before it.
func (c *console) sees(want string) string {
	c.t.Helper()
	late := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
		c.cond.Broadcast()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if i := bytes.Index(c.shown.Bytes(), []byte(want)); i >= 0 {
			before := string(c.shown.Next(i))
			c.shown.Next(len(want))
			return before
		}
		if c.ended {
			c.t.Fatalf("%q is not shown; what is: %q", want, c.shown.String())
		}
		c.cond.Wait()
	}
}

func (c *console) types(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.person, keys); err != nil {
		c.t.Fatal(err)
	}
}

// prompt waits for one that takes keys.
func (c *console) prompt() {
	c.t.Helper()
	c.sees("❯ ")
}

func (c *console) signal(sig syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

// leaves waits for the end of agsh, which must have the code and leave the
// terminal as it was.
func (c *console) leaves(code int) {
	c.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	select {
	case err := <-ended:
		got := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		}
		if got != code {
			c.t.Errorf("agsh ended with %v, want code %d", err, code)
		}
	case <-time.After(patience):
		c.t.Fatal("agsh does not end")
	}
	if now, err := term.GetState(int(c.tty.Fd())); err != nil || !reflect.DeepEqual(now, c.cooked) {
		c.t.Errorf("the terminal is not as it was: %+v, %v, want %+v", now, err, c.cooked)
	}
}

// serveAgent serves an agent with a few tools until the test ends.
func serveAgent(t *testing.T) (target string, serving *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	tools := map[string]string{
		"say":  "effect: read\n# input: {type: object, properties: {text: {type: string}, password: {type: string}}}\n# ---\ncat",
		"wait": "effect: read\n# input: {type: object}\n# ---\nexec sleep " + nap(),
		"ask":  "needsApproval: always\n# input: {type: object, properties: {text: {type: string}}}\n# ---\ncat",
	}
	write := func(name, content string, mode os.FileMode) {
		path := filepath.Join(dir, "agent", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("agent.yaml", "name: agent\nroot: {temp: {/a.txt: hello}}\n", 0o600)
	write("instructions.md", "Test.\n", 0o600)
	for name, rest := range tools {
		write("tools/"+name, "#!/bin/sh\n# ---\n# description: A tool.\n# "+rest+"\n", 0o700)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "agent-sdk"),
		"serve", "--dir", dir, "--addr", "127.0.0.1:0", "--state-root", filepath.Join(dir, "state"))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var line [256]byte
	n, err := stdout.Read(line[:])
	if err != nil {
		t.Fatal(err)
	}
	_, target, _ = strings.Cut(strings.TrimSpace(string(line[:n])), " ")
	return target, cmd
}

// nap is how long the tool wait sleeps, different in each test process.
func nap() string { return "300." + strconv.Itoa(os.Getpid()) }

// waitFor waits until a process of the tool wait runs, or none does.
func waitFor(t *testing.T, running bool) {
	t.Helper()
	re := regexp.MustCompile("^sleep " + regexp.QuoteMeta(nap()) + " $")
	for deadline := time.Now().Add(patience); (len(matching(re)) > 0) != running; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v the tool runs: %v, want %v", patience, !running, running)
		}
	}
}

func TestREPL(t *testing.T) {
	target, _ := serveAgent(t)
	c := openConsole(t, target)
	c.sees("→ ses_")
	c.sees("agent ses_")
	c.prompt()
	c.types("lz\x7fs /\r")
	c.sees("a.txt\r\n")
	c.prompt()
	c.types("say --password hunter2 --text 'one\r") // an open quote goes on
	c.sees("> ")
	c.types("two'\r")
	c.sees("hunter2\r\n")
	c.prompt()
	c.types("rea\t") // completed as it was typed
	c.sees("read ")
	c.types("/a.txt | wc -c\r")
	c.sees("6\r\n")
	c.prompt()
	c.types("say --te\t")
	c.sees("--text ")
	c.types("x\r")
	c.prompt()
	c.types("dropped\x03")
	c.sees("^C")
	c.prompt()
	c.types("\x1b[A\x1b[A | grep -c .\r") // the line above the last
	c.sees("1\r\n")
	c.prompt()
	c.types("nope\r")
	c.sees("unknown command: nope")
	c.prompt()
	c.types("say --text last\r")
	c.sees("last\r\n")
	c.prompt()
	c.types("\x04")
	c.leaves(0)

	path := filepath.Join(c.home, ".local/state/agsh/history")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history: %v, %v, want mode 0600", info, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// History has what was typed; what ran under which name is in the log.
	want := "ls /\nsay --password *** --text 'one\\ntwo'\nread /a.txt | wc -c\nsay --text x\n" +
		"read /a.txt | wc -c | grep -c .\nnope\nsay --text last\n"
	if string(b) != want {
		t.Errorf("the history is %q, want %q", b, want)
	}
}

func TestREPLInterruptCancelsTheCallOnTheServer(t *testing.T) {
	target, _ := serveAgent(t)
	c := openConsole(t, target)
	c.prompt()
	for range 2 {
		c.types("wait\r")
		waitFor(t, true)
		began := time.Now()
		c.types("\x03")
		c.prompt()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the prompt came back after %v", took)
		}
		waitFor(t, false)
	}
	c.types("say --text on\r")
	c.sees("on\r\n")
	c.prompt()
	c.types("\x04")
	c.leaves(0)
}

func TestREPLWaysOut(t *testing.T) {
	tests := []struct {
		name  string
		leave func(c *console, serving *exec.Cmd)
		code  int
	}{
		{"Ctrl-D", func(c *console, _ *exec.Cmd) { c.types("\x04") }, 0},
		{"exit", func(c *console, _ *exec.Cmd) { c.types("exit\r") }, 0},
		{"terminate at the prompt", func(c *console, _ *exec.Cmd) { c.types("half a li"); c.sees("half a li"); c.signal(syscall.SIGTERM) }, 130},
		{"hang-up at the prompt", func(c *console, _ *exec.Cmd) { c.signal(syscall.SIGHUP) }, 130},
		{"terminate during a call", func(c *console, _ *exec.Cmd) {
			c.types("wait\r")
			waitFor(t, true)
			c.signal(syscall.SIGTERM)
		}, 130},
		{"terminate at a question", func(c *console, _ *exec.Cmd) { c.types("ask\r"); c.sees("[y/N]"); c.signal(syscall.SIGTERM) }, 130},
		{"the server dies during a call", func(c *console, serving *exec.Cmd) {
			c.types("wait\r")
			waitFor(t, true)
			_ = serving.Process.Kill()
			c.sees("Error: ")
			c.prompt()
			c.types("say\r")
			c.sees("Error: cannot reach")
			c.prompt()
			c.types("\x04")
		}, 3},
		{"interrupt, then Ctrl-D", func(c *console, _ *exec.Cmd) { c.types("x\x03"); c.prompt(); c.types("\x04") }, 130},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target, serving := serveAgent(t)
			c := openConsole(t, target)
			c.prompt()
			tt.leave(c, serving)
			c.leaves(tt.code)
			waitFor(t, false)
		})
	}
}

func TestREPLLeavesWithItsTerminal(t *testing.T) {
	target, _ := serveAgent(t)
	for _, busy := range []bool{false, true} {
		c := openConsole(t, target)
		c.prompt()
		if busy {
			c.types("wait\r")
			waitFor(t, true)
		}
		c.tty.Close()
		c.person.Close()
		ended := make(chan error, 1)
		go func() { ended <- c.cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatalf("agsh outlives its terminal (during a call: %v)", busy)
		}
		waitFor(t, false)
	}
}

func TestREPLOnADumbTerminal(t *testing.T) {
	target, _ := serveAgent(t)
	c := openConsole(t, target, "TERM=dumb")
	c.prompt()
	c.types("ls /\n")
	shown := c.sees("a.txt\r\n")
	c.prompt()
	c.types("ask\n")
	c.sees("[y/N] ")
	c.types("y\n")
	shown += c.sees("❯ ")
	c.types("wait\n")
	waitFor(t, true)
	c.types("\x03")
	c.prompt()
	c.types("dropped\x03")
	shown += c.sees("❯ ")
	c.types("say --text end\n")
	shown += c.sees("end\r\n")
	c.prompt()
	c.types("\x04")
	c.leaves(0)
	if strings.Contains(shown, "\x1b") {
		t.Errorf("escape sequences on a dumb terminal: %q", shown)
	}
}

func TestREPLAsksBeforeACallThatNeedsApproval(t *testing.T) {
	target, _ := serveAgent(t)
	c := openConsole(t, target)
	c.prompt()
	for _, tt := range []struct{ answer, want string }{
		{"\r", "was not approved"}, // no is the default
		{"n\r", "was not approved"},
		{"yes\r", "text:"},
		{"y\r", "text:"},
		{"\x03", ""},
	} {
		c.types("ask --text 'rm -rf'\r")
		c.sees("ask needs approval")
		c.sees("[y/N] ")
		c.types(tt.answer)
		c.sees(tt.want)
		c.prompt()
	}
	c.types("ask --approve\r")
	c.sees("(empty object)")
	c.prompt()
	c.types("exit\r")
	c.leaves(0)
}

func TestREPLWarnsOnceOfAHistoryItCannotKeep(t *testing.T) {
	target, _ := serveAgent(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{"", blocked} {
		c := openConsole(t, target, "HOME="+home)
		c.sees("warning: ")
		c.prompt()
		shown := ""
		for range 2 {
			c.types("ls /\r")
			shown += c.sees("a.txt\r\n")
			shown += c.sees("❯ ")
		}
		c.types("\x04")
		c.leaves(0)
		if strings.Contains(shown, "warning") {
			t.Errorf("HOME=%q warns again: %q", home, shown)
		}
	}
}

// hung serves what answers, or does not; asked has the path of each request.
func hung(t *testing.T, answer http.HandlerFunc) (target string, asked <-chan string) {
	t.Helper()
	paths := make(chan string, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		if answer != nil {
			answer(w, r)
			return
		}
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/a", paths
}

func TestREPLInterruptsAServerThatDoesNotAnswer(t *testing.T) {
	t.Run("at launch", func(t *testing.T) {
		target, asked := hung(t, nil)
		c := openConsole(t, target)
		<-asked
		began := time.Now()
		c.types("\x03")
		c.leaves(130)
		if took := time.Since(began); took > time.Second {
			t.Errorf("agsh ended after %v", took)
		}
	})
	t.Run("in a call and in a completion", func(t *testing.T) {
		target, asked := hung(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/sessions/latest"):
				reply(w, 200, "application/json", `{"session":"ses_1"}`)
			case strings.HasSuffix(r.URL.Path, "/tools"):
				reply(w, 200, "application/json", listing)
			default:
				<-r.Context().Done()
			}
		})
		c := openConsole(t, target)
		c.prompt()
		<-asked
		<-asked
		for _, keys := range []string{"t\r", "t --\t"} {
			c.types(keys)
			<-asked
			began := time.Now()
			c.types("\x03")
			c.sees("^C")
			c.prompt()
			if took := time.Since(began); took > time.Second {
				t.Errorf("after %q the prompt came back after %v", keys, took)
			}
		}
		c.types("\x04")
		c.leaves(130)
	})
}
