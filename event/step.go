package event

import "encoding/json"

// A step is one model call with the tool calls it asks for. What the model
// said is a list of parts: reasoning.completed, message.completed and
// tool.requested, which are numbered through and stand in the stream in that
// order. Together with the messages and the results of the calls they give
// the provider's next request back, byte for byte where it matters: the order
// of parts, opaque state, raw arguments.

// A Place says which part of which attempt of which step something is.
type Place struct {
	Step    int `json:"step,omitempty"`    // within the turn
	Attempt int `json:"attempt,omitempty"` // of the step
	Part    int `json:"part,omitempty"`    // of what the model said
}

// StepStarted precedes a model call. Steps of a turn are numbered through.
// Each attempt has one step.completed or step.failed, unless the process
// died.
type StepStarted struct {
	Step    int    `json:"step"`
	Attempt int    `json:"attempt"`
	Model   string `json:"model"` // "provider/name"
	// Supersedes is the attempt of this step that did not end well, when this
	// is not the first. What is recorded of it is not part of the
	// conversation. An attempt that requested tools is never superseded.
	Supersedes int `json:"supersedes,omitempty"`
}

// FinishReason is why a model stopped.
type FinishReason string

// Why a model stops.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishOther         FinishReason = "other"
)

// StepCompleted ends a step, after the results of all its calls.
type StepCompleted struct {
	Step         int          `json:"step"`
	Attempt      int          `json:"attempt"`
	FinishReason FinishReason `json:"finishReason"`
	Usage        Usage        `json:"usage"`
	Cost         float64      `json:"cost,omitempty"` // US dollars, if the price is known
}

// Usage is what a model call took, in tokens, as the provider reports it.
type Usage struct {
	Input      int64 `json:"inputTokens"` // what was read from or written to a cache included
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cacheReadTokens,omitempty"`
	CacheWrite int64 `json:"cacheWriteTokens,omitempty"`
	Reasoning  int64 `json:"reasoningTokens,omitempty"` // part of Output
}

// StepFailed ends an attempt in which the model call failed or was cancelled.
// Nothing it asked for is executed. Another attempt may follow.
type StepFailed struct {
	Step    int    `json:"step"`
	Attempt int    `json:"attempt"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Usage   *Usage `json:"usage,omitempty"` // if the provider told it
}

// ReasoningCompleted is a part in which the model thought.
type ReasoningCompleted struct {
	Place
	Text string `json:"text"` // empty if the provider hides it
	// State is what the provider wants back with the part, such as a
	// signature or encrypted content. Nobody else reads it.
	State json.RawMessage `json:"state,omitempty"`
}

// MessageCompleted is a part in which the model spoke.
type MessageCompleted struct {
	Place
	Text string `json:"text"`
	// Raw is what the model wrote, when a tool protocol took calls out of it
	// to make Text. It is what goes back to the model.
	Raw string `json:"raw,omitempty"`
	// Incomplete says that the model was cut off.
	Incomplete bool            `json:"incomplete,omitempty"`
	State      json.RawMessage `json:"state,omitempty"` // as in ReasoningCompleted
}

// Type implements [Data].
func (StepStarted) Type() string { return "step.started" }

// Type implements [Data].
func (StepCompleted) Type() string { return "step.completed" }

// Type implements [Data].
func (StepFailed) Type() string { return "step.failed" }

// Type implements [Data].
func (ReasoningCompleted) Type() string { return "reasoning.completed" }

// Type implements [Data].
func (MessageCompleted) Type() string { return "message.completed" }
