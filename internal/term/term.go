// Package term is the process's way to its terminal: the three streams, what
// is known about them, and the questions asked there. With the commands'
// main packages it is the only code that touches the process's own streams
// and environment; everything else is handed a [Term].
package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// fallbackWidth is the width of a terminal that does not tell its size.
const fallbackWidth = 80

// A Term is the terminal, or what stands in for it, of one run of a program.
// Its fields are set before use and not changed after; the methods are then
// safe for concurrent use, though concurrent readers of In share its bytes.
type Term struct {
	In       io.Reader
	Out, Err io.Writer
	// Getenv looks up the environment; an unset variable is "".
	Getenv func(name string) string
	// InTTY, OutTTY and ErrTTY say which streams are a terminal.
	InTTY, OutTTY, ErrTTY bool
	// Width is how many cells a line of Out may take, asked anew at each
	// call. 0 is no limit: Out is not a terminal and COLUMNS is not set.
	Width func() int

	in *os.File // In, if it is a file
}

// OS returns the terminal of this process.
func OS() *Term { return Files(os.Stdin, os.Stdout, os.Stderr, os.Getenv) }

// Files returns a terminal of the given streams, such as the ends of a
// pseudo-terminal. The files stay the caller's to close.
func Files(in, out, err *os.File, getenv func(string) string) *Term {
	return &Term{
		In: in, Out: out, Err: err,
		Getenv: getenv,
		InTTY:  isTTY(in), OutTTY: isTTY(out), ErrTTY: isTTY(err),
		Width: func() int { return width(out, getenv) },
		in:    in,
	}
}

// Color reports whether output to Out may be coloured: not if NO_COLOR is set
// to anything, else if CLICOLOR_FORCE is set to anything but 0, else if Out is
// a terminal and TERM is not dumb.
func (t *Term) Color() bool {
	if t.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := t.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return t.OutTTY && t.Getenv("TERM") != "dumb"
}

// Colors is how many colours output to Out may have: 0 if it may have none,
// as [Term.Color] says, else 16, 256 or 1<<24.
func (t *Term) Colors() int {
	name := t.Getenv("TERM")
	switch {
	case !t.Color():
		return 0
	case strings.HasPrefix(name, "screen"): // it passes COLORTERM on and not the colours
	case t.Getenv("COLORTERM") == "truecolor", t.Getenv("COLORTERM") == "24bit", strings.HasSuffix(name, "-direct"):
		return 1 << 24
	}
	if strings.Contains(name, "256color") {
		return 256
	}
	return 16
}

// MakeRaw has the terminal deliver each key as it is pressed, without echo and
// without signals, until restore is called. restore may be called more than
// once. It is an error if In is not a terminal.
func (t *Term) MakeRaw() (restore func(), err error) {
	if t.in == nil || !t.InTTY {
		return nil, fmt.Errorf("make the terminal raw: %w", errNoTerminal)
	}
	fd := int(t.in.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("make the terminal raw: %w", err)
	}
	// A terminal that is gone cannot be restored, and nobody is left to tell.
	return func() { _ = term.Restore(fd, state) }, nil
}

// DiscardInput throws away what was typed and not read yet, so that an answer
// is given after its question was seen. It does nothing if In is not a
// terminal.
func (t *Term) DiscardInput() error {
	if t.in == nil || !t.InTTY {
		return nil
	}
	if err := flushInput(t.in.Fd()); err != nil {
		return fmt.Errorf("discard typed-ahead input: %w", err)
	}
	return nil
}

var errNoTerminal = errors.New("standard input is not a terminal")

func isTTY(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func width(out *os.File, getenv func(string) string) int {
	tty := isTTY(out)
	if tty {
		if w, _, err := term.GetSize(int(out.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if w, err := strconv.Atoi(getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	if tty {
		return fallbackWidth
	}
	return 0
}
