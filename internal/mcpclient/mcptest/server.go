// Package mcptest is a small MCP server for tests. It misbehaves where it is
// told to, and what it lists and answers goes out byte for byte.
package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"sync"
)

// A Tool is what the server offers.
type Tool struct {
	Name string
	// Raw is the whole definition as it is listed; nil lists the name with a
	// schema that takes any object.
	Raw json.RawMessage
	// Call answers a call; nil gives the arguments back as text.
	Call func(ctx context.Context, c *Call) json.RawMessage
}

// A Call is one call of a tool.
type Call struct {
	Arguments json.RawMessage
	Token     json.RawMessage // of its progress; nil if it has none
	peer      *peer
}

// Notify sends a notification, or with an id a request, on the stream of the
// call.
func (c *Call) Notify(message string) { c.peer.send([]byte(message)) }

// Progress reports progress.
func (c *Call) Progress(done int) {
	c.Notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(c.Token) +
		`,"progress":` + strconv.Itoa(done) + `,"total":100,"message":"at it"}}`)
}

// A Server is one server. Its fields are set before it serves; it is safe for
// concurrent use.
type Server struct {
	// PageSize is how many tools a page has; 0 means all.
	PageSize int
	// Cursor, if not nil, makes the cursor of the page after the nth tool.
	Cursor func(n int) string
	// NoTools leaves out the capability.
	NoTools bool
	// Banner is written before anything else, on streams only.
	Banner string
	// Heard, if not nil, gets the method of each message that is received.
	Heard func(method string)
	// Answered, if not nil, gets what the client answers to requests.
	Answered func(message json.RawMessage)
	HTTP

	mu    sync.Mutex
	tools []Tool
	seen  []string
	peers map[*peer]bool
}

// Offer replaces the tools and tells all clients so, in notices messages.
func (s *Server) Offer(notices int, tools ...Tool) {
	s.mu.Lock()
	s.tools = slices.Clone(tools)
	peers := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	s.mu.Unlock()
	for range notices {
		for _, p := range peers {
			p.send([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		}
	}
}

// Seen is the methods that were received so far, in order.
func (s *Server) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Count is how often a method was received so far.
func (s *Server) Count(method string) int {
	n := 0
	for _, m := range s.Seen() {
		if m == method {
			n++
		}
	}
	return n
}

// A peer is where messages go.
type peer struct {
	mu    sync.Mutex
	write func([]byte)
	calls map[string]context.CancelFunc // by id
}

func (p *peer) send(message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(message)
}

func (s *Server) join(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peers == nil {
		s.peers = map[*peer]bool{}
	}
	s.peers[p] = true
}

func (s *Server) leave(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
}

// Serve speaks lines over r and w until r ends.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &peer{write: func(b []byte) { _, _ = w.Write(append(b, '\n')) }, calls: map[string]context.CancelFunc{}}
	s.join(p)
	defer s.leave(p)
	if s.Banner != "" {
		_, _ = io.WriteString(w, s.Banner)
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m, ok := s.receive(line)
		if !ok {
			continue
		}
		if m.Method == "notifications/cancelled" {
			p.cancel(m)
			continue
		}
		if m.ID == nil {
			continue
		}
		call, stop := context.WithCancel(ctx)
		p.mu.Lock()
		p.calls[string(m.ID)] = stop
		p.mu.Unlock()
		running.Go(func() {
			defer stop()
			if answer := s.answer(call, p, m); answer != nil {
				p.send(answer)
			}
		})
	}
}

func (p *peer) cancel(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.calls[string(params.RequestID)]; stop != nil {
		stop()
	}
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// receive notes a message. It reports false for one that needs no answer
// since it is one.
func (s *Server) receive(line []byte) (message, bool) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return m, false
	}
	if m.Method == "" {
		if s.Answered != nil {
			s.Answered(json.RawMessage(line))
		}
		return m, false
	}
	s.mu.Lock()
	s.seen = append(s.seen, m.Method)
	s.mu.Unlock()
	if s.Heard != nil {
		s.Heard(m.Method)
	}
	return m, true
}

// answer is the response to a request; nil if it was cancelled.
func (s *Server) answer(ctx context.Context, p *peer, m message) []byte {
	var result json.RawMessage
	switch m.Method {
	case "initialize":
		capabilities := `{"tools":{"listChanged":true}}`
		if s.NoTools {
			capabilities = `{}`
		}
		result = json.RawMessage(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"mcptest","version":"1"},"capabilities":` + capabilities + `}`)
	case "ping":
		result = json.RawMessage(`{}`)
	case "tools/list":
		result = s.page(m.Params)
	case "tools/call":
		result = s.call(ctx, p, m.Params)
		if ctx.Err() != nil {
			return nil
		}
		if result == nil {
			return reply(m.ID, `"error":{"code":-32602,"message":"unknown tool"}`)
		}
	default:
		return reply(m.ID, `"error":{"code":-32601,"message":"unknown method"}`)
	}
	return reply(m.ID, `"result":`+string(result))
}

func reply(id json.RawMessage, rest string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,` + rest + `}`)
}

func (s *Server) page(params json.RawMessage) json.RawMessage {
	var p struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	start := 0
	if p.Cursor != "" && s.Cursor == nil {
		start, _ = strconv.Atoi(p.Cursor)
	}
	end := len(s.tools)
	if s.PageSize > 0 {
		end = min(end, start+s.PageSize)
	}
	out := []byte(`{"tools":[`)
	for i, t := range s.tools[start:end] {
		if i > 0 {
			out = append(out, ',')
		}
		raw := t.Raw
		if raw == nil {
			name, _ := json.Marshal(t.Name)
			raw = json.RawMessage(`{"name":` + string(name) + `,"inputSchema":{"type":"object"}}`)
		}
		out = append(out, raw...)
	}
	out = append(out, ']')
	switch {
	case s.Cursor != nil:
		cursor, _ := json.Marshal(s.Cursor(end))
		out = append(out, `,"nextCursor":`+string(cursor)...)
	case end < len(s.tools):
		out = append(out, `,"nextCursor":"`+strconv.Itoa(end)+`"`...)
	}
	return append(out, '}')
}

func (s *Server) call(ctx context.Context, p *peer, params json.RawMessage) json.RawMessage {
	var c struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &c)
	s.mu.Lock()
	i := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == c.Name })
	var tool Tool
	if i >= 0 {
		tool = s.tools[i]
	}
	s.mu.Unlock()
	switch {
	case i < 0:
		return nil
	case tool.Call == nil:
		return Text(string(c.Arguments))
	}
	return tool.Call(ctx, &Call{Arguments: c.Arguments, Token: c.Meta.Token, peer: p})
}

// Text is a result of one text.
func Text(s string) json.RawMessage {
	text, _ := json.Marshal(s)
	return json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}]}`)
}
