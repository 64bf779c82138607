package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"

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

// write sends a JSON answer whole.
func (h *handler) write(w http.ResponseWriter, r *http.Request, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		h.cfg.Log.Error("an answer could not be encoded", "method", r.Method, "path", r.URL.Path, "err", err)
		status, b = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer could not be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(b, '\n'))
	}
}

// fail sends an error. One that has no code is the server's own fault: its
// text stays in the log, under an id the answer names.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var known *api.Error
	if !errors.As(err, &known) {
		if errors.Is(err, context.Canceled) {
			return // the client has gone; there is nobody to answer
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
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		w.Header().Set("Connection", "close")
	}
	h.write(w, r, status, api.ErrorBody{Error: known})
}
