package model

import (
	"encoding/json"

	"agsh.dev/event"
)

// A Message is one entry of a conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// Role is whose message it is.
type Role string

// The roles, and the parts their messages have.
const (
	User      Role = "user"      // Text, File
	Assistant Role = "assistant" // Text, Reasoning, ToolCall
	ToolRole  Role = "tool"      // ToolResult
)

// A Part is a piece of a message: [Text], [File], [Reasoning], [ToolCall] or
// [ToolResult].
type Part interface{ part() }

// Text is what someone says.
type Text struct{ Text string }

// File is an image or another file that a user sends along.
type File struct {
	Name     string // may be empty
	MimeType string
	Data     string // base64
}

// Reasoning is what a model thought before it spoke.
type Reasoning struct {
	Text string
	// Opaque is what the provider wants back with the next request, or nil.
	// Only the codec that made it can read it.
	Opaque json.RawMessage
}

// ToolCall is a model's wish to have a tool run.
type ToolCall struct {
	// ID is the provider's, unchanged: in a Response it may be empty or one
	// that was there before. In a Request it is neither.
	ID   string
	Name string
	// Args is always JSON: what the model wrote, byte for byte; {} if it wrote
	// nothing; and if that was no JSON, its text as a JSON string, which no
	// tool's schema accepts.
	Args json.RawMessage
}

// ToolResult is what came of a call.
type ToolResult struct {
	CallID  string
	Content []event.Block
	IsError bool
}

func (Text) part()       {}
func (File) part()       {}
func (Reasoning) part()  {}
func (ToolCall) part()   {}
func (ToolResult) part() {}

// Arguments returns the arguments of a call whose text is written, as
// [ToolCall] has them.
func Arguments(written string) json.RawMessage {
	if isBlank(written) {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(written)) {
		return json.RawMessage(written)
	}
	quoted, _ := json.Marshal(written) // a string always has its JSON
	return quoted
}

func isBlank(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return false
		}
	}
	return true
}
