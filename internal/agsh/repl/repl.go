// Package repl reads entries from a person and runs them, one after another:
// a line editor with history, search and completion on a terminal, plain
// lines elsewhere. What an entry means is the caller's business.
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
	// MakeRaw puts the terminal into raw mode for the time a line is edited;
	// it is restored before the entry runs. Nil, or an error from it, means
	// plain lines without editing.
	MakeRaw func() (restore func(), err error)
	// Width is how many cells a row of the terminal has, now. Nil or a result
	// below 1 means 80.
	Width func() int
	// Prompt returns the prompt of the next entry. It may hold colours. Nil
	// means "> ".
	Prompt func() string
	// Run runs one entry. The terminal is in its ordinary mode meanwhile and
	// an interrupt cancels ctx. leave ends the loop, whose code is then code.
	Run func(ctx context.Context, src string) (code int, leave bool)
	// Incomplete reports whether an entry needs another line. Nil: never.
	Incomplete func(src string) bool
	// History may be nil.
	History *History
	// Complete returns what may stand at pos, a byte offset in the text. It may
	// take its time but returns soon after ctx ends, which Ctrl-C does. Nil:
	// there is no completion.
	Complete func(ctx context.Context, text string, pos int) Completion
	// Interrupts receives a value for each interrupt from outside, such as
	// SIGINT. At a prompt one is like Ctrl-C: it drops the line. Nil: none.
	Interrupts <-chan os.Signal
}

var errInterrupted = errors.New("interrupted")

// A reader reads one entry. Its error is errInterrupted, io.EOF or one that
// ends the loop.
type reader interface {
	read(ctx context.Context) (string, error)
}

// Run reads entries and runs them until the input ends, Ctrl-D is pressed on
// an empty line, an entry asks to leave or ctx is cancelled. code is that of
// the last entry, or CodeInterrupted if ctx was cancelled; err tells that
// reading or writing failed.
//
// In is read in a goroutine of its own, so that a prompt can be interrupted,
// but only while an entry is wanted: a running entry has In to itself. If ctx
// ends while a read is pending, that goroutine stays until the read returns.
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
	src := &source{in: c.In, interrupts: c.Interrupts}
	var entries reader = &plain{Config: c, source: src}
	if c.MakeRaw != nil {
		entries = newEditor(c, src)
	}
	for ctx.Err() == nil {
		entry, err := entries.read(ctx)
		switch {
		case ctx.Err() != nil:
			continue // being stopped is no failure
		case errors.Is(err, errInterrupted):
			code = CodeInterrupted
			continue
		case errors.Is(err, errNotRaw):
			entries = &plain{Config: c, source: src}
			continue
		case errors.Is(err, io.EOF):
			return code, nil
		case err != nil:
			return code, err
		case strings.TrimSpace(entry) == "":
			continue
		}
		if err := c.History.Add(entry); err != nil {
			fmt.Fprintf(c.Out, "warning: %v\n", err)
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
	return c.Run(ctx, entry)
}
