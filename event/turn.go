package event

import "encoding/json"

// Policy says what a message does while a turn is running.
type Policy string

// The policies of a message.
const (
	// Queue makes a turn of its own, after those that were there before.
	Queue Policy = "queue"
	// Steer joins the turn that runs before its next model call, and makes a
	// turn of its own if none does.
	Steer Policy = "steer"
)

// MessageReceived is an accepted message. Its envelope names the turn that
// works on it: one that this message makes, or for a [Steer] one that is not
// over. It is durable before its sender is told that it was accepted, in the
// commit that rotates the session's continuation token.
//
// A turn does not complete while a message that steers it has reached no
// model call: a step begins behind it.
type MessageReceived struct {
	// Source is the front door: http, mcp, bridge, chat, schedule, subagent
	// or a channel's name.
	Source string `json:"source"`
	Text   string `json:"text"`
	// Parts is the whole message in order, when it is more than Text. Text
	// then is what its text blocks say.
	Parts  []Block `json:"parts,omitempty"`
	Policy Policy  `json:"policy"`
	// OutputSchema, if set, is the JSON Schema of the result that the turn
	// has to commit.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`

	// What follows is stored and never served, see [Redact].

	// TokenHash is the SHA-256, in hex, of the continuation token that is
	// valid from this event on.
	TokenHash string `json:"tokenHash,omitempty"`
	// IdempotencyKey is the sender's, and BodyHash the SHA-256, in hex, of
	// what was sent with it.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	BodyHash       string `json:"bodyHash,omitempty"`
}

// TurnStarted says that work on a turn begins. Turns of a session run one
// after the other, in the order of the messages that made them.
//
// A turn that a dead process left unfinished is started again, with the next
// attempt; what it recorded stays valid. Its open step either goes on, or is
// superseded by the next attempt of that step.
type TurnStarted struct {
	Attempt int `json:"attempt"` // from 1
	// ConfigHash is of the definition this attempt runs with, when it is not
	// the session's.
	ConfigHash string `json:"configHash,omitempty"`
}

// Wait is what a turn waits for.
type Wait string

// What a turn may wait for.
const (
	WaitRequest  Wait = "request"  // a person: a request of the turn is open
	WaitSubagent Wait = "subagent" // a subagent of the turn is running
)

// TurnWaiting says that a turn cannot go on without something from outside.
// The turn stays open; its next event, other than another request or a
// notice, ends the waiting.
type TurnWaiting struct {
	On Wait `json:"on"`
}

// TurnCompleted ends a turn that did its work. Its answer is the text of its
// last message.completed that is not empty. Like the other two ends it is
// written when every step, call, request and subagent of the turn has ended,
// and of the turn only notices follow.
type TurnCompleted struct{}

// TurnCancelled ends a turn that someone stopped, perhaps before it started.
// What was open ended before it: calls and requests as cancelled, a model
// call as a failed step with the code "cancelled".
type TurnCancelled struct{}

// TurnFailed ends a turn that could not do its work. The session goes on.
type TurnFailed struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ResultCompleted is the structured result of a turn, held against the
// schema its message asked for. A turn has at most one, after its last step.
type ResultCompleted struct {
	Value json.RawMessage `json:"value"`
}

// Type implements [Data].
func (MessageReceived) Type() string { return "message.received" }

// Type implements [Data].
func (TurnStarted) Type() string { return "turn.started" }

// Type implements [Data].
func (TurnWaiting) Type() string { return "turn.waiting" }

// Type implements [Data].
func (TurnCompleted) Type() string { return "turn.completed" }

// Type implements [Data].
func (TurnCancelled) Type() string { return "turn.cancelled" }

// Type implements [Data].
func (TurnFailed) Type() string { return "turn.failed" }

// Type implements [Data].
func (ResultCompleted) Type() string { return "result.completed" }
