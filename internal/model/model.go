// Package model is the vocabulary in which a turn talks to a language model,
// whichever provider runs it: values only. The packages below it translate.
package model

import (
	"context"
	"encoding/json"
)

// A Streamer is a model that can be asked.
//
// Stream sends req and returns the whole answer. While the answer comes, show,
// if it is not nil, is called with every piece of it, in order and by the
// goroutine that called Stream. An error is an [*Error], whose Partial is what
// had come until then; nothing in it may be acted upon. Stream returns soon
// after ctx ends. It never asks twice: whether to try again is for the caller.
// It may be called by many goroutines at once.
type Streamer interface {
	Stream(ctx context.Context, req Request, show func(Delta)) (Response, error)
}

// A Request is one question. Equal requests have equal bytes on the wire, and
// within a turn a request that only adds messages has those of the shorter one
// in front, so that a provider's cache of prompts finds them.
type Request struct {
	// System is the system prompt; empty means none.
	System string
	// Messages pass [Check].
	Messages []Message
	// Tools are offered in this order.
	Tools []Tool
	// MaxOutputTokens bounds the answer; 0 leaves that to the provider.
	MaxOutputTokens int
	// Reasoning is how hard the model should think, in the provider's words
	// (low, medium, high …); empty leaves that to the provider.
	Reasoning string
}

// A Tool is what the model may call.
type Tool struct {
	Name        string
	Description string
	// Input is a JSON Schema of an object. The order of its properties is
	// kept. Nil means an object without properties.
	Input json.RawMessage
}

// A Response is the answer to a [Request].
type Response struct {
	// Parts are Text, Reasoning and ToolCall in the order they began.
	Parts []Part
	// Finish says why the answer ended. Calls are run only if it is
	// [FinishToolCalls]: in an answer that was cut short, the last one is not
	// what the model wanted to say.
	Finish Finish
	Usage  Usage
	// Model is what answered, in the provider's words; it may be empty.
	Model string
}

// Calls returns the tool calls of the answer, in order.
func (r Response) Calls() []ToolCall {
	var calls []ToolCall
	for _, p := range r.Parts {
		if call, ok := p.(ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// Finish is why an answer ended.
type Finish string

// The ends of an answer. An answer that has calls and did not end early
// finished with FinishToolCalls, whatever the provider called it.
const (
	FinishStop          Finish = "stop"
	FinishToolCalls     Finish = "tool_calls"
	FinishLength        Finish = "length"         // the limit of output or of the window
	FinishContentFilter Finish = "content_filter" // the provider would not let it through
	FinishOther         Finish = "other"
)

// Usage counts the tokens of a request and its answer. All of it is zero when
// the provider does not tell.
type Usage struct {
	Input      int // all of the prompt, with what came from a cache
	Output     int // all of the answer, with reasoning
	CacheRead  int // of Input: read from the provider's cache
	CacheWrite int // of Input: written to it
	Reasoning  int // of Output
}

// A Delta is a piece of an answer as it comes. Joined in order, the texts of
// all deltas of a part are the text of that part; a call's are its arguments as
// the model wrote them. A part without text has no deltas, but a call begins
// with one, which may be empty.
type Delta struct {
	Part int // index in Response.Parts
	Kind Kind
	Name string // of the tool, if Kind is DeltaCall
	Text string
}

// Kind is the kind of part that a [Delta] belongs to.
type Kind string

// The kinds of a [Delta].
const (
	DeltaText      Kind = "text"
	DeltaReasoning Kind = "reasoning"
	DeltaCall      Kind = "tool_call"
)
