// Package api is what a client and a served agent say to each other over
// HTTP: the bodies of requests and answers, the error shape, and a [Client].
package api

import (
	"encoding/json"
	"time"

	"agsh.dev/event"
)

// Agents is the answer of GET /.
type Agents struct {
	Agents []AgentRef `json:"agents"`
}

// An AgentRef is one agent a server serves.
type AgentRef struct {
	Slug        string `json:"slug"`
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Info is the answer of GET /{agent}/v1/info: the manifest as authored.
type Info struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Model       *Model           `json:"model,omitempty"`
	Tools       []InfoTool       `json:"tools"`
	Skills      []Skill          `json:"skills"`
	Connections []InfoConnection `json:"connections"`
	Diagnostics []Diagnostic     `json:"diagnostics"`
}

// Skill is a procedure the agent's model may look up.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// InfoConnection is an MCP server in the manifest.
type InfoConnection struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Host marks one that only the agent's own tools may call.
	Host bool `json:"host,omitempty"`
}

// Model names an agent's model.
type Model struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
}

// InfoTool is an authored tool in the manifest.
type InfoTool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Effect      string `json:"effect"`
	Source      Source `json:"source"`
}

// A Diagnostic is something discovery found that does not stop the agent.
type Diagnostic struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ToolList is the answer of GET /{agent}/v1/tools: the live namespace.
type ToolList struct {
	Tools []ToolEntry `json:"tools"`
	// Session is the one the listing is bound to, if any.
	Session     string        `json:"session,omitempty"`
	Unavailable []Unavailable `json:"unavailable"`
	// Diagnostics tell of tools that are listed under another name than
	// usual, or not at all.
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	// ETag is the version of the namespace, from the answer's header.
	ETag string `json:"-"`
}

// ToolEntry is one line of a listing.
type ToolEntry struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Source Source `json:"source"`
}

// Source says where a tool comes from.
type Source struct {
	Kind       string `json:"kind"` // native, authored or connection
	Connection string `json:"connection,omitempty"`
	Connector  string `json:"connector,omitempty"`
}

// Unavailable is a connection whose tools are missing, and why.
type Unavailable struct {
	Connection string `json:"connection"`
	Error      string `json:"error"`
}

// ToolDetail is the answer of GET /{agent}/v1/tools/{name}.
type ToolDetail struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Effect       string          `json:"effect,omitempty"`
	// Approval is "never", "once", "always" or {"when":{field: glob}}.
	Approval json.RawMessage `json:"approval,omitempty"`
	Source   Source          `json:"source"`
	Display  *Display        `json:"display,omitempty"`
	// ETag is the version of the whole namespace, from the answer's header.
	ETag string `json:"-"`
}

// Display says how a surface may show a call.
type Display struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
}

// CallRequest is the body of POST /{agent}/v1/tools/{name}.
type CallRequest struct {
	// Args are the tool's arguments, one JSON object; absent means {}.
	Args json.RawMessage `json:"args,omitempty"`
	// Session is an id or "latest"; at most one of Session and
	// ContinuationToken is given. With neither the call gets a session of its
	// own.
	Session           string `json:"session,omitempty"`
	ContinuationToken string `json:"continuationToken,omitempty"`
	// Approve allows a call that needs approval; for operators.
	Approve bool `json:"approve,omitempty"`
	// OnProgress, if set, is told how far the call has come, in order and
	// before the call returns.
	OnProgress func(Progress) `json:"-"`
}

// Progress is how far a call has come, as its tool reports it. A server sends
// it, as a line of its own before the result, to a caller that accepts
// application/x-ndjson.
type Progress struct {
	Type     string  `json:"type"` // "progress"
	Progress float64 `json:"progress"`
	// Total is 0 when it is not known.
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"` // untrusted text
}

// CallEnd is the last line of an answer that began with [Progress]: the
// result, or the error that the call ended with.
type CallEnd struct {
	Type   string      `json:"type"` // "result" or "error"
	ETag   string      `json:"etag,omitempty"`
	Result *CallResult `json:"result,omitempty"`
	Error  *Error      `json:"error,omitempty"`
}

// CallResult is the answer to a call that went through the gate, also when
// the tool reports an error.
type CallResult struct {
	Session           string           `json:"session"`
	CallID            string           `json:"callId"`
	Content           []event.Block    `json:"content"`
	StructuredContent json.RawMessage  `json:"structuredContent,omitempty"`
	IsError           bool             `json:"isError"`
	Truncated         *event.Truncated `json:"truncated,omitempty"`
	ETag              string           `json:"-"`
}

// NewSession is the answer of POST /{agent}/v1/sessions.
type NewSession struct {
	Session           string `json:"session"`
	ContinuationToken string `json:"continuationToken"`
}

// SessionList is the answer of GET /{agent}/v1/sessions.
type SessionList struct {
	Sessions []Session `json:"sessions"`
	// Next continues the listing as ?after=; absent on the last page.
	Next string `json:"next,omitempty"`
}

// Session is what the API tells of one session.
type Session struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Status  string    `json:"status"`
	Owner   string    `json:"owner,omitempty"`
	Created time.Time `json:"created"`
	Active  time.Time `json:"active"`
	LastSeq int64     `json:"lastSeq"`
	// OpenCalls is how many calls have no result yet.
	OpenCalls int  `json:"openCalls"`
	Scratch   bool `json:"scratch,omitempty"`
	// ContinuationToken is told only of a single session, to its owner and
	// to operators.
	ContinuationToken string `json:"continuationToken,omitempty"`
}

// Deleted is the answer of DELETE /{agent}/v1/sessions/{id}.
type Deleted struct {
	Session string `json:"session"`
	Status  string `json:"status"` // "deleted"
}

// Heartbeat is the line a follower gets when nothing happens. It is no
// event: it has no seq and is not stored.
type Heartbeat struct {
	Type string `json:"type"` // "heartbeat"
}

// Latest stands for the session with the newest activity.
const Latest = "latest"
