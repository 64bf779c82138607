package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"agsh.dev/event"
	"agsh.dev/internal/model"
	"agsh.dev/internal/schema"
)

// A Chat is the body of a request.
type Chat struct {
	Model               string         `json:"model"`
	Messages            []Message      `json:"messages"`
	Tools               []Tool         `json:"tools"`
	ToolChoice          any            `json:"tool_choice"`
	MaxTokens           int            `json:"max_tokens"`
	MaxCompletionTokens int            `json:"max_completion_tokens"`
	ReasoningEffort     string         `json:"reasoning_effort"`
	Temperature         *float64       `json:"temperature"`
	Stream              bool           `json:"stream"`
	StreamOptions       map[string]any `json:"stream_options"`
}

// A Message is one message of a [Chat].
type Message struct {
	Role             string            `json:"role"`
	Content          Content           `json:"content"`
	Name             string            `json:"name"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []ToolCall        `json:"tool_calls"`
	ToolCallID       string            `json:"tool_call_id"`
}

// A ToolCall is a call as it is sent back.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// A Tool is a tool as it is offered.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Content is the content of a message: its text and its other pieces.
type Content struct {
	Present bool // false for null, too
	Text    string
	Pieces  []json.RawMessage // those that are not text
}

// UnmarshalJSON reads a string, null or a list of pieces.
func (c *Content) UnmarshalJSON(b []byte) error {
	c.Present = string(b) != "null"
	if !c.Present {
		return nil
	}
	if b[0] == '"' {
		return json.Unmarshal(b, &c.Text)
	}
	var pieces []json.RawMessage
	if err := json.Unmarshal(b, &pieces); err != nil {
		return err
	}
	if len(pieces) == 0 {
		return errors.New("content is an empty list")
	}
	for _, raw := range pieces {
		var piece struct{ Type, Text string }
		if err := json.Unmarshal(raw, &piece); err != nil {
			return err
		}
		if piece.Type == "text" {
			c.Text += piece.Text
			continue
		}
		c.Pieces = append(c.Pieces, raw)
	}
	return nil
}

const codeTooLong = "context_length_exceeded"

// check reads a body. It returns why no provider would take it, or nil.
func (s *Server) check(body []byte) (Chat, *refusal) {
	var chat Chat
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&chat); err != nil {
		return chat, invalid("the body: %v", err)
	}
	if s.Model != "" && chat.Model != s.Model {
		return chat, &refusal{http.StatusNotFound, "model_not_found", fmt.Sprintf("the model `%s` does not exist", chat.Model)}
	}
	if len(chat.Messages) == 0 {
		return chat, invalid("messages: there are none")
	}
	conversation, err := conversationOf(chat.Messages)
	if err != nil {
		return chat, invalid("messages: %v", err)
	}
	if err := model.Check(conversation); err != nil {
		return chat, invalid("messages: %v", err)
	}
	if err := checkTools(chat.Tools); err != nil {
		return chat, invalid("tools: %v", err)
	}
	tokens := len(body) / 4
	if s.Tokens != nil {
		tokens = s.Tokens(body)
	}
	if asked := tokens + chat.MaxTokens + chat.MaxCompletionTokens; s.Window > 0 && asked > s.Window {
		return chat, &refusal{
			http.StatusBadRequest, codeTooLong,
			fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens", s.Window, asked),
		}
	}
	return chat, nil
}

func invalid(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

// conversationOf returns the messages in the neutral form, without those that
// instruct the model.
func conversationOf(messages []Message) ([]model.Message, error) {
	var out []model.Message
	for i, m := range messages {
		if m.Role != "assistant" && len(m.ToolCalls) > 0 || m.Role != "tool" && m.ToolCallID != "" {
			return nil, fmt.Errorf("message %d (%s): it has fields of another role", i, m.Role)
		}
		if !m.Content.Present && (m.Role != "assistant" || len(m.ToolCalls) == 0) {
			return nil, fmt.Errorf("message %d (%s): it has no content", i, m.Role)
		}
		text := model.Text{Text: m.Content.Text}
		switch m.Role {
		case "system", "developer":
			if i > 0 {
				return nil, fmt.Errorf("message %d: instructions come first", i)
			}
		case "user":
			out = append(out, model.Message{Role: model.User, Parts: []model.Part{text}})
		case "tool":
			if len(m.Content.Pieces) > 0 {
				return nil, fmt.Errorf("message %d (tool): a result is text", i)
			}
			result := model.ToolResult{CallID: m.ToolCallID, Content: []event.Block{event.Text(m.Content.Text)}}
			out = append(out, model.Message{Role: model.ToolRole, Parts: []model.Part{result}})
		case "assistant":
			parts := []model.Part{text}
			for _, c := range m.ToolCalls {
				var object map[string]json.RawMessage
				if err := json.Unmarshal([]byte(c.Function.Arguments), &object); err != nil || object == nil {
					return nil, fmt.Errorf("message %d: the arguments of the call %q are no JSON object: %s", i, c.ID, c.Function.Arguments)
				}
				parts = append(parts, model.ToolCall{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
			}
			out = append(out, model.Message{Role: model.Assistant, Parts: parts})
		default:
			return nil, fmt.Errorf("message %d: there is no role %q", i, m.Role)
		}
	}
	return out, nil
}

func checkTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		name := t.Function.Name
		switch {
		case t.Type != "function":
			return fmt.Errorf("%q: the type %q is not function", name, t.Type)
		case name == "" || len(name) > 64 || strings.Trim(name, nameCharacters) != "":
			return fmt.Errorf("%q: a name is 1 to 64 letters, digits, _ or -", name)
		case seen[name]:
			return fmt.Errorf("%q: two tools have that name", name)
		}
		seen[name] = true
		if err := checkSchema(t.Function.Parameters); err != nil {
			return fmt.Errorf("%q: parameters: %w", name, err)
		}
	}
	return nil
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func checkSchema(raw json.RawMessage) error {
	var object struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	if object.Type != "object" {
		return fmt.Errorf("the type is %q, not object", object.Type)
	}
	for _, name := range object.Required {
		if _, ok := object.Properties[name]; !ok {
			return fmt.Errorf("%q is required and no property", name)
		}
	}
	_, err := schema.Compile(raw)
	return err
}
