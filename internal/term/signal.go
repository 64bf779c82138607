package term

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// IgnorePipe makes a write to a closed pipe an error and no more, like
// [Signals] and for less, in a program that starts no others: they would
// inherit it.
func IgnorePipe() { signal.Ignore(syscall.SIGPIPE) }

// Signals returns a context that ends when the process is told to stop
// (interrupt, terminate, hang-up), and a function that gives the signals
// back. A closed pipe is not a signal from then on but an error of the write.
func Signals(ctx context.Context) (context.Context, context.CancelFunc) {
	handlePipe()
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// Stops returns a context that ends when the process is told to terminate, and
// a channel that tells of each interrupt from the keyboard, for a program that
// goes on after one. stop gives the signals back.
func Stops(ctx context.Context) (context.Context, <-chan os.Signal, context.CancelFunc) {
	handlePipe()
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	return ctx, interrupts, func() {
		signal.Stop(interrupts)
		cancel()
	}
}

// handlePipe makes a write to a closed pipe an error and no more. Ignoring the
// signal would do that too, but children would inherit it, and a program such
// as yes would complain where it should just end.
func handlePipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
