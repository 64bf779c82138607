package event

import (
	"encoding/json"
	"time"
)

// RequestKind is what a person is asked for.
type RequestKind string

// The kinds of a request.
const (
	RequestApproval RequestKind = "approval" // may this call run?
	RequestQuestion RequestKind = "question"
	RequestPlan     RequestKind = "plan"    // is this plan good?
	RequestInstall  RequestKind = "install" // may this be added to the agent?
)

// RequestOpened asks a person something. It is durable before anyone sees
// it, so that the id which is shown can be answered also after a restart.
// Each one is followed by exactly one [RequestClosed].
type RequestOpened struct {
	RequestID string      `json:"requestId"`
	Kind      RequestKind `json:"kind"`
	Prompt    string      `json:"prompt"`
	// CallID is the call that waits for the answer. An approval has one, and
	// its call does not start before it is allowed.
	CallID string `json:"callId,omitempty"`
	// ArgsHash is the SHA-256, in hex, of the arguments the call would run
	// with: an approval is for these and no others.
	ArgsHash string   `json:"argsHash,omitempty"`
	Options  []Option `json:"options,omitempty"`
	// Detail is what there is to show beside the prompt: several questions,
	// the steps of a plan.
	Detail json.RawMessage `json:"detail,omitempty"`
	// Deadline is when the request closes by itself.
	Deadline time.Time `json:"deadline,omitzero"`
}

// An Option is one answer to choose.
type Option struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Outcome is how a request ended.
type Outcome string

// The ends of a request.
const (
	OutcomeAllowed    Outcome = "allowed"
	OutcomeDenied     Outcome = "denied"
	OutcomeAnswered   Outcome = "answered"   // a question has answers
	OutcomeTimeout    Outcome = "timeout"    // nobody answered until the deadline
	OutcomeCancelled  Outcome = "cancelled"  // the turn was
	OutcomeSuperseded Outcome = "superseded" // another request took its place
)

// Scope is how far an approval reaches.
type Scope string

// The scopes of an approval.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session" // later calls of the tool too
)

// RequestClosed settles a request; an answer that comes later is refused. Who
// answered is the envelope's By.
type RequestClosed struct {
	RequestID string          `json:"requestId"`
	Outcome   Outcome         `json:"outcome"`
	Scope     Scope           `json:"scope,omitempty"`
	Reason    string          `json:"reason,omitempty"`  // the answerer's words
	Answers   json.RawMessage `json:"answers,omitempty"` // as they came
}

// Type implements [Data].
func (RequestOpened) Type() string { return "request.opened" }

// Type implements [Data].
func (RequestClosed) Type() string { return "request.closed" }
