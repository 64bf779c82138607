// Package repl reads entries from a person and runs them, one after another:
// on a terminal with an editor, history, search and completion, and with the
// next entry typed while one runs; elsewhere plain lines. What an entry means
// is the caller's business.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// CodeInterrupted is the exit code after Ctrl-C.
const CodeInterrupted = 130

// Config is what a loop works on. In, Out and Run are required.
type Config struct {
	In  io.Reader
	Out io.Writer
	// Err takes what entries write to their standard error when there is no
	// editor. Nil means Out.
	Err io.Writer
	// MakeRaw puts the terminal into raw mode, in which it stays but while the
	// program is suspended, until the loop ends. Nil, or an error from it,
	// means plain lines without editing.
	MakeRaw func() (restore func(), err error)
	// Size is how many cells a row of the terminal has, and how many rows there
	// are, now. Nil asks Out, if it is a terminal; a result below 1 means 80
	// and 24.
	Size func() (cells, rows int)
	// Color says that the editor may use colours.
	Color bool
	// Prompt returns the prompt of the next entry. It may hold colours. Nil
	// means "> ".
	Prompt func() string
	// Run runs one entry. An interrupt cancels ctx. All that is shown
	// meanwhile goes through the IO, whose writers are good until Run returns.
	// leave ends the loop, whose code is then code.
	Run func(ctx context.Context, src string, io IO) (code int, leave bool)
	// Confirm asks a question when there is no editor. Nil: no is the answer.
	Confirm func(ctx context.Context, question string) (bool, error)
	// Incomplete reports whether an entry needs another line. Nil: never.
	Incomplete func(src string) bool
	// History may be nil.
	History *History
	// Complete returns what may stand at pos, a byte offset in the text. It
	// runs beside the loop, may take its time and returns soon after ctx ends,
	// which it does when the text changes. Nil: there is no completion.
	Complete func(ctx context.Context, text string, pos int) Completion
	// Interrupts receives a value for each interrupt from outside, such as
	// SIGINT. One is like Ctrl-C. Nil: none.
	Interrupts <-chan os.Signal
}

// An IO is how a running entry reaches the person. It is safe for concurrent
// use.
type IO struct {
	// Out and Err show what is written to them, in the order it was written. A
	// write waits while the terminal is behind.
	Out, Err io.Writer
	// Confirm asks a question that yes or y answers with yes, and anything else
	// with no. What was typed before, or on and on since, so that the question
	// cannot have been read, is no answer. The error is that of ctx, if it ends
	// first.
	Confirm func(ctx context.Context, question string) (bool, error)
	// Status shows a short text beside the time an entry takes, until the next.
	Status func(text string)
}

var (
	errInterrupted = errors.New("interrupted")
	// errNotRaw says that the terminal cannot be put into raw mode.
	errNotRaw = errors.New("the terminal has no raw mode")
)

// continuation is the prompt of the second and further lines of an entry.
const continuation = "> "

// Run reads entries and runs them until the input ends, Ctrl-D is pressed on
// an empty line, an entry asks to leave or ctx is cancelled. code is that of
// the last entry, or CodeInterrupted if ctx was cancelled; err tells that
// reading or writing failed.
//
// In is read in a goroutine of its own. If it is no file that can be polled and
// a read is pending at the end, that goroutine stays until the read returns.
func Run(ctx context.Context, c Config) (code int, err error) {
	if c.Prompt == nil {
		c.Prompt = func() string { return continuation }
	}
	if c.Incomplete == nil {
		c.Incomplete = func(string) bool { return false }
	}
	if c.History == nil {
		c.History = &History{}
	}
	if c.Err == nil {
		c.Err = c.Out
	}
	if c.Confirm == nil {
		c.Confirm = func(context.Context, string) (bool, error) { return false, nil }
	}
	if c.MakeRaw != nil {
		code, err := runShell(ctx, c)
		if !errors.Is(err, errNotRaw) {
			return code, err
		}
	}
	return runPlain(ctx, c)
}

// runPlain is the loop without an editor.
func runPlain(ctx context.Context, c Config) (code int, err error) {
	lines := &plain{Config: c, source: &source{in: c.In, interrupts: c.Interrupts}}
	for ctx.Err() == nil {
		entry, err := lines.read(ctx)
		switch {
		case ctx.Err() != nil:
			continue // being stopped is no failure
		case errors.Is(err, errInterrupted):
			code = CodeInterrupted
			continue
		case errors.Is(err, io.EOF):
			return code, nil
		case err != nil:
			return code, err
		case strings.TrimSpace(entry) == "":
			continue
		}
		if err := c.History.Add(entry); err != nil {
			fmt.Fprintf(c.Err, "warning: %v\n", err)
		}
		var leave bool
		if code, leave = runEntry(ctx, c, entry); leave {
			return code, nil
		}
	}
	return CodeInterrupted, nil
}

// runEntry runs one entry under a context that an interrupt cancels.
func runEntry(ctx context.Context, c Config, entry string) (code int, leave bool) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.Interrupts:
				cancel()
			}
		}
	}()
	defer func() {
		cancel()
		<-watched
	}()
	return c.Run(ctx, entry, IO{Out: c.Out, Err: c.Err, Confirm: c.Confirm, Status: func(string) {}})
}
