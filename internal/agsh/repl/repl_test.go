package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A keyboard is an input whose reads wait for what is typed.
type keyboard chan string

func (k keyboard) Read(p []byte) (int, error) {
	s, ok := <-k
	if !ok {
		return 0, io.EOF
	}
	return copy(p, s), nil
}

// A rig is a loop at work: a keyboard, a screen of 30 cells and what was run.
type rig struct {
	keys       keyboard
	screen     *grid
	interrupts chan os.Signal
	config     Config
	raw        bool
	ran        []string
	code       int
	err        error
	done       bool
	cancel     context.CancelFunc
}

// start runs a loop inside the bubble of a synctest. Entries print ran: and
// their text; "wait" waits for its context, "leave" leaves with code 7.
func start(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	r := &rig{keys: make(keyboard), screen: newGrid(31), interrupts: make(chan os.Signal)}
	r.config = Config{
		In: r.keys, Out: r.screen,
		MakeRaw: func() (func(), error) {
			r.raw = true
			return func() { r.raw = false }, nil
		},
		Size:   func() (int, int) { return 31, 24 },
		Prompt: func() string { return "$ " },
		Run: func(ctx context.Context, src string, out IO) (int, bool) {
			r.ran = append(r.ran, src)
			switch src {
			case "wait":
				<-ctx.Done()
				return CodeInterrupted, false
			case "leave":
				return 7, true
			}
			fmt.Fprintln(out.Out, "ran: "+src)
			return 3, false
		},
		Incomplete: func(src string) bool { return strings.Count(src, "'")%2 == 1 },
		Interrupts: r.interrupts,
	}
	if change != nil {
		change(&r.config)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() {
		r.code, r.err = Run(ctx, r.config)
		r.done = true
	}()
	synctest.Wait()
	return r
}

// typing sends each text and waits until it is dealt with.
func (r *rig) typing(texts ...string) {
	for _, s := range texts {
		r.keys <- s
		r.pass(2 * burstGap)
	}
}

// pass lets time pass.
func (r *rig) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// end presses Ctrl-D on what should be an empty line.
func (r *rig) end(t *testing.T, code int) {
	t.Helper()
	r.typing("\x04")
	if !r.done || r.code != code || r.err != nil {
		t.Errorf("after Ctrl-D: done %v, code %d, %v; want code %d", r.done, r.code, r.err, code)
	}
	if r.raw {
		t.Error("the terminal stays in raw mode")
	}
	close(r.keys)
	r.cancel()
}

func (r *rig) wantRan(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, r.ran); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

func (r *rig) wantScreen(t *testing.T, want string) {
	t.Helper()
	if diff := cmp.Diff(want, r.screen.String()); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

func TestTypedEntriesRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.wantScreen(t, "$ ▮")
		r.typing("l", "s", " /", "\r", "   \r")
		r.wantScreen(t, "$ ls /\nran: ls /\n$\n$ ▮")
		r.wantRan(t, "ls /")
		r.end(t, 3)
	})
}

func TestEditingKeys(t *testing.T) {
	tests := []struct {
		name, keys, want string
	}{
		{"backspace", "abc\x7f\x7fd", "ad"},
		{"arrows and insertion", "ac\x1b[Db", "abc"},
		{"home and end", "bc\x01a\x05d", "abcd"},
		{"delete", "abc\x01\x1b[3~", "bc"},
		{"Ctrl-D inside a line deletes", "abc\x01\x04", "bc"},
		{"words", "one two three\x1bb\x1bb\x17X", "Xtwo three"},
		{"kill and yank", "one two\x17\x01\x19", "twoone "},
		{"kill to the end", "abcd\x02\x02\x0b", "ab"},
		{"kill to the start", "abcd\x02\x15", "d"},
		{"wide characters are one key each", "日本語\x7f\x1b[D\x7fx", "x本"},
		{"so are those of several runes", "ae\u0301👨‍👩‍👧\x7f\x1b[Db", "abe\u0301"},
		{"unknown sequences are ignored", "a\x1b[99;5xb\x1b[Z", "ab"},
		{"a paste keeps its lines", "\x1b[200~a\r\nb\x1b[201~c", "a\nbc"},
		{"tab without completion", "a\tb", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, nil)
				r.typing(tt.keys, "\r")
				r.wantRan(t, tt.want)
				r.end(t, 3)
			})
		})
	}
}

func TestALineLongerThanTheTerminalIsEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing(strings.Repeat("0123456789", 6), "\x01", "日", "\x05", "!")
		r.wantScreen(t, "$ 日01234567890123456789012345\n678901234567890123456789012345\n6789!▮")
		r.typing("\x15", "x")
		r.wantScreen(t, "$ x▮")
		r.typing("\r")
		r.end(t, 3)
	})
}

func TestLinesThatComeAtOnceArePastedAndNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing("one\rtwo\r\nthree\r")
		r.wantRan(t)
		r.wantScreen(t, "$ one\n> two\n> three\n> ▮")
		r.typing("four\r")
		r.wantRan(t, "one\ntwo\nthree\nfour")
		r.end(t, 3)
	})
}

func TestCtrlCDropsTheLineAndCtrlDLeavesOnlyAnEmptyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing("rm everything\x1b[D\x1b[D", "\x03")
		r.wantScreen(t, "$ rm everything^C\n$ ▮")
		r.typing("a", "\x04")
		if r.done {
			t.Error("Ctrl-D leaves behind a text")
		}
		r.typing("\x03")
		r.wantRan(t)
		r.end(t, CodeInterrupted)
	})
}

func TestAnInterruptFromOutsideDropsTheLine(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"editing": nil,
		"plain":   func(c *Config) { c.MakeRaw = nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, change)
				r.typing("abc")
				r.interrupts <- os.Interrupt
				synctest.Wait()
				if r.done {
					t.Fatal("an interrupt at the prompt leaves")
				}
				r.cancel()
				synctest.Wait()
				if !r.done || r.code != CodeInterrupted || r.err != nil {
					t.Errorf("after cancelling: done %v, code %d, %v", r.done, r.code, r.err)
				}
				close(r.keys)
			})
		})
	}
}

func TestAnInterruptCancelsTheRunningEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing("wait\r")
		r.interrupts <- os.Interrupt
		synctest.Wait()
		r.wantScreen(t, "$ wait\n^C\n$ ▮")
		r.typing("ls\r")
		r.wantRan(t, "wait", "ls")
		r.end(t, 3)
	})
}

func TestAnEntryMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing("leave\r")
		close(r.keys)
		if !r.done || r.code != 7 {
			t.Errorf("done %v, code %d, want 7", r.done, r.code)
		}
		r.wantRan(t, "leave")
	})
}

func TestAnIncompleteEntryGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.typing("say 'a\r", "b'", "\r")
		r.wantScreen(t, "$ say 'a\n> b'\nran: say 'a\nb'\n$ ▮")
		r.typing("x '\r", "\x03", "\x1b[A")
		r.wantScreen(t, "$ say 'a\n> b'\nran: say 'a\nb'\n$ x '\n> ^C\n$ say 'a\n> b'▮")
		r.typing("\r")
		r.wantRan(t, "say 'a\nb'", "say 'a\nb'")
		r.end(t, 3)
	})
}

func TestHistoryKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *Config) {
			c.History = &History{entries: []string{"first", "second"}}
		})
		r.typing("draft", "\x1b[A")
		r.wantScreen(t, "$ second▮")
		r.typing("\x1b[A", "\x1b[A")
		r.wantScreen(t, "$ first▮")
		r.typing("\x1b[B", "\x1b[B", "\x1b[B")
		r.wantScreen(t, "$ draft▮")
		r.typing("\x1b[A\x1b[A!\r", "\x1b[A\r")
		r.wantRan(t, "first!", "first!")
		r.end(t, 3)
	})
}

func TestSearchingTheHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *Config) {
			c.History = &History{entries: []string{"read /a", "ls /a", "read /b"}}
		})
		r.typing("x", "\x12", "rea")
		r.wantScreen(t, "(search) rea: read /b▮")
		r.typing("\x12")
		r.wantScreen(t, "(search) rea: read /a▮")
		r.typing("z")
		r.wantScreen(t, "(no such entry) reaz: read /a▮")
		r.typing("\x07")
		r.wantScreen(t, "$ x▮")
		r.typing("\x12ls\x1b[D!")
		r.wantScreen(t, "$ ls /!▮a")
		r.typing("\x03", "\x12/b\r")
		r.wantScreen(t, "$ ls /!a^C\n$ read /b\nran: read /b\n$ ▮")
		r.typing("\x12/b\x7fa\x03")
		r.end(t, CodeInterrupted)
	})
}

func TestAPromptNeverWipesOutputWithoutANewline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *Config) {
			c.Run = func(_ context.Context, _ string, out IO) (int, bool) {
				io.WriteString(out.Out, "no newline")
				return 0, false
			}
		})
		r.typing("a\r", "b", "\x7f")
		r.wantScreen(t, "$ a\nno newline⏎\n$ ▮")
		r.end(t, 0)
	})
}

func TestPlainLines(t *testing.T) {
	var out strings.Builder
	var ran []string
	c := Config{
		In: strings.NewReader("ls\r\n\nsay 'a\nb'\nlast"), Out: &out,
		Prompt:     func() string { return "$ " },
		Incomplete: func(src string) bool { return strings.Count(src, "'")%2 == 1 },
		Run: func(_ context.Context, src string, _ IO) (int, bool) {
			ran = append(ran, src)
			return len(ran), false
		},
	}
	code, err := Run(t.Context(), c)
	if code != 3 || err != nil {
		t.Errorf("code %d, %v, want 3", code, err)
	}
	if diff := cmp.Diff([]string{"ls", "say 'a\nb'", "last"}, ran); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
	if got, want := out.String(), "$ $ $ > $ \n$ "; got != want {
		t.Errorf("prompts %q, want %q", got, want)
	}
}

func TestAnEntryCutOffByTheEndIsRunToSayWhatIsMissing(t *testing.T) {
	var ran []string
	c := Config{
		In: strings.NewReader("say 'a\n"), Out: io.Discard,
		Incomplete: func(string) bool { return true },
		Run: func(_ context.Context, src string, _ IO) (int, bool) {
			ran = append(ran, src)
			return 2, false
		},
	}
	if code, err := Run(t.Context(), c); code != 2 || err != nil || len(ran) != 1 {
		t.Errorf("code %d, %v, ran %q", code, err, ran)
	}
}

func TestWithoutRawModeLinesArePlain(t *testing.T) {
	ran := 0
	c := Config{
		In: strings.NewReader("ls\n"), Out: io.Discard,
		MakeRaw: func() (func(), error) { return nil, errors.New("not a terminal") },
		Run: func(context.Context, string, IO) (int, bool) {
			ran++
			return 0, false
		},
	}
	if code, err := Run(t.Context(), c); code != 0 || err != nil || ran != 1 {
		t.Errorf("code %d, %v, ran %d", code, err, ran)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("on fire") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("on fire") }

func TestATerminalThatBreaksEndsTheLoop(t *testing.T) {
	noRaw := func() (func(), error) { return func() {}, nil }
	for name, c := range map[string]Config{
		"reading": {In: broken{}, Out: io.Discard},
		"editing": {In: broken{}, Out: io.Discard, MakeRaw: noRaw},
		"writing": {In: strings.NewReader("a\n"), Out: broken{}},
		"drawing": {In: strings.NewReader("a\r"), Out: broken{}, MakeRaw: noRaw},
	} {
		c.Run = func(context.Context, string, IO) (int, bool) { return 0, false }
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "on fire") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAHistoryThatFailsWarnsOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agsh")
	h := mustOpen(t, filepath.Join(dir, "history"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c := Config{
		In: strings.NewReader("a\nb\n"), Out: &out, History: h,
		Run: func(context.Context, string, IO) (int, bool) { return 0, false },
	}
	if _, err := Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "warning:"); got != 1 {
		t.Errorf("%d warnings in %q", got, out.String())
	}
}
