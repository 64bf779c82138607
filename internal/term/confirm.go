package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agsh.dev/internal/term/text"
)

// maxAnswer is the most bytes of an answer that count; the rest of the line is
// read and ignored.
const maxAnswer = 1 << 10

// Confirm asks question on the terminal and reports whether the answer is y or
// yes. Any other line, an empty one, and the end of input are no. Keys typed
// before the question are discarded, and nothing after the answer's line is
// read. Control characters in the question are shown escaped.
//
// It is an error if In is not a terminal or no output is one to ask on. When
// ctx ends while a terminal is waited for, Confirm returns its error at once.
func (t *Term) Confirm(ctx context.Context, question string) (bool, error) {
	if !t.InTTY {
		return false, fmt.Errorf("ask %q: %w", question, errNoTerminal)
	}
	out := t.Err // Out may be on its way into a file
	if !t.ErrTTY {
		if out = t.Out; !t.OutTTY {
			return false, fmt.Errorf("ask %q: neither standard error nor standard output is a terminal", question)
		}
	}
	if err := t.DiscardInput(); err != nil {
		return false, fmt.Errorf("ask %q: %w", question, err)
	}
	if _, err := fmt.Fprintf(out, "%s [y/N] ", text.Escape(question)); err != nil {
		return false, fmt.Errorf("ask %q: %w", question, err)
	}
	answer, err := t.readLine(ctx)
	if err != nil {
		fmt.Fprintln(out) // the cursor is still behind the question
		return false, fmt.Errorf("read the answer to %q: %w", question, err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// readLine reads one line, byte by byte so that nothing behind it is taken. A
// line ended by the end of input counts as one; it may be empty.
func (t *Term) readLine(ctx context.Context) (string, error) {
	var line []byte
	var b [1]byte
	for {
		if err := t.wait(ctx); err != nil {
			return "", err
		}
		n, err := t.In.Read(b[:])
		if n > 0 && b[0] == '\n' || errors.Is(err, io.EOF) {
			return string(line), nil
		}
		if err != nil {
			return "", err
		}
		if n > 0 && len(line) < maxAnswer {
			line = append(line, b[0])
		}
	}
}

// wait returns when In can be read without blocking, or with the error of ctx.
// An In that is not a terminal is always taken to be ready.
func (t *Term) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil || t.in == nil {
		return err
	}
	return waitInput(ctx, t.in.Fd())
}
