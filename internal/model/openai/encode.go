package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agsh.dev/internal/model"
)

// The wire form of a request. The order of the fields is that of the bytes.
type wireRequest struct {
	Model               string        `json:"model"`
	Messages            []wireMessage `json:"messages"`
	Tools               []wireTool    `json:"tools,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string        `json:"reasoning_effort,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role             string            `json:"role"`
	Content          any               `json:"content"` // string, []wirePart or nil
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []wireCall        `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string         `json:"type"`
	Function wireDefinition `json:"function"`
}

type wireDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// encode returns the body of a request. OpenAI itself has another name for the
// limit of tokens than everybody else.
func encode(name string, openAI bool, req model.Request) ([]byte, error) {
	if err := model.Check(req.Messages); err != nil {
		return nil, fmt.Errorf("encode the conversation: %w", err)
	}
	w := wireRequest{
		Model: name, MaxTokens: req.MaxOutputTokens, ReasoningEffort: req.Reasoning,
		Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
	}
	if openAI {
		w.MaxTokens, w.MaxCompletionTokens = 0, w.MaxTokens
	}
	if req.System != "" {
		w.Messages = append(w.Messages, wireMessage{Role: "system", Content: req.System})
	}
	w.Messages = append(w.Messages, encodeMessages(req.Messages)...)
	for _, t := range req.Tools {
		if len(t.Input) == 0 {
			t.Input = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if !json.Valid(t.Input) {
			return nil, fmt.Errorf("encode the tool %s: its schema is not JSON", t.Name)
		}
		w.Tools = append(w.Tools, wireTool{"function", wireDefinition{t.Name, t.Description, t.Input}})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encodeMessages writes messages that pass [model.Check].
func encodeMessages(messages []model.Message) []wireMessage {
	turn := 0 // where the last message of a user is
	for i, m := range messages {
		if m.Role == model.User {
			turn = i
		}
	}
	var out []wireMessage
	var shown []wirePart // images of results, for which tool messages have no place
	for i, m := range messages {
		if m.Role == model.ToolRole {
			for _, p := range m.Parts {
				message, images := encodeResult(p.(model.ToolResult))
				out, shown = append(out, message), append(shown, images...)
			}
			if len(shown) > 0 && (i+1 == len(messages) || messages[i+1].Role != model.ToolRole) {
				out, shown = append(out, wireMessage{Role: "user", Content: shown}), nil
			}
			continue
		}
		if m.Role == model.User {
			out = append(out, encodeUser(m))
			continue
		}
		out = append(out, encodeAssistant(m, i > turn))
	}
	return out
}

// encodeAssistant writes what the model said. Its thoughts go back in the
// field they came in, if they are of this turn: there some servers demand
// them, while of earlier turns some refuse them.
func encodeAssistant(m model.Message, thisTurn bool) wireMessage {
	w := wireMessage{Role: "assistant"}
	var texts []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		case model.Reasoning:
			t := decodeThoughts(p.Opaque)
			w.ReasoningDetails = append(w.ReasoningDetails, t.Details...)
			switch {
			case !thisTurn:
			case t.Field == "reasoning_content":
				w.ReasoningContent += p.Text
			case t.Field == "reasoning":
				w.Reasoning += p.Text
			}
		case model.ToolCall:
			w.ToolCalls = append(w.ToolCalls, wireCall{p.ID, "function", wireFunction{p.Name, encodeArguments(p.Args)}})
		}
	}
	if len(texts) > 0 || len(w.ToolCalls) == 0 {
		w.Content = strings.Join(texts, "\n")
	}
	return w
}

// encodeArguments writes arguments as they came, if they are an object.
// Templates of open models fail at any other, and with them every later
// request, so those are put into one.
func encodeArguments(args json.RawMessage) string {
	if trimmed := bytes.TrimSpace(args); len(trimmed) > 0 && trimmed[0] == '{' {
		return string(args)
	}
	return `{"invalid_arguments":` + string(args) + `}`
}

// thoughts is what of a server's reasoning goes back to it, beside the text.
type thoughts struct {
	Field   string            `json:"field,omitempty"`
	Details []json.RawMessage `json:"details,omitempty"`
}

// encode returns nil if there is nothing that goes back.
func (t thoughts) encode() json.RawMessage {
	if t.Field == "" && len(t.Details) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil { // details were valid when they came
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// decodeThoughts reads what encode wrote. Another codec's state is none.
func decodeThoughts(opaque json.RawMessage) thoughts {
	var t thoughts
	if json.Unmarshal(opaque, &t) != nil {
		return thoughts{}
	}
	return t
}
