package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A capture collects what the SDK does not tell of one request: the bytes of
// its result, since decoding them loses the order of properties and the digits
// of numbers, whether it was sent at all, and the HTTP status it got, or why it
// got none. It goes with the request's context.
type capture struct {
	mu      sync.Mutex
	raw     json.RawMessage
	sent    bool
	refusal refusal
	failure *unreachableError
	forget  func() // of the tee that waits for the answer; may be nil
}

type captureKey struct{}

func (c *capture) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

// captureOf is the capture that goes with ctx, or nil.
func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

func (c *capture) update(f func(c *capture)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c)
}

// result is the raw result, or nil if there was none.
func (c *capture) result() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw
}

// isSent says whether the server may have seen the request.
func (c *capture) isSent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

// refused is the HTTP status of the last request, if it was an error.
func (c *capture) refused() refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

// failed is why the last request got no answer, or nil.
func (c *capture) failed() *unreachableError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// close ends the waiting for an answer.
func (c *capture) close() {
	c.mu.Lock()
	forget := c.forget
	c.forget = nil
	c.mu.Unlock()
	if forget != nil {
		forget()
	}
}

// A tee is a transport that fills the captures of requests. It must not be put
// around the SDK's HTTP transport, whose connections have a method for the SDK
// alone that it would hide; a [wire] does the same below that one.
type tee struct{ mcp.Transport }

func (t tee) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &teeConn{Connection: conn, waiting: map[jsonrpc.ID]*capture{}}, nil
}

type teeConn struct {
	mcp.Connection
	mu      sync.Mutex
	waiting map[jsonrpc.ID]*capture
}

func (c *teeConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	req, ok := msg.(*jsonrpc.Request)
	cap := captureOf(ctx)
	if !ok || cap == nil || req.Method != "tools/list" && req.Method != "tools/call" {
		return c.Connection.Write(ctx, msg)
	}
	c.mu.Lock()
	c.waiting[req.ID] = cap
	c.mu.Unlock()
	cap.update(func(cap *capture) { cap.raw, cap.forget = nil, func() { c.take(req.ID) } })
	err := c.Connection.Write(ctx, msg)
	// A message of which a part may be out counts as sent.
	if err == nil || ctx.Err() != nil {
		cap.update(func(cap *capture) { cap.sent = true })
	}
	return err
}

func (c *teeConn) take(id jsonrpc.ID) *capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	cap := c.waiting[id]
	delete(c.waiting, id)
	return cap
}

// Read hands the result of a request that has a capture to it. The SDK gets an
// empty one, so that a big result is decoded once and one the SDK would not
// take does no harm; only what the SDK must answer itself it gets as it came.
func (c *teeConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	resp, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok {
		return msg, err
	}
	cap := c.take(resp.ID)
	if cap == nil || resp.Result == nil {
		return msg, nil
	}
	raw := resp.Result
	cap.update(func(cap *capture) { cap.raw = raw })
	if bytes.Contains(raw, []byte(`"input_required"`)) {
		return msg, nil
	}
	return &jsonrpc.Response{ID: resp.ID, Result: json.RawMessage(`{"tools":[],"content":[]}`)}, nil
}
