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
		In: s.term.In, Out: s.term.Out, Err: s.term.Err, Color: s.term.Color(), Prompt: s.prompt,
		Confirm: s.term.Confirm, History: history, Interrupts: interrupts, Complete: s.complete,
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

// runEntry runs one entry of the REPL, in a copy of the session that has the
// streams of the entry: the REPL asks the session for completions meanwhile.
// leave says that it was the word exit.
func (s *session) runEntry(ctx context.Context, src string, io repl.IO) (code int, leave bool) {
	streams := *s.term
	streams.Out = io.Out
	if s.term.ErrTTY { // or else it goes into a file, also in here
		streams.Err = io.Err
	}
	e := *s
	e.term, e.confirm, e.status, e.left = &streams, io.Confirm, io.Status, false
	e.last = e.runLine(ctx, src)
	s.last = e.last
	return e.last, e.left
}

func (s *session) runLine(ctx context.Context, src string) (code int) {
	script, err := parse(src)
	if err != nil {
		return s.report(err)
	}
	run := s.runner(false)
	run.Last = s.last
	return run.Run(ctx, script)
}

// ask asks a question where the person is.
func (s *session) ask(ctx context.Context, question string) (bool, error) {
	if s.confirm != nil {
		return s.confirm(ctx, question)
	}
	return s.term.Confirm(ctx, question)
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
