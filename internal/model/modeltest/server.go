// Package modeltest is a model server that speaks the Chat Completions API and
// says what it is told to, byte for byte. It refuses requests as providers do,
// and reports them: a request that a provider would not take is a fault of
// whoever sent it.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Reporter is told what is wrong with requests; a testing.TB is one.
type Reporter interface {
	Errorf(format string, args ...any)
}

// A Server is one model server. Its fields are set before it serves; it is
// safe for concurrent use.
type Server struct {
	// Reporter, if not nil, is told of every request that is refused for what
	// it says, and of one that the script has no reply for.
	Reporter Reporter
	// Replies answer the requests in order, those that are refused not
	// counted.
	Replies []Reply
	// Rest, if not nil, answers when Replies are spent.
	Rest func(Request) Reply
	// Model is the name that requests must have; "" takes any.
	Model string
	// Key is the key that requests must have; "" takes any. A wrong one is a
	// 401 that is not reported.
	Key string
	// Window is how many tokens a prompt and the answer it asks for may have;
	// 0 means no limit. Overflow keeps the reporter from being told.
	Window   int
	Overflow bool
	// Tokens estimates the tokens of a prompt by its bytes; nil means a
	// quarter.
	Tokens func(body []byte) int

	mu       sync.Mutex
	next     int
	requests []Request
}

// A Request is what a client sent.
type Request struct {
	Header http.Header
	Body   []byte
	Chat   Chat // what Body says, as far as it is valid
}

// Requests returns all requests so far that were not refused, in the order
// they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

var _ http.Handler = (*Server)(nil)

const maxBody = 64 << 20

// ServeHTTP answers every path that ends in /chat/completions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		refuse(w, refusal{http.StatusNotFound, "not_found", "there is nothing at " + r.URL.Path})
		return
	}
	if r.Method != http.MethodPost {
		refuse(w, refusal{http.StatusMethodNotAllowed, "method_not_allowed", "completions are asked for with POST"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, refusal{http.StatusBadRequest, "invalid_body", err.Error()})
		return
	}
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key {
		refuse(w, refusal{http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: " + r.Header.Get("Authorization")})
		return
	}
	chat, bad := s.check(body)
	if bad != nil {
		if bad.code != codeTooLong || !s.Overflow {
			s.report("%s; the request: %s", bad.message, body)
		}
		refuse(w, *bad)
		return
	}
	s.reply(Request{r.Header.Clone(), body, chat}).send(w, r)
}

// reply records req and returns what answers it.
func (s *Server) reply(req Request) Reply {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	n := s.next
	s.next++
	s.mu.Unlock()
	switch {
	case n < len(s.Replies):
		return s.Replies[n]
	case s.Rest != nil:
		return s.Rest(req)
	}
	message := fmt.Sprintf("request %d has no reply: the script has %d", n+1, len(s.Replies))
	s.report("%s; the request: %s", message, req.Body)
	return JSON(http.StatusBadRequest, errorBody("script_spent", message))
}

func (s *Server) report(format string, args ...any) {
	if s.Reporter != nil {
		s.Reporter.Errorf("modeltest: "+format, args...)
	}
}

// A refusal is why a request is not answered.
type refusal struct {
	status        int
	code, message string
}

func refuse(w http.ResponseWriter, r refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, errorBody(r.code, r.message))
}

func errorBody(code, message string) string {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{ // strings always have their JSON
		"message": message, "type": "invalid_request_error", "param": nil, "code": code,
	}})
	return string(b)
}
