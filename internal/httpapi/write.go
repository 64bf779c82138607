package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agsh.dev/api"
)

// statuses is the one map from codes to HTTP.
var statuses = map[api.Code]int{
	api.CodeAgentNotFound:    http.StatusNotFound,
	api.CodeApprovalRequired: http.StatusConflict,
	api.CodeBodyTimeout:      http.StatusRequestTimeout,
	api.CodeBodyTooLarge:     http.StatusRequestEntityTooLarge,
	api.CodeDraining:         http.StatusServiceUnavailable,
	api.CodeForbidden:        http.StatusForbidden,
	api.CodeInternal:         http.StatusInternalServerError,
	api.CodeInvalidArguments: http.StatusBadRequest,
	api.CodeInvalidBody:      http.StatusBadRequest,
	api.CodeInvalidQuery:     http.StatusBadRequest,
	api.CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	api.CodeNotFound:         http.StatusNotFound,
	api.CodeSessionDeleted:   http.StatusGone,
	api.CodeSessionNotFound:  http.StatusNotFound,
	api.CodeStorageFailed:    http.StatusInternalServerError,
	api.CodeToolNotFound:     http.StatusNotFound,
	api.CodeUnauthorized:     http.StatusUnauthorized,
}

// write sends a JSON answer whole. Nothing is escaped only for HTML: the
// answer is not HTML, and would be up to six times as long.
func (h *handler) write(w http.ResponseWriter, r *http.Request, status int, answer any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		h.fail(w, r, fmt.Errorf("encode the answer: %w", err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	if sent, ok := r.Body.(*body); ok && !sent.ended {
		header.Set("Connection", "close")
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	s := newSender(w, h.cfg.WriteTimeout)
	defer s.done()
	_ = s.send(b.Bytes()) // nobody is left to tell
}

// A sender writes to a client that may be slow but must not stand still: each
// piece has a deadline of its own.
type sender struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
}

// pieceSize is what a client has to take within the timeout.
const pieceSize = 256 << 10

func newSender(w http.ResponseWriter, timeout time.Duration) sender {
	return sender{w, http.NewResponseController(w), timeout}
}

// send writes b and flushes it. A writer without deadlines or buffers, as one
// in memory, goes without.
func (s sender) send(b []byte) error {
	for len(b) > 0 {
		piece := b[:min(len(b), pieceSize)]
		_ = s.rc.SetWriteDeadline(time.Now().Add(s.timeout))
		if _, err := s.w.Write(piece); err != nil {
			return err
		}
		b = b[len(piece):]
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(s.timeout))
	if err := s.rc.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// done lets the connection serve on.
func (s sender) done() { _ = s.rc.SetWriteDeadline(time.Time{}) }

// A panicError is a bug met while a request was served.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// fail sends an error.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	known, status := h.known(r, err)
	if known == nil {
		return
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	h.write(w, r, status, api.ErrorBody{Error: known})
}

// known returns the error to send and its status. One that has no code is the
// server's own fault: its text stays in the log, under an id the answer
// names. It returns nil when the client has gone and there is nobody to
// answer.
func (h *handler) known(r *http.Request, err error) (*api.Error, int) {
	var known *api.Error
	if !errors.As(err, &known) {
		if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
			return nil, 0 //nolint:nilerr // there is nobody to tell it to
		}
		known = api.Errorf(api.CodeInternal, "an error inside the server")
	}
	status, ok := statuses[known.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	if status >= http.StatusInternalServerError && known.Code != api.CodeDraining {
		e := *known
		e.ErrorID = "err_" + rand.Text()
		known = &e
		h.cfg.Log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "errorId", e.ErrorID, "err", err)
	}
	return known, status
}

// fresh reports whether the client has what etag names already.
func fresh(r *http.Request, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}
