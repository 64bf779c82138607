package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// A block is a piece of content as servers send it.
type block struct {
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

// An answer is the result of tools/call with its content as B.
type answer[B any] struct {
	Content    []B             `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// readResult makes a result of the raw answer to tools/call. Structured
// content keeps its bytes; a block that is none of the known ones becomes a
// text, its JSON.
func readResult(raw json.RawMessage) (agent.Result, error) {
	var a answer[block]
	if err := json.Unmarshal(raw, &a); err == nil && !slices.ContainsFunc(a.Content, func(b block) bool {
		_, known := b.event()
		return !known
	}) {
		res := agent.Result{IsError: a.IsError, Structured: structured(a.Structured), Content: make([]event.Block, 0, len(a.Content))}
		for _, b := range a.Content {
			e, _ := b.event()
			res.Content = append(res.Content, e)
		}
		return res, nil
	}
	// Some block is odd: those are read again one by one, which takes longer.
	var odd answer[json.RawMessage]
	if err := json.Unmarshal(raw, &odd); err != nil {
		return agent.Result{}, fmt.Errorf("the answer is no result of a tool: %w", err)
	}
	res := agent.Result{IsError: odd.IsError, Structured: structured(odd.Structured), Content: make([]event.Block, 0, len(odd.Content))}
	for _, raw := range odd.Content {
		var b block
		e, known := event.Block{}, false
		if json.Unmarshal(raw, &b) == nil {
			e, known = b.event()
		}
		if !known {
			e = event.Text(string(raw))
		}
		res.Content = append(res.Content, e)
	}
	return res, nil
}

func structured(raw json.RawMessage) json.RawMessage {
	if s := bytes.TrimSpace(raw); len(s) > 0 && (s[0] == '{' || s[0] == '[') {
		return s
	}
	return nil
}

// event is the block as ours; it reports false for a type that is unknown.
func (b *block) event() (event.Block, bool) {
	switch b.Type {
	case "text":
		return event.Text(b.Text), true
	case "image", "audio":
		return event.Block{Type: b.Type, Data: b.Data, MimeType: b.MimeType}, true
	case "resource":
		r := &b.Resource
		return event.Block{Type: b.Type, URI: r.URI, MimeType: r.MimeType, Text: r.Text, Data: r.Blob}, true
	case "resource_link":
		return event.Block{Type: b.Type, URI: b.URI, Name: b.Name, MimeType: b.MimeType}, true
	}
	return event.Block{}, false
}
