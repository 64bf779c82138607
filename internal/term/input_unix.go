//go:build unix

package term

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// waitInput returns when fd can be read, or with the error of ctx. It polls
// instead of reading in a goroutine, which could not be stopped and would take
// the next line from whoever reads after it.
func waitInput(ctx context.Context, fd uintptr) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("wait for input: %w", err)
	}
	defer func() { _ = r.Close() }()
	// Closing the write end wakes the poll.
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	defer func() {
		if stop() {
			_ = w.Close()
		}
	}()
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			return nil // readable, or at its end, which a read will tell
		case !errors.Is(err, unix.EINTR):
			return fmt.Errorf("wait for input: %w", err)
		}
	}
}
