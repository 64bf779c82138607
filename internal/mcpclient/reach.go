package mcpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// An unreachableError says that an HTTP request got no answer, and why, in
// one sentence.
type unreachableError struct {
	host string // with the port, if the URL has one
	why  string
	// unsent says that there was no connection, so that the server cannot have
	// seen the request.
	unsent bool
}

func (e *unreachableError) Error() string {
	if e.unsent {
		return fmt.Sprintf("cannot reach %s: %s", e.host, e.why)
	}
	return fmt.Sprintf("%s does not answer: %s", e.host, e.why)
}

// unreachable tells in words why a round trip to u failed.
func unreachable(u *url.URL, err error) *unreachableError {
	e := &unreachableError{host: u.Host, why: err.Error()}
	op, dialled := errors.AsType[*net.OpError](err)
	e.unsent = dialled && op.Op == "dial"
	var unknown *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		e.why = "there is no host of this name"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.why = "connection refused"
	case errors.As(err, &record):
		e.why, e.unsent = "it speaks no TLS; is it http?", true
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF):
		e.why = "the connection was closed"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e.why = "the time for it is over"
	case e.unsent:
		e.why = op.Err.Error()
	}
	return e
}

// plain takes from an error of the SDK the chain of its own doings: what
// went wrong stands behind it.
func plain(err error) error {
	text := err.Error()
	for _, doing := range []string{
		`calling "`, `sending "`, "rejected by transport: ", "connection closed: ", "broken session: ", "client is closing: ",
	} {
		for {
			i := strings.Index(text, doing)
			if i < 0 {
				break
			}
			rest := text[i+len(doing):]
			if strings.HasSuffix(doing, `"`) {
				_, behind, ok := strings.Cut(rest, `": `)
				if !ok {
					break
				}
				rest = behind
			}
			text = text[:i] + rest
		}
	}
	if text == err.Error() {
		return err
	}
	return &plainError{text, err}
}

// A plainError says less than the error below it.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }
