//go:build unix

package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience bounds every wait; none takes nearly that long.
const patience = 20 * time.Second

// A console is a loop on a real terminal, in this process, with an emulator
// that shows what a person would see.
type console struct {
	t        *testing.T
	person   *os.File // types and sees
	tty      *os.File // the loop's
	cooked   *term.State
	code     int
	err      error
	panicked any
	ended    chan struct{}
	cancel   context.CancelFunc

	mu    sync.Mutex
	cond  *sync.Cond
	emu   *vt.Emulator
	raw   strings.Builder // all bytes
	times int             // how often something was shown
}

// openConsole runs a loop. Entries print ran: and their text, but for some that
// change lets do more.
func openConsole(t *testing.T, width, height int, change func(*Config)) *console {
	t.Helper()
	person, tty, err := pty.Open()
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		t.Skip("this machine has no pseudo-terminals:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, person: person, tty: tty, ended: make(chan struct{}), emu: vt.NewEmulator(width, height)}
	c.cond = sync.NewCond(&c.mu)
	c.resize(width, height)
	for _, f := range []*os.File{person, tty} { // or else a pending read keeps it open
		if err := syscall.SetNonblock(int(f.Fd()), true); err != nil {
			t.Fatal(err)
		}
	}
	if c.cooked, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	config := Config{
		In: tty, Out: tty,
		MakeRaw: func() (func(), error) {
			state, err := term.MakeRaw(int(tty.Fd()))
			return func() { term.Restore(int(tty.Fd()), state) }, err
		},
		Prompt: func() string { return "$ " },
		Run: func(_ context.Context, src string, out IO) (int, bool) {
			fmt.Fprintf(out.Out, "ran: %q\n", src)
			return 5, false
		},
	}
	if change != nil {
		change(&config)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel = cancel
	shown := make(chan []byte, 1<<12) // the emulator is slower than the loop
	var watching sync.WaitGroup
	watching.Go(func() { c.read(shown) })
	watching.Go(func() { c.show(shown) })
	watching.Go(func() { io.Copy(io.Discard, c.emu) }) // what it would reply
	go func() {
		defer close(c.ended)
		defer func() { c.panicked = recover() }()
		c.code, c.err = Run(ctx, config)
	}()
	t.Cleanup(func() {
		cancel()
		person.Close()
		tty.Close()
		<-c.ended
		c.emu.InputPipe().(io.Closer).Close() // not Close, which races with Read
		watching.Wait()
	})
	return c
}

func (c *console) read(shown chan<- []byte) {
	defer close(shown)
	for {
		buf := make([]byte, 4096)
		n, err := c.person.Read(buf)
		shown <- buf[:n]
		if err != nil {
			return
		}
	}
}

func (c *console) show(shown <-chan []byte) {
	for p := range shown {
		c.mu.Lock()
		c.emu.Write(p)
		c.raw.Write(p)
		c.times++
		c.cond.Broadcast()
		c.mu.Unlock()
	}
}

func (c *console) types(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.person, keys); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) resize(width, height int) {
	c.t.Helper()
	c.mu.Lock()
	c.emu.Resize(width, height)
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		c.t.Fatal(err)
	}
}

// signalResize tells this process, which is not the terminal's own.
func (c *console) signalResize() {
	c.t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		c.t.Fatal(err)
	}
}

// waits until the screen is as wanted.
func (c *console) waits(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	late := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cond.Broadcast()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !ok() {
		if !time.Now().Before(deadline) {
			c.t.Fatalf("%s: not within %v; the screen is\n%s", what, patience, c.screen())
		}
		c.cond.Wait()
	}
}

