//go:build unix

package stdio

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// An ExitError says how a server ended. Its text names the last line of
// standard error, which mostly tells why.
type ExitError struct {
	Code   int            // the exit status; -1 if a signal ended the server
	Signal syscall.Signal // that signal, or 0
	Stderr []string       // the last lines of standard error that were not empty
}

func newExitError(state *os.ProcessState, stderr []string) *ExitError {
	e := &ExitError{Code: -1, Stderr: stderr}
	if state == nil {
		return e
	}
	e.Code = state.ExitCode()
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	return e
}

func (e *ExitError) Error() string {
	var b strings.Builder
	switch {
	case e.Signal != 0:
		fmt.Fprintf(&b, "server was ended by signal %d (%v)", int(e.Signal), e.Signal)
	case e.Code >= 0:
		fmt.Fprintf(&b, "server exited with status %d", e.Code)
	default:
		b.WriteString("server is gone")
	}
	if n := len(e.Stderr); n > 0 {
		b.WriteString(": " + e.Stderr[n-1])
	}
	return b.String()
}
