package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A chunk is one event of a stream, or a whole answer. Fields that dialects
// fill with several types are read later.
type chunk struct {
	Object  string          `json:"object"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        *speech `json:"delta"`
	Message      *speech `json:"message"` // instead of delta, in an answer that is not streamed
	FinishReason string  `json:"finish_reason"`
	Usage        *usage  `json:"usage"` // where Moonshot puts it
}

// speech is what the model says, or a piece of it.
type speech struct {
	Content          content         `json:"content"`
	Refusal          string          `json:"refusal"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        reasoningText   `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"` // an array; OpenRouter wants it back
	ToolCalls        []fragment      `json:"tool_calls"`
}

// A fragment is a tool call or a piece of one.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string   `json:"name"`
		Arguments argument `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	PromptDetails struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek's name for cached tokens
}

// argument is the text of a call's arguments: a string, or from some servers
// the object itself.
type argument string

func (a *argument) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(a))
	}
	*a = argument(b)
	return nil
}

// reasoningText is a string. Some servers have an object of that name, which
// is about something else.
type reasoningText string

func (r *reasoningText) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return nil
	}
	return json.Unmarshal(b, (*string)(r))
}

// content is a string, null, or a list of pieces, of which some may be
// thoughts.
type content []piece

type piece struct {
	thought bool
	text    string
}

var errContent = errors.New("content of a kind that is not known here")

func (c *content) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case 'n':
		return nil
	case '"':
		var s string
		err := json.Unmarshal(b, &s)
		*c = content{{text: s}}
		return err
	case '[':
	default:
		return errContent
	}
	var items []struct {
		Type     string  `json:"type"`
		Text     string  `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(b, &items); err != nil {
		return err
	}
	for _, item := range items {
		switch item.Type {
		case "text":
			*c = append(*c, piece{text: item.Text})
		case "thinking":
			for _, p := range item.Thinking {
				*c = append(*c, piece{thought: true, text: p.text})
			}
		default:
			return fmt.Errorf("%w: %q", errContent, bound(item.Type, 40))
		}
	}
	return nil
}

// says returns the text a value of an "error" field has, and its code, as far
// as it has them. It reports false for a value that is no error.
func says(raw json.RawMessage) (detail errorDetail, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "false" || string(raw) == `""` {
		return errorDetail{}, false
	}
	if raw[0] == '"' {
		_ = json.Unmarshal(raw, &detail.Message) // it was decoded before
		return detail, true
	}
	if err := json.Unmarshal(raw, &detail); err != nil || detail.Message == "" {
		detail.Message = strings.TrimSpace(detail.Message + " " + string(raw))
	}
	return detail, true
}

// errorDetail is what a provider says of a failure.
type errorDetail struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    mixed  `json:"code"`
	Status  mixed  `json:"status"`
}

// mixed is a string or a number, as its text.
type mixed string

func (m *mixed) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(m))
	}
	if string(b) != "null" {
		*m = mixed(b)
	}
	return nil
}
