package mcptest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// Header is the header that names a session.
const Header = "Mcp-Session-Id"

// HTTP is how a server behaves over streamable HTTP.
type HTTP struct {
	// Refuse, if not nil, may answer a request itself; it reports whether it
	// did. method is that of the message, or "" if it has none.
	Refuse func(w http.ResponseWriter, r *http.Request, method string) bool
	// Stateless gives out no sessions.
	Stateless bool
	// PlainJSON answers with JSON, never with a stream.
	PlainJSON bool
	// Listen says what a GET gets: a stream if "", a 405 if "none", and no
	// answer if "hang".
	Listen string

	once     sync.Mutex
	sessions int
	calls    map[string]context.CancelFunc // by session and id
}

var _ http.Handler = (*Server)(nil)

// ServeHTTP is the server's one endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var m message
	_ = json.Unmarshal(body, &m)
	if s.Refuse != nil && s.Refuse(w, r, m.Method) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		s.listen(w, r)
	case http.MethodPost:
		s.post(w, r, body)
	case http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) listen(w http.ResponseWriter, r *http.Request) {
	switch s.Listen {
	case "none":
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case "hang":
		<-r.Context().Done()
		return
	}
	p := stream(w)
	s.join(p)
	defer s.leave(p)
	<-r.Context().Done()
	p.mu.Lock() // nothing is written after the handler
	p.write = func([]byte) {}
	p.mu.Unlock()
}

func stream(w http.ResponseWriter) *peer {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	return &peer{write: func(b []byte) {
		_, _ = io.WriteString(w, "event: message\ndata: "+string(b)+"\n\n")
		_ = flush()
	}}
}

func (s *Server) post(w http.ResponseWriter, r *http.Request, body []byte) {
	session := r.Header.Get(Header)
	m, ok := s.receive(body)
	if ok && m.Method == "notifications/cancelled" {
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &params)
		s.once.Lock()
		if stop := s.calls[session+" "+string(params.RequestID)]; stop != nil {
			stop()
		}
		s.once.Unlock()
	}
	if !ok || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	s.once.Lock()
	if m.Method == "initialize" && !s.Stateless {
		s.sessions++
		w.Header().Set(Header, "session-"+strconv.Itoa(s.sessions))
	}
	if s.calls == nil {
		s.calls = map[string]context.CancelFunc{}
	}
	s.calls[session+" "+string(m.ID)] = stop
	s.once.Unlock()
	if s.PlainJSON || m.Method != "tools/call" {
		answer := s.answer(ctx, &peer{write: func([]byte) {}}, m)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
		return
	}
	p := stream(w)
	if answer := s.answer(ctx, p, m); answer != nil {
		p.send(answer)
	}
}
