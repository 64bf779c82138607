package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A limitedBody fails once more than left bytes were read.
type limitedBody struct {
	io.ReadCloser
	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the answer has more than %d MiB", maxMessage>>20)
	}
	return n, err
}

// A jsonBody is a body of one message.
type jsonBody struct {
	io.ReadCloser
	cap *capture
	buf bytes.Buffer
}

func (b *jsonBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.buf.Write(p[:n])
	if err == io.EOF {
		// Before the reader sees the end, since then it goes on to the caller.
		b.cap.message(b.buf.Bytes())
		b.buf = bytes.Buffer{}
	}
	return n, err
}

// An eventBody is a body of server-sent events, each of which is a message.
type eventBody struct {
	io.ReadCloser
	cap  *capture
	line []byte
	data []byte
}

func (b *eventBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		head, tail, whole := bytes.Cut(rest, []byte("\n"))
		if len(b.line)+len(b.data)+len(head) > maxMessage {
			return 0, fmt.Errorf("the answer has more than %d MiB", maxMessage>>20)
		}
		b.line = append(b.line, head...)
		if rest = tail; whole {
			b.end(bytes.TrimSuffix(b.line, []byte("\r")))
			b.line = b.line[:0]
		}
	}
	if err == io.EOF {
		b.end(bytes.TrimSuffix(b.line, []byte("\r")))
		b.end(nil)
		b.line = nil
	}
	return n, err
}

// end takes a whole line: a part of an event's data or, empty, its end.
func (b *eventBody) end(line []byte) {
	if len(line) == 0 {
		if len(b.data) > 0 {
			b.cap.message(b.data)
		}
		b.data = nil
		return
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if b.data != nil {
			b.data = append(b.data, '\n')
		}
		b.data = append(b.data, bytes.TrimPrefix(data, []byte(" "))...)
	}
}

// message takes the result out of a message, if it is an answer. A stream that
// belongs to a request brings no other request's answer.
func (c *capture) message(data []byte) {
	var msg struct {
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(data, &msg) == nil && msg.Method == "" && msg.Result != nil {
		c.update(func(c *capture) { c.raw = msg.Result })
	}
}
