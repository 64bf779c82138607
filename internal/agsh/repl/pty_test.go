//go:build unix

package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// TestMain lets the test binary be the shell on the terminal of another test.
func TestMain(m *testing.M) {
	if os.Getenv("REPL_TEST_SHELL") == "" {
		os.Exit(m.Run())
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	code, err := Run(context.Background(), Config{
		In: os.Stdin, Out: os.Stdout,
		MakeRaw: func() (func(), error) {
			state, err := term.MakeRaw(int(os.Stdin.Fd()))
			return func() { term.Restore(int(os.Stdin.Fd()), state) }, err
		},
		Prompt: func() string { return "agent❯ " },
		Run: func(ctx context.Context, src string) (int, bool) {
			if src == "wait" {
				fmt.Println("waiting")
				<-ctx.Done()
				fmt.Println("stopped:", ctx.Err())
				return CodeInterrupted, false
			}
			fmt.Printf("ran: %q\n", src)
			return 5, false
		},
		Interrupts: interrupts,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// An expecter waits for texts to come out of a terminal, in order.
type expecter struct {
	mu   sync.Mutex
	cond *sync.Cond
	seen bytes.Buffer
	eof  bool
}

func expect(r io.Reader) *expecter {
	e := &expecter{}
	e.cond = sync.NewCond(&e.mu)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			e.mu.Lock()
			e.seen.Write(buf[:n])
			e.eof = err != nil // EIO when the shell has left
			e.cond.Broadcast()
			e.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return e
}

func (e *expecter) wait(t *testing.T, want string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		if i := bytes.Index(e.seen.Bytes(), []byte(want)); i >= 0 {
			e.seen.Next(i + len(want))
			return
		}
		if e.eof {
			t.Fatalf("the terminal closed before %q; it showed %q", want, e.seen.String())
		}
		e.cond.Wait()
	}
}

func TestOnARealTerminal(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // bounds a hang; nothing waits for it
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), "REPL_TEST_SHELL=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		t.Skip("this machine has no pseudo-terminals:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	shown := expect(tty)
	steps := []struct{ keys, want string }{
		{"", "agent❯ "},
		{"日本x\x7f\x1b[De\u0301\r", `ran: "日e` + "\u0301" + `本"`},
		{"", "agent❯ "},
		{"\x1b[A!\r", `本!"`},
		{"", "agent❯ "},
		{"dropped\x03", "dropped^C"},
		{"", "agent❯ "},
		{"wait\r", "waiting"},
		{"\x03", "stopped: context canceled"}, // by the signal that a cooked terminal makes of it
		{"", "agent❯ "},
		{"one\rtwo\r", `ran: "one"`},
		{"", `ran: "two"`},
		{"", "agent❯ "},
		{"\x04", noBracketedPaste},
	}
	for _, s := range steps {
		if _, err := io.WriteString(tty, s.keys); err != nil {
			t.Fatal(err)
		}
		shown.wait(t, s.want)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 5 {
		t.Errorf("the shell ended with %v, want the code of its last entry, 5", err)
	}
	shown.mu.Lock()
	defer shown.mu.Unlock()
	if strings.Contains(shown.seen.String(), "ran:") {
		t.Errorf("after Ctrl-D: %q", shown.seen.String())
	}
}