// screen is what shows now, with the cursor as ▮. The lock is held.
func (c *console) screen() string {
	at := c.emu.CursorPosition()
	var rows []string
	for y := range c.emu.Height() {
		var row strings.Builder
		for x := 0; x < c.emu.Width(); {
			if y == at.Y && x == at.X {
				row.WriteString("▮")
			}
			cell := c.emu.CellAt(x, y)
			if cell == nil || cell.Width == 0 {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(cell.Content)
			x += cell.Width
		}
		rows = append(rows, strings.TrimRight(row.String(), " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// sees waits until the screen ends in a text, where ▮ is the cursor.
func (c *console) sees(want string) {
	c.t.Helper()
	c.waits(fmt.Sprintf("%q at the end", want), func() bool { return strings.HasSuffix("\n"+c.screen(), "\n"+want) })
}

// leaves waits for the end of the loop, which must give the terminal back.
func (c *console) leaves(code int) {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatal("the loop does not end")
	}
	if c.code != code || c.err != nil {
		c.t.Errorf("the loop ended with %d, %v, want %d", c.code, c.err, code)
	}
	c.restored()
}

func (c *console) restored() {
	c.t.Helper()
	if now, err := term.GetState(int(c.tty.Fd())); err != nil || !reflect.DeepEqual(now, c.cooked) {
		c.t.Errorf("the terminal is not as it was: %+v, %v, want %+v", now, err, c.cooked)
	}
	c.waits("no bracketed paste", func() bool { return strings.Contains(c.raw.String(), noBracketedPaste) })
}

func TestOnARealTerminal(t *testing.T) {
	c := openConsole(t, 40, 10, nil)
	for _, s := range []struct{ keys, want string }{
		{"", "$ ▮"},
		{"日本x\x7f\x1b[De\u0301\r", "$ 日e\u0301本\nran: \"日e\u0301本\"\n$ ▮"},
		{"\x1b[A!\r", "$ 日e\u0301本!\nran: \"日e\u0301本!\"\n$ ▮"},
		{"dropped\x03", "$ dropped^C\n$ ▮"},
		{"한글中文ABC", "$ 한글中文ABC▮"},
		{"\x01", "$ ▮한글中文ABC"},
		{"\x1b[C\x1b[C", "$ 한글▮中文ABC"},
		{"\x0c", "$ 한글▮中文ABC"},
		{"\x15\x0b", "$ ▮"},
	} {
		c.types(s.keys)
		c.sees(s.want)
	}
	c.types("\x04")
	c.leaves(CodeInterrupted)
}

func TestR64_APasteIsOneTextAndRunsOnEnter(t *testing.T) {
	ran := make(chan string, 10)
	c := openConsole(t, 40, 10, func(c *Config) {
		c.Run = func(_ context.Context, src string, _ IO) (int, bool) {
			ran <- src
			return 0, false
		}
	})
	c.sees("$ ▮")
	c.types("\x1b[200~l1\r\nl2 \x1b[3")
	c.types("1m\n\x1b[20")
	c.types("1~")
	c.sees("$ l1\n> l2\n> ▮")
	c.types("\r")
	if got := <-ran; got != "l1\nl2 \n" {
		t.Errorf("ran %q", got)
	}
	c.sees("$ ▮")
	// One without an end neither hangs nor runs.
	c.types("\x1b[200~rm\r")
	c.sees("$ rm\n> ▮")
	c.types("\x03")
	c.sees("$ rm\n> ^C\n$ ▮")
	c.types("ls\r")
	if got := <-ran; got != "ls" {
		t.Errorf("ran %q", got)
	}
	c.types("\x04")
	c.leaves(0)
}

func TestR66_RepliesOfTheTerminalAreNoInput(t *testing.T) {
	c := openConsole(t, 60, 10, nil)
	c.sees("$ ▮")
	for _, text := range []string{"retry 5R3 times", "ranges 12;34R okay"} {
		for i, letter := range text {
			c.types(string(letter) + "\x1b[6")
			c.types("0;1R")
			c.sees("$ " + text[:i+1] + strings.Repeat("▮", 1))
		}
		c.types("\r")
		c.sees(fmt.Sprintf("ran: %q\n$ ▮", text))
	}
	c.types("\x1b]11;rgb:1f1f/2121\x07\x1b[?62c\x04")
	c.leaves(5)
}

func TestR75_ControlsInOutputStayText(t *testing.T) {
	const evil = "a\x1b[2Jb\x1b]0;x\x07c\x1b]8;;http://evil.test\x07d\u009be\u202ef\rg\x1b[31mred\x1b[1A\x1b[m\n"
	c := openConsole(t, 100, 10, func(c *Config) {
		c.Run = func(_ context.Context, _ string, out IO) (int, bool) {
			for i := range len(evil) { // cut anywhere
				io.WriteString(out.Out, evil[i:i+1])
			}
			return 0, false
		}
	})
	c.sees("$ ▮")
	c.types("x\r")
	c.sees("$ x\n" + `a\x1b[2Jb\x1b]0;x\x07c\x1b]8;;http://evil.test\x07d\u009be\u202ef\rgred\x1b[1A` + "\n$ ▮")
	c.types("\x04")
	c.leaves(0)
}

func TestOutputStreamsAboveTheLineThatIsTyped(t *testing.T) {
	const lines = 10_000
	typing := make(chan struct{})
	c := openConsole(t, 30, 12, func(c *Config) {
		c.Run = func(_ context.Context, src string, out IO) (int, bool) {
			if src == "count" {
				<-typing
				for i := range lines {
					fmt.Fprintf(out.Out, "line %d\n", i)
				}
			} else {
				fmt.Fprintln(out.Err, "ran "+src)
			}
			return 0, false
		}
	})
	c.sees("$ ▮")
	c.types("count\r")
	c.sees("$ count\n▮")
	close(typing)
	for _, letter := range "next!" {
		c.types(string(letter))
	}
	c.types("\x7f")
	c.sees("$ next▮")
	c.types("\r")
	c.sees("line 9999\n$ next\nran next\n$ ▮")
	c.types("\x04")
	c.leaves(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	last := -1
	for row := range strings.SplitSeq(c.raw.String(), "\r\n") {
		if _, row, ok := strings.Cut(row, "line "); ok {
			n := -1
			fmt.Sscan(row, &n)
			if n != last+1 {
				t.Fatalf("line %d follows %d", n, last)
			}
			last = n
		}
	}
	if last != lines-1 {
		t.Errorf("the last line is %d", last)
	}
}

func TestResizingLeavesEachLineAndOneRegion(t *testing.T) {
	c := openConsole(t, 134, 40, nil)
	c.sees("$ ▮")
	const draft = "a line that is typed while the window changes"
	want := ""
	for i, size := range [][2]int{{134, 40}, {118, 24}, {90, 50}, {128, 24}, {134, 40}} {
		c.resize(size[0], size[1])
		c.signalResize()
		c.types(draft)
		c.sees("$ " + draft + "▮")
		c.types(fmt.Sprintf("\x15line %d\r", i))
		want += fmt.Sprintf("$ line %d\nran: \"line %d\"\n", i, i)
		c.sees(want + "$ ▮")
		c.types("x")
		c.sees("$ x▮")
		c.waits("each line once", func() bool { return c.screen() == want+"$ x▮" })
		c.types("\x7f")
	}
	c.types("\x04")
	c.leaves(5)
}

func TestWhatIsTallerThanTheWindowIsClipped(t *testing.T) {
	c := openConsole(t, 20, 6, nil)
	c.sees("$ ▮")
	c.types("\x1b[200~" + strings.Repeat("row\n", 20) + "end\x1b[201~")
	c.waits("the last rows", func() bool {
		return c.screen() == strings.Repeat("> row\n", 5)+"> end▮"
	})
	c.types("\x01")
	c.waits("the first rows", func() bool {
		return c.screen() == "$ ▮row"+strings.Repeat("\n> row", 5)
	})
	c.types("\x03")
	c.sees("> end^C\n$ ▮")
	if strings.Contains(c.raw.String(), "\x1b[2J") {
		t.Error("the screen was cleared")
	}
	c.types("\x04")
	c.leaves(CodeInterrupted)
}

func TestTheTerminalIsGivenBack(t *testing.T) {
	t.Run("stopped while an entry runs", func(t *testing.T) {
		c := openConsole(t, 40, 10, func(c *Config) {
			c.Run = func(ctx context.Context, _ string, out IO) (int, bool) {
				<-ctx.Done()
				fmt.Fprintln(out.Err, "stopped")
				return CodeInterrupted, false
			}
		})
		c.sees("$ ▮")
		c.types("wait\r")
		c.sees("$ wait\n▮")
		c.cancel()
		c.leaves(CodeInterrupted)
		c.sees("stopped\n▮")
	})
	for name, change := range map[string]func(*Config){
		"an entry panics": func(c *Config) {
			c.Run = func(context.Context, string, IO) (int, bool) { panic("on fire") }
		},
		"the loop panics": func(c *Config) {
			c.Incomplete = func(string) bool { panic("on fire") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := openConsole(t, 40, 10, change)
			c.sees("$ ▮")
			c.types("x\r")
			<-c.ended
			if !strings.Contains(fmt.Sprint(c.panicked), "on fire") {
				t.Errorf("panicked with %v", c.panicked)
			}
			c.restored()
		})
	}
}

func TestCtrlZ(t *testing.T) {
	// A program of its own: all that were started with it are stopped.
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	person, tty, err := pty.Open()
	if err != nil {
		t.Skip("this machine has no pseudo-terminals:", err)
	}
	defer person.Close()
	defer tty.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), "REPL_TEST_SHELL=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(int(person.Fd()), true); err != nil {
		t.Fatal(err)
	}
	if err := person.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Skip("a terminal has no deadlines here:", err)
	}
	seen := ""
	see := func(want string) {
		t.Helper()
		for buf := make([]byte, 1024); !strings.Contains(seen, want); {
			n, err := person.Read(buf)
			if err != nil {
				t.Fatalf("before %q: %v, %q", want, err, seen)
			}
			seen += string(buf[:n])
		}
		_, seen, _ = strings.Cut(seen, want)
	}
	see("agent❯ ")
	io.WriteString(person, "half\x1a")
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("Ctrl-Z: %v, status %v", err, status)
	}
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	see("agent❯ half")
	io.WriteString(person, " done\r")
	see(`ran: "half done"`)
	see("agent❯ ")
	io.WriteString(person, "\x04")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
