package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Check returns why no provider would take the messages, or nil. Each has
// parts, all of its role's kinds. The messages directly after an assistant's
// with calls are the tool's, and they answer every call exactly once, in any
// order; there are no others of that role.
func Check(messages []Message) error {
	open := map[string]bool{} // calls that wait for a result
	for i, m := range messages {
		if len(m.Parts) == 0 {
			return fmt.Errorf("message %d (%s): it has no parts", i, m.Role)
		}
		if m.Role != ToolRole && len(open) > 0 {
			return fmt.Errorf("message %d (%s): %w", i, m.Role, unanswered(open))
		}
		for _, p := range m.Parts {
			if err := checkPart(m.Role, p, open); err != nil {
				return fmt.Errorf("message %d (%s): %w", i, m.Role, err)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("after the last message: %w", unanswered(open))
	}
	return nil
}

func unanswered(open map[string]bool) error {
	return fmt.Errorf("the tool calls %q have no result before it", slices.Sorted(maps.Keys(open)))
}

// checkPart looks at one part of a role's message. It adds calls to open, and
// takes those out that are answered.
func checkPart(role Role, p Part, open map[string]bool) error {
	want := Role("")
	switch p := p.(type) {
	case Text:
		if role == User || role == Assistant {
			return nil
		}
	case File:
		want = User
	case Reasoning:
		want = Assistant
	case ToolCall:
		if want = Assistant; role == want {
			return checkCall(p, open)
		}
	case ToolResult:
		if want = ToolRole; role == want {
			if !open[p.CallID] {
				return fmt.Errorf("a result for %q, which is no open tool call of the assistant's message before it", p.CallID)
			}
			delete(open, p.CallID)
		}
	}
	if role != want {
		return fmt.Errorf("a message of this role cannot have a part of type %T", p)
	}
	return nil
}

func checkCall(call ToolCall, open map[string]bool) error {
	switch {
	case call.ID == "":
		return fmt.Errorf("a call of the tool %q has no id", call.Name)
	case call.Name == "":
		return fmt.Errorf("the tool call %q names no tool", call.ID)
	case open[call.ID]:
		return fmt.Errorf("two tool calls have the id %q", call.ID)
	case !json.Valid(call.Args):
		return fmt.Errorf("the arguments of the tool call %q are not JSON", call.ID)
	}
	open[call.ID] = true
	return nil
}
