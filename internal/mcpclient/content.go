package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// readResult makes a result of the raw answer to tools/call. Structured
// content keeps its bytes; a block of an unknown type becomes a text, its JSON.
func readResult(raw json.RawMessage) (agent.Result, error) {
	var answer struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return agent.Result{}, fmt.Errorf("the answer is no result of a tool: %w", err)
	}
	res := agent.Result{IsError: answer.IsError, Content: make([]event.Block, 0, len(answer.Content))}
	for _, block := range answer.Content {
		res.Content = append(res.Content, readBlock(block))
	}
	if s := bytes.TrimSpace(answer.StructuredContent); len(s) > 0 && (s[0] == '{' || s[0] == '[') {
		res.Structured = s
	}
	return res, nil
}

func readBlock(raw json.RawMessage) event.Block {
	var b struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		MimeType string `json:"mimeType"`
		URI      string `json:"uri"`
		Name     string `json:"name"`
		Resource struct {
			URI      string `json:"uri"`
			MimeType string `json:"mimeType"`
			Text     string `json:"text"`
			Blob     string `json:"blob"`
		} `json:"resource"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return event.Text(string(raw))
	}
	switch b.Type {
	case "text":
		return event.Text(b.Text)
	case "image", "audio":
		return event.Block{Type: b.Type, Data: b.Data, MimeType: b.MimeType}
	case "resource":
		r := b.Resource
		return event.Block{Type: b.Type, URI: r.URI, MimeType: r.MimeType, Text: r.Text, Data: r.Blob}
	case "resource_link":
		return event.Block{Type: b.Type, URI: b.URI, Name: b.Name, MimeType: b.MimeType}
	}
	return event.Text(string(raw))
}
