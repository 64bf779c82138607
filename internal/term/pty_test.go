//go:build unix

package term_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"agsh.dev/internal/term"
)

// open returns a terminal on a pseudo-terminal and the side a user would be
// on.
func open(t *testing.T, env map[string]string) (*term.Term, *os.File) {
	t.Helper()
	user, tty, err := pty.Open()
	if err != nil {
		t.Skipf("open a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { user.Close(); tty.Close() })
	return term.Files(tty, tty, tty, func(name string) string { return env[name] }), user
}

func TestWidthFollowsTheTerminal(t *testing.T) {
	env := map[string]string{"COLUMNS": "33"}
	tm, user := open(t, env)
	if !tm.InTTY || !tm.OutTTY || !tm.ErrTTY {
		t.Fatalf("a pseudo-terminal is not seen as one: %v %v %v", tm.InTTY, tm.OutTTY, tm.ErrTTY)
	}
	for _, cols := range []uint16{100, 20} {
		if err := pty.Setsize(user, &pty.Winsize{Rows: 10, Cols: cols}); err != nil {
			t.Fatal(err)
		}
		if got := tm.Width(); got != int(cols) {
			t.Errorf("Width() = %d on a terminal of %d cells", got, cols)
		}
	}
	if err := pty.Setsize(user, &pty.Winsize{}); err != nil {
		t.Fatal(err)
	}
	if got := tm.Width(); got != 33 {
		t.Errorf("Width() = %d on a terminal without a size, want COLUMNS, 33", got)
	}
	delete(env, "COLUMNS")
	if got := tm.Width(); got != 80 {
		t.Errorf("Width() = %d on a terminal without a size, want 80", got)
	}
}

func TestWidthOfAFile(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for columns, want := range map[string]int{"": 0, "77": 77, "-1": 0, "wide": 0} {
		tm := term.Files(f, f, f, func(string) string { return columns })
		if got := tm.Width(); got != want || tm.OutTTY {
			t.Errorf("Width() with COLUMNS=%q = %d (terminal: %v), want %d", columns, got, tm.OutTTY, want)
		}
	}
}

// typeAhead sends keys that the terminal has taken in when it returns.
func typeAhead(t *testing.T, user *os.File, keys string) {
	t.Helper()
	if _, err := user.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	// The echo comes back once the line discipline has the keys.
	if _, err := bufio.NewReader(user).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

func TestConfirmDiscardsTypedAheadKeys(t *testing.T) {
	tm, user := open(t, nil)
	typeAhead(t, user, "y\n")
	answer := make(chan bool)
	go func() {
		ok, err := tm.Confirm(t.Context(), "Run?")
		if err != nil {
			t.Errorf("Confirm: %v", err)
		}
		answer <- ok
	}()
	if _, err := bufio.NewReader(user).ReadString(']'); err != nil { // asked, so flushed
		t.Fatal(err)
	}
	if _, err := user.WriteString("n\n"); err != nil {
		t.Fatal(err)
	}
	if <-answer {
		t.Error("a key typed before the question answered it")
	}
}

func TestConfirmStopsWithItsContext(t *testing.T) {
	tm, user := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() {
		_, err := tm.Confirm(ctx, "Run?")
		stopped <- err
	}()
	if _, err := bufio.NewReader(user).ReadString(']'); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("Confirm after cancel = %v, want %v", err, context.Canceled)
	}
	// Nothing is left behind that would take the next line.
	if _, err := user.WriteString("next\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(tm.In).ReadString('\n'); strings.TrimSpace(line) != "next" || err != nil {
		t.Errorf("the line after a cancelled question = %q, %v, want next", line, err)
	}
}

func TestMakeRawDeliversEachKey(t *testing.T) {
	tm, user := open(t, nil)
	restore, err := tm.MakeRaw()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := user.WriteString("\x03"); err != nil { // no newline, and no signal
		t.Fatal(err)
	}
	key := make([]byte, 8)
	if n, err := tm.In.Read(key); string(key[:n]) != "\x03" || err != nil {
		t.Errorf("raw read = %q, %v, want Ctrl-C", key[:n], err)
	}
	restore()
	restore()
	if _, err := user.WriteString("x\n"); err != nil {
		t.Fatal(err)
	}
	if echo, err := bufio.NewReader(user).ReadString('\n'); strings.TrimSpace(echo) != "x" || err != nil {
		t.Errorf("echo after restore = %q, %v, want x", echo, err)
	}
}
