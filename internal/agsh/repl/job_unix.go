//go:build unix

package repl

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// watchResizes returns a channel that tells of each new size of the terminal.
func watchResizes() (resizes <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}

// stopTime is how long a stop takes at most to arrive. A program that belongs
// to no shell cannot be stopped, and must not wait to be continued.
const stopTime = 200 * time.Millisecond

// suspendJob stops this program and those it was started with, as Ctrl-Z does,
// until the person's shell continues them.
func suspendJob() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
}
