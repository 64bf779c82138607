package agsh

import (
	"context"
	"errors"
	"io"
	"os"
	"unicode/utf8"

	"agsh.dev/internal/agsh/repl"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term/text"
)

// repl is the interactive loop over this session.
func (s *session) repl(history *repl.History, interrupts <-chan os.Signal) repl.Config {
	c := repl.Config{
		In: s.term.In, Out: s.term.Out, Width: s.term.Width, Prompt: s.prompt,
		History: history, Interrupts: interrupts, Complete: s.complete,
		Incomplete: func(src string) bool {
			_, err := shell.Parse(src)
			syntax, ok := errors.AsType[*shell.SyntaxError](err)
			return ok && syntax.Incomplete
		},
		Run: s.runEntry,
	}
	if s.term.Getenv("TERM") != "dumb" {
		c.MakeRaw = s.term.MakeRaw
	}
	return c
}

// runEntry runs one entry of the REPL. leave says that it was the word exit.
func (s *session) runEntry(ctx context.Context, src string) (code int, leave bool) {
	script, err := parse(src)
	if err != nil {
		s.last = s.report(err)
		return s.last, false
	}
	s.left = false
	run := s.runner(false)
	run.Last = s.last
	s.last = run.Run(ctx, script)
	return s.last, s.left
}

// prompt shows the agent and the session calls run in.
func (s *session) prompt() string {
	id := []rune(s.bound)
	if len(id) > shownID {
		id = append(id[:shownID:shownID], '…')
	}
	return text.EscapeLine(s.client.Agent()+" "+string(id)) + " ❯ "
}

// shownID is how much of a session's id the prompt shows: enough to tell two
// sessions apart.
const shownID = 10

// filtered makes what filters print safe for a terminal. On its way into a
// file or another program it stays byte for byte.
func (s *session) filtered() func(io.Writer) io.WriteCloser {
	if !s.term.OutTTY {
		return nil
	}
	return func(w io.Writer) io.WriteCloser { return &escaper{w: w} }
}

// An escaper shows control characters escaped. Filters write blocks that are
// cut anywhere, so the first bytes of a character that is not whole yet wait
// for the rest of it, or for Close.
type escaper struct {
	w    io.Writer
	held []byte
}

func (e *escaper) Write(p []byte) (int, error) {
	all := append(e.held, p...)
	whole := len(all) - incomplete(all)
	e.held = append([]byte(nil), all[whole:]...)
	if _, err := io.WriteString(e.w, text.Escape(string(all[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close shows what never became a character. The writer below stays open.
func (e *escaper) Close() error {
	rest := e.held
	e.held = nil
	_, err := io.WriteString(e.w, text.Escape(string(rest)))
	return err
}

// incomplete is how many bytes at the end of b begin a character that goes on
// behind it.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
