package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Reply is a response as it goes over the wire.
type Reply struct {
	Status int               // 0 means 200
	Header map[string]string // without a Content-Type it is an event stream
	Steps  []Step
}

// A Step is one thing that happens while a reply is sent. Its fields are done
// in their order.
type Step struct {
	// Wait, if not nil, is waited for, or until the client has gone.
	Wait <-chan struct{}
	// Write is written and flushed: a client may read it at once.
	Write string
	// Hang waits until the client has gone.
	Hang bool
	// Abort cuts the connection, so that the client sees no end.
	Abort bool
}

// send writes the reply. The handler's client sees an error after Abort.
func (r Reply) send(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(r.Status, http.StatusOK))
	control := http.NewResponseController(w)
	_ = control.Flush()
	gone := req.Context().Done()
	for _, step := range r.Steps {
		if step.Wait != nil {
			select {
			case <-step.Wait:
			case <-gone:
				return
			}
		}
		if _, err := w.Write([]byte(step.Write)); err != nil {
			return
		}
		_ = control.Flush()
		if step.Hang {
			<-gone
			return
		}
		if step.Abort {
			panic(http.ErrAbortHandler) // how net/http is told to cut a connection
		}
	}
}

// Then returns the reply with more steps after its own.
func (r Reply) Then(steps ...Step) Reply {
	r.Steps = append(slices.Clone(r.Steps), steps...)
	return r
}

// Cut returns the reply with every write cut into pieces of at most n bytes,
// wherever that is.
func (r Reply) Cut(n int) Reply {
	var steps []Step
	for _, step := range r.Steps {
		for len(step.Write) > n {
			steps = append(steps, Step{Wait: step.Wait, Write: step.Write[:n]})
			step.Wait, step.Write = nil, step.Write[n:]
		}
		steps = append(steps, step)
	}
	r.Steps = steps
	return r
}

// Raw is a reply of these bytes, each string in a write of its own.
func Raw(writes ...string) Reply {
	var r Reply
	for _, s := range writes {
		r.Steps = append(r.Steps, Step{Write: s})
	}
	return r
}

// Frames is an event stream of these data, one line each.
func Frames(data ...string) Reply {
	var r Reply
	for _, s := range data {
		r.Steps = append(r.Steps, Step{Write: "data: " + s + "\n\n"})
	}
	return r
}

// JSON is a reply that is no stream.
func JSON(status int, body string) Reply {
	return Reply{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Steps: []Step{{Write: body}}}
}

// Failure is a provider's error, with a Retry-After unless that is empty.
func Failure(status int, code, message, retryAfter string) Reply {
	r := JSON(status, errorBody(code, message))
	if retryAfter != "" {
		r.Header["Retry-After"] = retryAfter
	}
	return r
}

// A Call is a tool call that a reply makes.
type Call struct {
	ID, Name, Args string
}

// Say is a whole answer of text, a piece for each string.
func Say(texts ...string) Reply {
	var data []string
	for _, s := range texts {
		data = append(data, delta(map[string]any{"content": s}))
	}
	return Frames(append(data, ending("stop", len(strings.Join(texts, "")))...)...)
}

// Ask is a whole answer that calls tools, after a text unless that is empty.
// The arguments come in two pieces.
func Ask(text string, calls ...Call) Reply {
	var data []string
	if text != "" {
		data = append(data, delta(map[string]any{"content": text}))
	}
	for i, c := range calls {
		half := len(c.Args) / 2
		data = append(
			data, delta(toolCall(i, map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Args[:half]}})),
			delta(toolCall(i, map[string]any{"function": map[string]string{"arguments": c.Args[half:]}})),
		)
	}
	return Frames(append(data, ending("tool_calls", len(text))...)...)
}

func toolCall(index int, call map[string]any) map[string]any {
	call["index"] = index
	return map[string]any{"tool_calls": []any{call}}
}

func delta(d map[string]any) string {
	b, _ := json.Marshal(map[string]any{ // strings and numbers always have their JSON
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "modeltest",
		"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": nil}},
	})
	return string(b)
}

// ending is the end of a good answer of size bytes.
func ending(finish string, size int) []string {
	return []string{
		`{"object":"chat.completion.chunk","model":"modeltest","choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}]}`,
		fmt.Sprintf(`{"object":"chat.completion.chunk","model":"modeltest","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":%d}}`, size/4+1),
		"[DONE]",
	}
}
