package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agsh.dev/internal/model"
)

func TestCheck(t *testing.T) {
	type parts = []model.Part
	user := model.Message{Role: model.User, Parts: parts{model.Text{Text: "hi"}}}
	calls := func(ids ...string) model.Message {
		m := model.Message{Role: model.Assistant}
		for _, id := range ids {
			m.Parts = append(m.Parts, model.ToolCall{ID: id, Name: "ls", Args: json.RawMessage(`{}`)})
		}
		return m
	}
	results := func(ids ...string) model.Message {
		m := model.Message{Role: model.ToolRole}
		for _, id := range ids {
			m.Parts = append(m.Parts, model.ToolResult{CallID: id})
		}
		return m
	}
	for name, tt := range map[string]struct {
		messages []model.Message
		want     string // in the error; "" is none
	}{
		"a question":                  {[]model.Message{user}, ""},
		"results in any order":        {[]model.Message{user, calls("a", "b"), results("b", "a"), user}, ""},
		"results in several messages": {[]model.Message{user, calls("a", "b"), results("a"), results("b")}, ""},
		"an id that is used again":    {[]model.Message{calls("a"), results("a"), calls("a"), results("a")}, ""},
		"no result at the end":        {[]model.Message{user, calls("a")}, `after the last message: the tool calls ["a"] have no result`},
		"one result of two":           {[]model.Message{calls("a", "b"), results("b"), user}, `message 2 (user): the tool calls ["a"]`},
		"a result too late":           {[]model.Message{calls("a"), user, results("a")}, `message 1 (user)`},
		"a result too many":           {[]model.Message{calls("a"), results("a", "a")}, `a result for "a"`},
		"a result of nothing":         {[]model.Message{user, results("a")}, `a result for "a"`},
		"a result of before":          {[]model.Message{calls("a"), results("a"), user, results("a")}, `a result for "a"`},
		"two calls of one id":         {[]model.Message{calls("a", "a"), results("a")}, `two tool calls have the id "a"`},
		"no id":                       {[]model.Message{calls("")}, "has no id"},
		"no name":                     {[]model.Message{{Role: model.Assistant, Parts: parts{model.ToolCall{ID: "a"}}}}, "names no tool"},
		"arguments that are no JSON":  {[]model.Message{{Role: model.Assistant, Parts: parts{model.ToolCall{ID: "a", Name: "x", Args: json.RawMessage(`{`)}}}}, "not JSON"},
		"no parts":                    {[]model.Message{{Role: model.User}}, "no parts"},
		"a call of a user":            {[]model.Message{{Role: model.User, Parts: parts{model.ToolCall{ID: "a"}}}}, "cannot have"},
		"a text of a tool":            {[]model.Message{{Role: model.ToolRole, Parts: parts{model.Text{Text: "a"}}}}, "cannot have"},
		"a file of an assistant":      {[]model.Message{{Role: model.Assistant, Parts: parts{model.File{}}}}, "cannot have"},
		"an unknown role":             {[]model.Message{{Role: "boss", Parts: parts{model.Text{Text: "a"}}}}, "cannot have"},
	} {
		err := model.Check(tt.messages)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Check = %v, want %q", name, err, tt.want)
		}
	}
}

func TestArgumentsAreAlwaysJSON(t *testing.T) {
	for written, want := range map[string]string{
		"": "{}", " \n\t": "{}", `{"a": 1.0}`: `{"a": 1.0}`, `{"a":`: `"{\"a\":"`, `"{}"`: `"{}"`, "null": "null", "ls": `"ls"`,
	} {
		if got := string(model.Arguments(written)); got != want {
			t.Errorf("Arguments(%q) = %s, want %s", written, got, want)
		}
	}
}

func TestErrorsSayCodeStatusAndWhy(t *testing.T) {
	for want, err := range map[string]*model.Error{
		"stream_cut: it ended":                          {Code: model.StreamCut, Message: "it ended"},
		"rate_limited (429 Too Many Requests): go away": {Code: model.RateLimited, Status: 429, Message: "go away"},
		"overloaded (529): busy":                        {Code: model.Overloaded, Status: 529, Message: "busy"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("Error() = %q, want %q", got, want)
		}
	}
}
