package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/muesli/cancelreader"
)

// maxUnread is how many reads wait while the loop is busy, so that it is still
// known when each came: whether keys were typed or pasted depends on it.
const maxUnread = 64

// A feeder turns what happens outside into messages of the event loop.
type feeder struct {
	in         io.Reader
	interrupts <-chan os.Signal
	output     <-chan struct{}
	send       func(tea.Msg)
}

// start feeds until stop is called, which waits for it.
func (f *feeder) start() (stop func(), err error) {
	in, err := cancelreader.NewReader(f.in)
	if err != nil {
		return nil, fmt.Errorf("read the terminal: %w", err)
	}
	ended := make(chan struct{})
	chunks, read, fed := make(chan chunk, maxUnread), make(chan struct{}), make(chan struct{})
	resizes, stopResizes := watchResizes()
	go func() {
		defer close(read)
		readChunks(in, chunks, ended)
	}()
	go func() {
		defer close(fed)
		f.feed(chunks, resizes, ended)
	}()
	return func() {
		close(ended)
		stopResizes()
		if in.Cancel() {
			<-read
			_ = in.Close()
		}
		<-fed
	}, nil
}

// readChunks reads until the input ends or nobody takes what it has.
func readChunks(in io.Reader, out chan<- chunk, ended <-chan struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		select {
		case out <- chunk{append([]byte(nil), buf[:n]...), time.Now(), err}:
		case <-ended:
			return
		}
		if err != nil {
			return
		}
	}
}

// feed sends messages until ended.
func (f *feeder) feed(chunks <-chan chunk, resizes <-chan os.Signal, ended <-chan struct{}) {
	var keyboard input
	for {
		var late <-chan time.Time
		if at, ok := keyboard.deadline(); ok {
			late = time.After(time.Until(at))
		}
		select {
		case <-ended:
			return
		case c := <-chunks:
			f.keys(keyboard.feed(c.data, c.at))
			if c.err != nil {
				f.send(endMsg{inputError(c.err)})
				chunks = nil
			}
		case <-late:
			if len(chunks) == 0 { // or else it is not late, but waits here
				f.keys(keyboard.feed(nil, time.Now()))
			}
		case <-f.output:
			f.send(outputMsg{})
		case <-f.interrupts:
			f.send(cancelMsg{})
		case <-resizes:
			f.send(resizeMsg{})
		}
	}
}

func (f *feeder) keys(tokens []token) {
	for _, t := range tokens {
		if k := decode(t); k.do != ignore {
			f.send(k)
		}
	}
}

// inputError is io.EOF for all the ways in which a terminal goes away.
func inputError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) {
		return io.EOF
	}
	return fmt.Errorf("read the next command: %w", err)
}
