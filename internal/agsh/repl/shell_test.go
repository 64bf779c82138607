package repl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// words completes the last word of a text.
func words(found ...Candidate) func(context.Context, string, int) Completion {
	return func(_ context.Context, text string, pos int) Completion {
		c := Completion{Start: strings.LastIndexByte(text[:pos], ' ') + 1}
		for _, f := range found {
			if strings.HasPrefix(f.Text, text[c.Start:pos]) {
				c.Candidates = append(c.Candidates, f)
			}
		}
		return c
	}
}

func TestCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *Config) {
			c.Complete = words(Candidate{"list_a ", "List\ta"}, Candidate{"list_b ", ""}, Candidate{"list_bc ", "Long titles are cut off"}, Candidate{"read ", ""}, Candidate{"日本 ", ""})
		})
		r.typing("xx\x02 r\t")
		r.wantScreen(t, "$ x read ▮x")
		r.typing("\x15\x04", "l\t")
		r.wantScreen(t, "$ list_▮")
		r.typing("\t") // nothing in common any more: the menu
		r.wantScreen(t, "$ list_▮\n› list_a   List\\ta\n  list_b\n  list_bc  Long titles are cu…")
		r.typing("\t")
		r.wantScreen(t, "$ list_▮\n  list_a   List\\ta\n› list_b\n  list_bc  Long titles are cu…")
		r.typing("\x1b[Z", "\x1b[A", "\x1b[B", "\t")
		r.typing("b") // filters
		r.wantScreen(t, "$ list_b▮\n› list_b\n  list_bc  Long titles are cu…")
		r.typing("\x1b[B", "\r") // accepts, and does not run
		r.wantScreen(t, "$ list_bc ▮")
		r.typing("l\t", "\t", "\x1b")
		r.pass(escapeGap)
		r.wantScreen(t, "$ list_bc list_▮")
		r.typing("b\t", "nothing\t", "\r")
		r.wantRan(t, "list_bc list_bnothing")
		r.end(t, 3)
	})
}

func TestAnAnswerForAnotherTextIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan string, 10)
		answers := make(chan Completion)
		r := start(t, func(c *Config) {
			c.Complete = func(ctx context.Context, text string, _ int) Completion {
				asked <- text
				select {
				case found := <-answers:
					return found
				case <-ctx.Done():
					asked <- "dropped " + text
					return Completion{Candidates: []Candidate{{Text: "wrong"}}}
				}
			}
		})
		r.typing("re\t", "a") // typing goes on meanwhile
		r.wantScreen(t, "$ rea▮")
		r.typing("\t")
		answers <- Completion{Candidates: []Candidate{{Text: "read "}}}
		synctest.Wait()
		r.wantScreen(t, "$ read ▮")
		r.typing("\t", "\x03")
		r.wantScreen(t, "$ read ^C\n$ ▮")
		r.typing("x\t", "\r") // runs as it stands
		r.wantRan(t, "x")
		r.typing("x\t", "\x15")
		r.end(t, 3)
		for _, want := range []string{"re", "dropped re", "rea", "read ", "dropped read ", "x", "dropped x", "x", "dropped x"} {
			if got := <-asked; got != want {
				t.Errorf("asked for %q, want %q", got, want)
			}
		}
	})
}

// A worker is an entry that does what it is told.
type worker chan func(ctx context.Context, out IO)

func (w worker) run(ctx context.Context, src string, out IO) (int, bool) {
	if src != "work" {
		fmt.Fprintln(out.Out, "ran: "+src)
		return 3, false
	}
	for do := range w {
		if do == nil {
			break
		}
		do(ctx, out)
	}
	return 4, false
}

func (w worker) does(do func(ctx context.Context, out IO)) {
	w <- do
	synctest.Wait()
}

func (w worker) prints(s string) {
	w.does(func(_ context.Context, out IO) { io.WriteString(out.Out, s) })
}

func working(t *testing.T, change func(*Config)) (*rig, worker) {
	w := make(worker)
	r := start(t, func(c *Config) {
		c.Run = w.run
		if change != nil {
			change(c)
		}
	})
	r.typing("work\r")
	return r, w
}

func TestEntriesTypedWhileOneRunsFollowIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := working(t, nil)
		r.wantScreen(t, "$ work\n▮")
		r.typing("on", "e\r", "two")
		w.prints("half a ")
		r.wantScreen(t, "$ work\nhalf a\n» one\n» two▮")
		w.prints("row\nand more\n")
		r.typing("\r", "three\r", "4\r", "5\r", "\x1b[A!", "\x1b[D")
		r.wantScreen(t, "$ work\nhalf a row\nand more\n» one\n» two\n» three\n  … and 1 more\n» 5▮!")
		w.does(nil)
		r.wantScreen(t, "$ work\nhalf a row\nand more\n$ one\nran: one\n$ two\nran: two\n$ three\nran: three\n$ 4\nran: 4\n$ 5▮!")
		r.typing("\r", "\x1b[A")
		r.wantScreen(t, "$ work\nhalf a row\nand more\n$ one\nran: one\n$ two\nran: two\n$ three\nran: three\n$ 4\nran: 4\n$ 5!\nran: 5!\n$ 5!▮")
		r.typing("\x03")
		r.end(t, CodeInterrupted)
	})
}

func TestCtrlCCancelsWhatRunsAndReturnsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := working(t, nil)
		r.typing("one\r", "two\r", "dra", "\x03", "\x03")
		r.wantScreen(t, "$ work\n^C\n^C\n» one\n> two\n> dra▮")
		r.typing("\x04")
		w.does(func(ctx context.Context, out IO) { // it took its time to notice
			fmt.Fprintln(out.Err, ctx.Err())
		})
		w.does(nil)
		r.wantScreen(t, "$ work\n^C\n^C\ncontext canceled\n$ one\n> two\n> dra▮")
		r.typing("\x03", "\x03", "\x03")
		r.end(t, CodeInterrupted)
	})
}

func TestALongEntryTellsThatItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := working(t, nil)
		r.pass(statusAfter - 4*burstGap)
		r.wantScreen(t, "$ work\n▮")
		r.pass(4 * burstGap)
		r.wantScreen(t, "$ work\n⠋ 1 s · Ctrl-C cancels\n▮")
		w.does(func(_ context.Context, out IO) { out.Status("step\x1b 2") })
		r.pass(2 * time.Second)
		r.typing("x")
		r.wantScreen(t, "$ work\n⠋ 3 s · step\\x1b 2 · Ctrl-C c…\n» x▮")
		w.does(nil)
		r.wantScreen(t, "$ work\n$ x▮")
		r.typing("\x03")
		r.end(t, CodeInterrupted)
	})
}

func TestQuestions(t *testing.T) {
	for name, tt := range map[string]struct {
		keys []string
		want bool
		left string
	}{
		"yes":                  {[]string{"yes\r"}, true, "yes"},
		"y":                    {[]string{"Y", "\r"}, true, "Y"},
		"nothing is no":        {[]string{"\r"}, false, ""},
		"other words are no":   {[]string{"yes please", "\r"}, false, "yes please"},
		"a paste is no answer": {[]string{"\x1b[200~y\n\x1b[201~", "\r"}, false, ""},
		"Ctrl-C is no":         {[]string{"y\x03"}, false, "y"},
		"a corrected answer":   {[]string{"n\x7fy", "\r"}, true, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := working(t, nil)
				r.typing("draft")
				answer := make(chan bool, 1)
				w.does(func(ctx context.Context, out IO) {
					go func() {
						yes, err := out.Confirm(ctx, "It is\x1b[2J a risk.\nRun it?")
						answer <- yes && err == nil
					}()
				})
				r.wantScreen(t, "$ work\nIt is\\x1b[2J a risk.\nRun it?▮")
				r.typing("yes", "\r", "y\r") // before anybody can have read it
				r.pass(readTime)
				r.wantScreen(t, "$ work\nIt is\\x1b[2J a risk.\nRun it? [y/N] ▮")
				r.typing(tt.keys...)
				if got := <-answer; got != tt.want {
					t.Errorf("the answer is %v", got)
				}
				r.wantScreen(t, "$ work\nIt is\\x1b[2J a risk.\n"+strings.TrimRight("Run it? [y/N] "+tt.left, " ")+"\n» draft▮")
				w.does(nil)
				r.typing("\x03")
				r.end(t, CodeInterrupted)
			})
		})
	}
}

func TestAQuestionNobodyWaitsForIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := working(t, nil)
		w.does(func(ctx context.Context, out IO) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if yes, err := out.Confirm(ctx, "Run it?"); yes || err == nil {
				t.Errorf("answered %v, %v", yes, err)
			}
		})
		r.wantScreen(t, "$ work\nRun it?▮")
		r.pass(time.Second)
		r.wantScreen(t, "$ work\n⠋ 1 s · Ctrl-C cancels\n▮")
		w.does(nil)
		r.end(t, 4)
	})
}

func TestTypingAllTheTimeApprovesNothing(t *testing.T) {
	for _, entry := range []string{"yes please\r", "yes\r", "y\r"} {
		synctest.Test(t, func(t *testing.T) {
			r, w := working(t, nil)
			answer := make(chan bool, 1)
			r.typing(entry[:1])
			w.does(func(ctx context.Context, out IO) {
				go func() {
					yes, _ := out.Confirm(ctx, "Run it?")
					answer <- yes
				}()
			})
			for _, key := range strings.Repeat(entry, 100/len(entry)) {
				r.typing(string(key))
				r.pass(30 * time.Millisecond)
			}
			r.typing("\x03")
			if <-answer {
				t.Errorf("%q approved it", entry)
			}
			w.does(nil)
			r.typing("\x03")
			r.cancel()
			close(r.keys)
		})
	}
}

func TestOutputWaitsForTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput()
		written := 0
		go func() {
			for range 100 {
				n, err := o.Write(make([]byte, 10_000))
				written += n
				if err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if written > maxWaiting {
			t.Errorf("%d bytes wait, want %d at most", written, maxWaiting)
		}
		taken := len(o.take())
		synctest.Wait()
		if taken > maxWaiting || written < taken {
			t.Errorf("took %d bytes of %d", taken, written)
		}
		o.close()
		synctest.Wait()
		if _, err := o.Write([]byte("x")); err == nil {
			t.Error("a closed screen takes output")
		}
	})
}

func TestTranscriptRows(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"lines", "a\nb\r\n\nc", "a|b||c⏎"},
		{"wide characters never straddle", "123456789日x\n", "123456789|日x"},
		{"colours are switched on and off in each row", "\x1b[31m1234567890ab\ncd\x1b[0me\n", "\x1b[31m1234567890\x1b[0m|\x1b[31mab\x1b[0m|\x1b[31mcd\x1b[0me"},
		{"tabs", "a\tb\n", "a       b"},
		{"controls", "a\x1b[2J\rb\x07\n", `a\x1b[2J\r|b\x07`},
		{"not UTF-8", "\xffa\n", `\xffa`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for n := 1; n <= len(tt.in); n++ {
				var tr transcript
				var rows []string
				for rest := tt.in; rest != ""; {
					piece := rest[:min(n, len(rest))]
					rest = rest[len(piece):]
					rows = append(rows, tr.add(piece, 10)...)
				}
				got := strings.Join(append(rows, tr.end(10, noNewline)...), "|")
				if got != tt.want {
					t.Fatalf("in pieces of %d: %q, want %q", n, got, tt.want)
				}
			}
		})
	}
}

// A keeper keeps the bytes of a screen, too.
type keeper struct {
	*grid
	raw strings.Builder
}

func (k *keeper) Write(p []byte) (int, error) {
	k.raw.Write(p)
	return k.grid.Write(p)
}

func TestWithoutColourNothingIsStyled(t *testing.T) {
	for _, color := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var seen *keeper
			r, w := working(t, func(c *Config) {
				seen = &keeper{grid: c.Out.(*grid)}
				c.Out, c.Color = seen, color
				c.Complete = func(context.Context, string, int) Completion {
					return Completion{Candidates: []Candidate{{Text: "read "}, {Text: "ls "}}}
				}
			})
			r.typing("ls\r", "\t")
			w.prints("no newline")
			r.pass(statusAfter)
			r.typing("\x1b", "\x03")
			w.does(nil)
			r.cancel()
			close(r.keys)
			synctest.Wait()
			if styled := strings.Contains(seen.raw.String(), "m"+noNewline); styled != color {
				t.Errorf("with colour %v the mark is styled: %v", color, styled)
			}
			if !color && strings.Contains(seen.raw.String(), reset) {
				t.Errorf("styled without colour: %q", seen.raw.String())
			}
		})
	}
}
