//go:build unix

package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A conn is the connection to a process that runs or ran.
type conn struct {
	process  *process
	incoming chan jsonrpc.Message // closed at the end, after readErr was set
	readErr  error
	closed   sync.Once

	writing chan struct{} // holds an element while somebody writes
	// broken says why nothing can be written any more; for who writes.
	broken error
}

var _ mcp.Connection = (*conn)(nil)

func newConn(p *process, cfg Config) *conn {
	c := &conn{process: p, incoming: make(chan jsonrpc.Message), writing: make(chan struct{}, 1)}
	p.running.Go(func() { c.receive(newReader(p.stdout, cfg.MaxMessage, cfg.Junk)) })
	return c
}

// SessionID is empty: a program has one session.
func (c *conn) SessionID() string { return "" }

// Read returns the next message. It may be called again after its ctx ended:
// nothing is lost.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isClosed(c.process.closing) {
		return nil, io.EOF
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.process.closing:
		return nil, io.EOF
	case msg, ok := <-c.incoming:
		if !ok {
			return nil, c.readErr
		}
		return msg, nil
	}
}

// receive takes messages from the server until it prints no more.
func (c *conn) receive(r *reader) {
	defer close(c.incoming)
	for {
		msg, err := r.next()
		if err != nil {
			c.readErr = c.why("output", nil)
			return
		}
		select {
		case c.incoming <- msg:
		case <-c.process.closing:
			// The server may not come to its end before it has printed all.
			_, _ = io.Copy(io.Discard, c.process.stdout)
			c.readErr = io.EOF
			return
		}
	}
}

// Write sends a message. Calls take turns.
func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("write to server: %w", err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.broken != nil {
		return c.broken
	}
	data = append(data, '\n')
	n, err := c.send(ctx, data)
	switch {
	case n == len(data):
		return nil
	case ctx.Err() != nil && n == 0:
		return ctx.Err()
	case ctx.Err() != nil:
		c.broken = fmt.Errorf("write to server: connection is broken: a message was cancelled after %d of %d bytes; start the server again", n, len(data))
		return errors.Join(ctx.Err(), c.broken)
	case errors.Is(err, syscall.EPIPE), c.over():
		err = c.why("input", ctx.Done())
	}
	return fmt.Errorf("write to server: %w", err)
}

// send writes as much as it can before ctx ends.
func (c *conn) send(ctx context.Context, data []byte) (int, error) {
	stdin := c.process.stdin
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = stdin.SetWriteDeadline(time.Unix(1, 0)) // fails if it is closed, and then Write returns anyway
		close(expired)
	})
	n, err := stdin.Write(data)
	if !stop() {
		<-expired
		_ = stdin.SetWriteDeadline(time.Time{})
	}
	return n, err
}

// over reports whether the server is ending or has ended.
func (c *conn) over() bool { return isClosed(c.process.gone) || isClosed(c.process.closing) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// why returns what the end of one of the server's streams comes from. Mostly
// that shows a little later, so it waits, but not after giveUp.
func (c *conn) why(stream string, giveUp <-chan struct{}) error {
	p := c.process
	runsOn := fmt.Errorf("server closed its standard %s but runs on", stream)
	select {
	case <-p.gone:
	case <-p.closing:
	case <-giveUp:
		return runsOn
	case <-time.After(p.grace):
		return runsOn
	}
	select {
	case <-p.closing:
	case <-p.ended:
	}
	if isClosed(p.closing) {
		return mcp.ErrConnectionClosed
	}
	return p.exit
}

// Close ends the server and returns when no process of its group and no
// goroutine of the connection is left: within three times the grace at worst.
// Messages that were not read are lost. Any number of calls may be made.
func (c *conn) Close() error {
	c.closed.Do(c.process.stop)
	return nil
}
