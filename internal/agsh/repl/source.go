package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// A source reads an input on demand. A read that is given up goes on, and the
// next one takes its result.
type source struct {
	in         io.Reader
	interrupts <-chan os.Signal
	pending    chan chunk // of the read that goes on; nil: none
}

type chunk struct {
	data []byte
	at   time.Time // when it came
	err  error
}

// read returns the next bytes. Its error is io.EOF, errInterrupted, the one of
// ctx, or one of reading.
func (s *source) read(ctx context.Context) ([]byte, error) {
	if s.pending == nil {
		s.pending = make(chan chunk, 1)
		go func(out chan<- chunk) {
			buf := make([]byte, 4096)
			n, err := s.in.Read(buf)
			out <- chunk{buf[:n], time.Now(), err}
		}(s.pending)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.interrupts:
		return nil, errInterrupted
	case c := <-s.pending:
		s.pending = nil
		switch {
		case len(c.data) > 0:
			return c.data, nil
		case errors.Is(c.err, io.EOF), errors.Is(c.err, syscall.EIO): // EIO: the terminal is gone
			return nil, io.EOF
		case c.err != nil:
			return nil, fmt.Errorf("read the next command: %w", c.err)
		}
		return nil, nil
	}
}
