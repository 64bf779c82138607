package event

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Data is what happened in one event: one of the structs of this package.
type Data interface {
	// Type is the kind's name on the wire.
	Type() string
	sealed()
}

// SessionStarted is the first event of every session.
type SessionStarted struct {
	Agent      string `json:"agent"`                // slug
	ConfigHash string `json:"configHash,omitempty"` // of the agent's definition
	// TokenHash is the SHA-256 of the session's first continuation token, in
	// hex. It is stored and never served.
	TokenHash string `json:"tokenHash,omitempty"`
	// Scratch marks a session that was made for one direct call.
	Scratch bool `json:"scratch,omitempty"`
}

// SessionDeleted is the tombstone of a deleted session: the only event that
// is left of it.
type SessionDeleted struct{}

// Origin says who asked for a tool call.
type Origin string

// The origins of a call.
const (
	OriginModel    Origin = "model"
	OriginOperator Origin = "operator"
	OriginPeer     Origin = "peer"
	OriginHook     Origin = "hook"
)

// ToolRequested records that a tool was asked for, before anything is done.
type ToolRequested struct {
	CallID string          `json:"callId"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"` // as they came
	Origin Origin          `json:"origin"`
	// Approved is set when the caller approved the call with its request.
	Approved bool `json:"approved,omitempty"`
}

// ToolStarted is durable before a call with side effects runs. A call that
// has it and no ToolCompleted may or may not have happened.
type ToolStarted struct {
	CallID  string `json:"callId"`
	Attempt int    `json:"attempt"` // from 1
}

// Status is how a call ended.
type Status string

// The ends of a call. Every requested call gets exactly one.
const (
	StatusOK        Status = "ok"
	StatusError     Status = "error"     // the tool ran and reported an error
	StatusDenied    Status = "denied"    // an approval was refused or missing
	StatusCancelled Status = "cancelled" // the caller gave up
	StatusInvalid   Status = "invalid"   // unknown tool or arguments the schema refuses
	StatusLost      Status = "lost"      // the runtime died; it may or may not have happened
)

// ToolCompleted is the one result of a call.
type ToolCompleted struct {
	CallID            string          `json:"callId"`
	Status            Status          `json:"status"`
	Content           []Block         `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Error             *Error          `json:"error,omitempty"`
	Truncated         *Truncated      `json:"truncated,omitempty"`
	DurationMs        int64           `json:"durationMs"`
}

// Error is a failure as a stable code and a sentence.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Truncated says that content was cut, and how big it was.
type Truncated struct {
	Bytes int64 `json:"bytes"` // before the cut
}

// Block is one piece of content, shaped as in the Model Context Protocol.
//
// A text has Text. An image or audio has Data and MimeType. A resource is a
// file that came along: URI, MimeType and either Text or Data. A
// resource_link only names one: URI, Name and perhaps MimeType.
type Block struct {
	Type     string `json:"type"` // text, image, audio, resource or resource_link
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"` // base64
	MimeType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
}

// MarshalJSON keeps the text of a text block also when it is empty. Whether <,
// > and & are escaped is up to the encoder around it.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Type == "text" {
		return plainJSON(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{b.Type, b.Text})
	}
	type plain Block
	return plainJSON(plain(b))
}

func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Text is a text block. Bytes of s that are not UTF-8 are encoded as U+FFFD,
// as JSON has no way to carry them.
func Text(s string) Block { return Block{Type: "text", Text: s} }

// Notice is something a person should know that is not part of the work.
type Notice struct {
	Level string `json:"level"` // "info" or "warning"
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// Unknown is an event of a kind this version does not know, kept as it came.
type Unknown struct {
	Kind string
	Raw  json.RawMessage // empty if it came without data
}

// MarshalJSON gives back the data the event came with.
func (u Unknown) MarshalJSON() ([]byte, error) {
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

// Type implements [Data].
func (SessionStarted) Type() string { return "session.started" }

// Type implements [Data].
func (SessionDeleted) Type() string { return "session.deleted" }

// Type implements [Data].
func (ToolRequested) Type() string { return "tool.requested" }

// Type implements [Data].
func (ToolStarted) Type() string { return "tool.started" }

// Type implements [Data].
func (ToolCompleted) Type() string { return "tool.completed" }

// Type implements [Data].
func (Notice) Type() string { return "notice" }

// Type implements [Data].
func (u Unknown) Type() string { return u.Kind }

func (SessionStarted) sealed() {}
func (SessionDeleted) sealed() {}
func (ToolRequested) sealed()  {}
func (ToolStarted) sealed()    {}
func (ToolCompleted) sealed()  {}
func (Notice) sealed()         {}
func (Unknown) sealed()        {}

// DecodeData decodes the data of an event of the given kind.
func DecodeData(kind string, raw json.RawMessage) (Data, error) {
	switch kind {
	case "session.started":
		return decode[SessionStarted](kind, raw)
	case "session.deleted":
		return decode[SessionDeleted](kind, raw)
	case "tool.requested":
		return decode[ToolRequested](kind, raw)
	case "tool.started":
		return decode[ToolStarted](kind, raw)
	case "tool.completed":
		return decode[ToolCompleted](kind, raw)
	case "notice":
		return decode[Notice](kind, raw)
	}
	return Unknown{Kind: kind, Raw: raw}, nil
}

func decode[T Data](kind string, raw json.RawMessage) (Data, error) {
	var d T
	if len(raw) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return d, nil
}
