package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/sse"
)

// An answer is what has come of a response.
type answer struct {
	show   func(model.Delta)
	parts  []*part
	calls  []*part // those of parts that are calls
	open   *part   // the text or reasoning that more of its kind goes on with
	chunks int     // how many came
	size   int     // of all texts
	limit  int     // of size
	finish string  // as the server says it; "" until it does
	done   bool    // the server said that nothing follows
	usage  model.Usage
	model  string
}

// A part of an answer.
type part struct {
	at   int // in parts
	kind model.Kind
	text strings.Builder

	// Of reasoning: the field its text came in, and what came beside it.
	field   string
	details []json.RawMessage

	// Of calls.
	id, name string
	index    *int
	born     int // in this chunk
	shape    shape
}

func newAnswer(show func(model.Delta), limit int) *answer {
	if show == nil {
		show = func(model.Delta) {}
	}
	return &answer{show: show, limit: limit}
}

// complete reports whether the server said why the answer ended.
func (a *answer) complete() bool { return a.finish != "" }

// event takes one event of the stream. It reports true after the last one.
func (a *answer) event(ev sse.Event) (done bool, err error) {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case len(data) == 0:
		return false, nil
	case string(data) == "[DONE]":
		a.done = true
		return true, nil
	}
	return false, a.chunk(data, ev.Type == "error")
}

// whole takes an answer that is not streamed.
func (a *answer) whole(data []byte) error {
	a.done = true
	return a.chunk(data, false)
}

// chunk takes the JSON of a chunk. An error is what the server says that it
// is, or the chunk cannot be understood.
func (a *answer) chunk(data []byte, isError bool) error {
	a.chunks++
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil || isError {
		if detail, ok := detailOf(data); ok || isError {
			return told(detail)
		}
		return fail(model.StreamError, fmt.Sprintf("the server sent what is no piece of an answer: %v: %s", err, bound(string(data), 200)), err)
	}
	if detail, ok := says(c.Error); ok {
		return told(detail)
	}
	if c.Object == "error" {
		detail, _ := detailOf(data)
		return told(detail)
	}
	if c.Model != "" {
		a.model = c.Model
	}
	a.count(c.Usage)
	for _, ch := range c.Choices {
		if ch.Index != 0 { // one was asked for
			continue
		}
		if err := a.choose(ch); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) choose(ch choice) error {
	a.count(ch.Usage)
	said := ch.Delta
	if said == nil {
		said = ch.Message
	}
	if said != nil {
		if err := a.hear(*said); err != nil {
			return err
		}
	}
	if ch.FinishReason != "" {
		a.finish = ch.FinishReason
	}
	return nil
}

func (a *answer) hear(s speech) error {
	if err := a.think(s); err != nil {
		return err
	}
	for _, p := range s.Content {
		kind := model.DeltaText
		if p.thought {
			kind = model.DeltaReasoning
		}
		if err := a.say(kind, p.text); err != nil {
			return err
		}
	}
	if err := a.say(model.DeltaText, s.Refusal); err != nil {
		return err
	}
	for _, f := range s.ToolCalls {
		if err := a.take(f); err != nil {
			return err
		}
	}
	return nil
}

// think takes the thoughts. A server that has both fields says the same in
// them.
func (a *answer) think(s speech) error {
	field, text := "reasoning_content", s.ReasoningContent
	if text == "" {
		field, text = "reasoning", string(s.Reasoning)
	}
	if text != "" {
		if err := a.say(model.DeltaReasoning, text); err != nil {
			return err
		}
		a.open.field = field
	}
	var details []json.RawMessage
	if err := json.Unmarshal(s.ReasoningDetails, &details); err != nil || len(details) == 0 {
		return nil //nolint:nilerr // what is no list is not OpenRouter's, and nobody wants it back
	}
	// They may come after the text they belong to, or without any.
	var thought *part
	for _, p := range a.parts {
		if p.kind == model.DeltaReasoning {
			thought = p
		}
	}
	if thought == nil {
		thought = a.begin(model.DeltaReasoning)
	}
	thought.details = append(thought.details, details...)
	return a.grow(len(s.ReasoningDetails))
}

// say adds text to the part that is open, or to a new one.
func (a *answer) say(kind model.Kind, text string) error {
	if text == "" {
		return nil
	}
	if a.open == nil || a.open.kind != kind {
		a.open = a.begin(kind)
	}
	return a.write(a.open, text, false)
}

func (a *answer) begin(kind model.Kind) *part {
	p := &part{at: len(a.parts), kind: kind}
	a.parts = append(a.parts, p)
	return p
}

// write adds text to a part and shows it; nothing is shown only if always.
func (a *answer) write(p *part, text string, always bool) error {
	if err := a.grow(len(text)); err != nil {
		return err
	}
	p.text.WriteString(text)
	if text != "" || always {
		a.show(model.Delta{Part: p.at, Kind: p.kind, Name: p.name, Text: text})
	}
	return nil
}

func (a *answer) grow(n int) error {
	if a.size += n; a.size > a.limit {
		return tooLong(a.limit)
	}
	return nil
}

func (a *answer) count(u *usage) {
	if u == nil || u.Prompt == 0 && u.Completion == 0 {
		return
	}
	a.usage = model.Usage{ // of several the last one counts
		Input: u.Prompt, Output: u.Completion, CacheRead: max(u.PromptDetails.Cached, u.CacheHit),
		CacheWrite: u.PromptDetails.Written, Reasoning: u.CompletionDetails.Reasoning,
	}
}

// close returns why the answer, to which nothing is added any more, is none.
func (a *answer) close() error {
	switch {
	case a.finish == "error":
		return fail(model.StreamError, "the server ended the answer with an error it does not name", nil)
	case !a.complete() && !a.done:
		return fail(model.StreamCut, "the stream ended early, without a finish_reason", nil)
	case !a.complete() && len(a.parts) == 0:
		return fail(model.StreamCut, "the stream ended without an answer", nil)
	}
	for _, c := range a.calls {
		if !a.complete() && c.text.Len() > 0 && !c.shape.closed {
			return fail(model.StreamCut, "the stream ended early, within the arguments of a tool call", nil)
		}
		if c.name == "" {
			return fail(model.StreamError, "the answer has a tool call that names no tool", nil)
		}
	}
	return nil
}

// response is the answer as far as it has come.
func (a *answer) response() model.Response {
	r := model.Response{Usage: a.usage, Model: a.model, Finish: a.finishOf()}
	for _, p := range a.parts {
		r.Parts = append(r.Parts, p.value())
	}
	return r
}

func (p *part) value() model.Part {
	switch p.kind {
	case model.DeltaCall:
		return model.ToolCall{ID: p.id, Name: p.name, Args: model.Arguments(p.text.String())}
	case model.DeltaReasoning:
		return model.Reasoning{Text: p.text.String(), Opaque: thoughts{Field: p.field, Details: p.details}.encode()}
	default:
		return model.Text{Text: p.text.String()}
	}
}

// finishOf reads the server's finish_reason. Many say stop after calls.
func (a *answer) finishOf() model.Finish {
	finish := model.FinishOther
	switch strings.ToLower(a.finish) {
	case "", "stop", "eos", "end_turn", "stop_sequence", "tool_calls", "tool_use", "function_call":
		finish = model.FinishStop
	case "length", "max_tokens", "model_length":
		finish = model.FinishLength
	case "content_filter", "safety", "refusal":
		finish = model.FinishContentFilter
	}
	if finish == model.FinishStop && len(a.calls) > 0 {
		return model.FinishToolCalls
	}
	return finish
}
