package api

import "fmt"

// Code is a stable name of a failure. The list only grows; docs/errors.md
// explains each.
type Code string

// The codes of the HTTP API.
const (
	CodeAgentNotFound    Code = "agent_not_found"
	CodeApprovalRequired Code = "approval_required"
	CodeBodyTimeout      Code = "body_timeout"
	CodeBodyTooLarge     Code = "body_too_large"
	CodeDraining         Code = "draining"
	CodeForbidden        Code = "forbidden"
	CodeInternal         Code = "internal"
	CodeInvalidArguments Code = "invalid_arguments"
	CodeInvalidBody      Code = "invalid_body"
	CodeInvalidQuery     Code = "invalid_query"
	CodeMethodNotAllowed Code = "method_not_allowed"
	CodeNotFound         Code = "not_found"
	CodeSessionDeleted   Code = "session_deleted"
	CodeSessionNotFound  Code = "session_not_found"
	CodeStorageFailed    Code = "storage_failed"
	CodeToolNotFound     Code = "tool_not_found"
	CodeUnauthorized     Code = "unauthorized"
)

// An Error is how every failure of the API looks, on the wire under the key
// "error" and as a Go error.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Hint is what to do about it.
	Hint string `json:"hint,omitempty"`
	// Field is the part of the request that is wrong.
	Field string `json:"field,omitempty"`
	// ErrorID finds the failure in the server's log.
	ErrorID string `json:"errorId,omitempty"`
	// Status is the HTTP status it came with; a client sets it.
	Status int `json:"-"`
}

func (e *Error) Error() string {
	s := e.Message
	if s == "" {
		s = string(e.Code)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	if e.ErrorID != "" {
		s += " [" + e.ErrorID + "]"
	}
	return s
}

// Errorf makes an Error whose message is formatted.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns a copy of e that says what to do.
func (e *Error) WithHint(hint string) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// WithField returns a copy of e that names the part of the request.
func (e *Error) WithField(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// ErrorBody is the JSON body of every answer that is not a success.
type ErrorBody struct {
	Error *Error `json:"error"`
}

// An UnreachableError says that no usable answer came: the server cannot be
// reached, or what answers does not speak this API.
type UnreachableError struct {
	URL string // without query and credentials
	Err error
}

func (e *UnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }
