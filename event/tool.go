package event

import (
	"bytes"
	"encoding/json"
)

// Origin says who asked for a tool call.
type Origin string

// The origins of a call.
const (
	OriginModel    Origin = "model"
	OriginOperator Origin = "operator"
	OriginPeer     Origin = "peer"
	OriginHook     Origin = "hook"
)

// ToolRequested records that a tool was asked for, before anything is done.
// Each one is followed by exactly one [ToolCompleted], also when the tool is
// unknown or its arguments are refused.
//
// A call that is part of a turn names it in the envelope. A direct call names
// none and does not wait for the turn that runs.
type ToolRequested struct {
	// CallID is the provider's if it gave one that the session has not used,
	// else one of ours.
	CallID string          `json:"callId"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"` // as they came
	Origin Origin          `json:"origin"`
	// Approved is set when the caller approved the call with its request.
	Approved bool `json:"approved,omitempty"`
	// Place is where the call stands in what the model said; for calls of
	// other origins it is zero.
	Place
	// RawArgs is the text of the arguments when Args alone does not give it
	// back: with space in it, or no JSON at all. See [Arguments].
	RawArgs string `json:"rawArgs,omitempty"`
	// Via is the call as the model made it, when a tool protocol carries
	// calls of Name in those of another tool.
	Via *Via `json:"via,omitempty"`
	// State is what the provider wants back with the call, as in
	// [ReasoningCompleted].
	State   json.RawMessage `json:"state,omitempty"`
	Display *Display        `json:"display,omitempty"`
}

// Arguments returns what [ToolRequested] keeps of arguments that came as
// text: args are its JSON without space, or the text as a JSON string if it
// is none, and raw is the text unless it is the same as args. No text at all
// is how some providers say {}, and is kept as that.
func Arguments(text string) (args json.RawMessage, raw string) {
	if text == "" {
		return json.RawMessage("{}"), ""
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		quoted, _ := plainJSON(text) // a string cannot fail to encode
		return quoted, text
	}
	if b.String() != text {
		raw = text
	}
	return b.Bytes(), raw
}

// ArgsText is the text of the arguments as it came, see [Arguments].
func (d ToolRequested) ArgsText() string {
	if d.RawArgs != "" {
		return d.RawArgs
	}
	return string(d.Args)
}

// Via is a call of a tool that carries calls of others.
type Via struct {
	Name string `json:"name"`
	Args string `json:"args"` // the text, as the model wrote it
}

// Display says how a surface may show a call.
type Display struct {
	Kind   string `json:"kind"` // read, search, edit, execute, fetch or other
	Detail string `json:"detail,omitempty"`
}

// ToolStarted is durable before a call with side effects runs. A call that
// has it and no ToolCompleted may or may not have happened. A call that needs
// approval has it only after the request was closed as allowed.
type ToolStarted struct {
	CallID  string `json:"callId"`
	Attempt int    `json:"attempt"` // from 1
	// Args are what the tool runs with, when a hook changed them.
	Args json.RawMessage `json:"args,omitempty"`
}

// Status is how a call ended.
type Status string

// The ends of a call. Every requested call gets exactly one.
const (
	StatusOK        Status = "ok"
	StatusError     Status = "error"     // the tool ran and reported an error
	StatusDenied    Status = "denied"    // an approval was refused or missing
	StatusCancelled Status = "cancelled" // the caller gave up
	StatusInvalid   Status = "invalid"   // unknown tool or arguments the schema refuses
	StatusLost      Status = "lost"      // the runtime died; it may or may not have happened
)

// ToolCompleted is the one result of a call. Results of calls that one model
// response asked for are recorded in the order of those calls.
type ToolCompleted struct {
	CallID            string          `json:"callId"`
	Status            Status          `json:"status"`
	Content           []Block         `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Error             *Error          `json:"error,omitempty"`
	Truncated         *Truncated      `json:"truncated,omitempty"`
	DurationMs        int64           `json:"durationMs"`
}

// Error is a failure as a stable code and a sentence.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Truncated says that content was cut, and how big it was.
type Truncated struct {
	Bytes int64 `json:"bytes"` // before the cut
}

// Type implements [Data].
func (ToolRequested) Type() string { return "tool.requested" }

// Type implements [Data].
func (ToolStarted) Type() string { return "tool.started" }

// Type implements [Data].
func (ToolCompleted) Type() string { return "tool.completed" }
