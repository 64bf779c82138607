package model

import (
	"fmt"
	"net/http"
	"time"
)

// Code says what kind of failure an [Error] is. The list only grows.
type Code string

// The codes, and whether trying again may help.
const (
	ModelMissing   Code = "model_missing"    // the agent names no model
	ModelUnknown   Code = "model_unknown"    // the provider does not have it
	Auth           Code = "auth"             // no key, or one that is refused
	Quota          Code = "quota_exceeded"   // the account has nothing left
	InvalidRequest Code = "invalid_request"  // the provider will never take it
	ContextTooLong Code = "context_too_long" // the window is too small for it
	ContentFilter  Code = "content_filter"   // the provider would not answer it
	RateLimited    Code = "rate_limited"     // again later
	Overloaded     Code = "overloaded"       // again later
	ServerError    Code = "server_error"     // again later
	Unreachable    Code = "unreachable"      // again later
	Timeout        Code = "timeout"          // again later
	StreamCut      Code = "stream_cut"       // the answer ended early; again
	StreamError    Code = "stream_error"     // the answer cannot be understood
	ScriptSpent    Code = "script_spent"     // a scripted model has no more to say
	Cancelled      Code = "cancelled"        // the caller's context ended
)

// Retryable reports whether trying again may help.
func (c Code) Retryable() bool {
	switch c {
	case RateLimited, Overloaded, ServerError, Unreachable, Timeout, StreamCut:
		return true
	default:
		return false
	}
}

// An Error is why a model gave no answer.
type Error struct {
	Code Code
	// Status is the HTTP status, also one that was told inside of a stream; 0
	// if there is none.
	Status int
	// Message says what happened and, where it is known, what to do. It holds
	// no secrets; a provider's words in it are untrusted text.
	Message string
	// Retryable says that the same request may succeed later, and RetryAfter
	// when: 0 if the provider did not say.
	Retryable  bool
	RetryAfter time.Duration
	// Partial is what had come of the answer. It has no Finish.
	Partial Response
	// Err is the cause, if it is an error of this side.
	Err error
}

func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	status := fmt.Sprint(e.Status)
	if text := http.StatusText(e.Status); text != "" {
		status += " " + text
	}
	return fmt.Sprintf("%s (%s): %s", e.Code, status, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
