package openai

import (
	"fmt"
	"slices"
	"strings"

	"agsh.dev/internal/model"
)

// maxCalls is more than any answer has; finding a fragment's call is linear.
const maxCalls = 1000

// take adds a fragment of a tool call to the call it belongs to.
func (a *answer) take(f fragment) error {
	call := a.callOf(f)
	if call == nil {
		if len(a.calls) == maxCalls {
			return fail(model.StreamError, fmt.Sprintf("the answer has more than %d tool calls", maxCalls), nil)
		}
		call = a.begin(model.DeltaCall)
		call.index, call.born, a.open = f.Index, a.chunks, nil
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = f.ID
	}
	named := call.name == "" && f.Function.Name != ""
	if named {
		call.name = f.Function.Name
	}
	text := string(f.Function.Arguments)
	call.shape.feed(text)
	return a.write(call, text, named || call.born == a.chunks)
}

// callOf finds the call that a fragment goes on with, or nil if it begins one.
// A call is known by its id first and its index second: some servers give every
// call the index 0, some give none, and later fragments mostly have no id. What
// has a name may be a beginning, or a server that says it every time.
func (a *answer) callOf(f fragment) *part {
	name := f.Function.Name
	if f.ID != "" {
		if call := a.last(func(c *part) bool { return c.id == f.ID }); call != nil {
			return a.goesOn(call, f)
		}
		call := a.withIndex(f.Index)
		switch {
		case call == nil:
			return nil
		case call.id == "" && (name == "" || call.name == ""): // the id comes late
			return call
		case name == "" && !call.shape.closed: // another id with each fragment
			return call
		}
		return nil
	}
	if f.Index == nil && name != "" {
		return a.last(func(c *part) bool { return c.name == "" })
	}
	call := a.withIndex(f.Index)
	if call == nil && name == "" {
		if call = a.last(func(c *part) bool { return !c.shape.closed }); call == nil {
			call = a.last(func(*part) bool { return true })
		}
	}
	if call == nil {
		return nil
	}
	return a.goesOn(call, f)
}

// goesOn returns the call, which has the fragment's id or index, or nil if the
// fragment nevertheless begins another.
func (a *answer) goesOn(call *part, f fragment) *part {
	name := f.Function.Name
	if name == "" || call.name == "" {
		return call
	}
	begins := call.born == a.chunks || // two of one event
		name != call.name ||
		call.shape.closed && strings.TrimSpace(string(f.Function.Arguments)) != ""
	if begins {
		return nil
	}
	return call
}

func (a *answer) withIndex(index *int) *part {
	if index == nil {
		return nil
	}
	return a.last(func(c *part) bool { return c.index != nil && *c.index == *index })
}

func (a *answer) last(is func(*part) bool) *part {
	for _, call := range slices.Backward(a.calls) {
		if is(call) {
			return call
		}
	}
	return nil
}

// A shape follows a JSON text as it comes, far enough to know whether its
// object, list or string has ended.
type shape struct {
	depth             int
	inString, escaped bool
	closed            bool
}

func (s *shape) feed(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case s.escaped:
			s.escaped = false
		case s.inString && c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = !s.inString
			s.closed = s.closed || !s.inString && s.depth == 0
		case s.inString:
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			s.depth--
			s.closed = s.closed || s.depth <= 0
		}
	}
}
