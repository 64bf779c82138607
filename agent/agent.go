// Package agent defines agents in Go. It holds values only and runs nothing:
// package runner serves what is defined here, and the agent-sdk command
// reads the same values from a folder.
package agent

import (
	"context"
	"encoding/json"
	"time"

	"agsh.dev/event"
	"agsh.dev/vfs"
)

// An Agent is everything the runtime needs to know of one agent.
type Agent struct {
	// Name is the agent's slug in URLs: ^[A-Za-z][A-Za-z0-9_-]{0,63}$.
	Name        string
	Description string
	// Instructions is the always-on system prompt.
	Instructions string
	// Model is nil until a turn needs one.
	Model *Model
	// Root is the file tree the agent's file tools see. Nil means the host
	// disk, with relative paths inside the session's workspace.
	Root vfs.FileSystem
	// Natives names the file tools made from Root, of Read, LS, Grep and
	// Glob. Nil, as in an Agent that does not mention them, means all four;
	// []string{} means none.
	Natives []string
	// Tools are tools written in Go.
	Tools []AnyTool
	// Executables are tools that are programs on disk.
	Executables []Executable
	// Commands and Requests are tools made of a command line or an HTTP
	// request.
	Commands []Command
	Requests []Request
	// Connections are MCP servers whose tools join the namespace.
	Connections []Connection
	// HostConnections are MCP servers that only tools may call, with
	// [CallHost].
	HostConnections []Connection
	// Skills are procedures for the model.
	Skills []Skill
	// Scripts is a folder, absolute, of programs that are put into the
	// workspaces of sessions, for the model to run; "" means none.
	Scripts string
	// ConfigHash identifies this definition in the event stream; empty is
	// allowed.
	ConfigHash string
}

// A Model names the language model of an agent.
type Model struct {
	Provider        string            `json:"provider"`
	Name            string            `json:"name"`
	BaseURL         string            `json:"baseUrl,omitempty"`
	APIKeyEnv       string            `json:"apiKeyEnv,omitempty"` // name of the variable, never the key
	ContextWindow   int               `json:"contextWindow,omitempty"`
	MaxOutputTokens int               `json:"maxOutputTokens,omitempty"`
	Reasoning       string            `json:"reasoning,omitempty"`
	Headers         map[string]string `json:"-"` // may hold secrets
}

// Effect says whether a tool changes anything outside itself.
type Effect string

// The two effects. A tool that declares none is taken to write.
const (
	Read  Effect = "read"
	Write Effect = "write"
)

// Approval says which calls of a tool wait for a person.
type Approval struct {
	// Mode is never, once (the first call of a session) or always; empty is
	// never. It must be empty beside When.
	Mode ApprovalMode
	// When, if not empty, asks only for calls in which every named field, a
	// property or a path of properties joined by dots, matches its glob. A
	// glob matches the whole value: * is any text, slashes and newlines
	// included, ? one character, [a-z] one of a set, {a,b} either, and \ takes
	// the next character as it is. A value that is not a string is matched as
	// its JSON.
	When map[string]string
}

// ApprovalMode is how often a tool asks.
type ApprovalMode string

// The modes of an [Approval].
const (
	Never  ApprovalMode = "never"
	Once   ApprovalMode = "once"
	Always ApprovalMode = "always"
)

// Display says how a surface may show a call.
type Display struct {
	Kind   string `json:"kind"` // read, search, edit, execute, fetch or other
	Detail string `json:"detail,omitempty"`
}

// A Definition is what every kind of tool has.
type Definition struct {
	Name        string
	Title       string
	Description string
	// Input and Output are JSON Schemas as authored: property order and
	// numbers are kept. Output may be nil.
	Input  json.RawMessage
	Output json.RawMessage
	// Effect is Write when empty.
	Effect        Effect
	NeedsApproval Approval
	// Timeout of one call; 0 means [DefaultTimeout].
	Timeout time.Duration
	Display *Display
}

// DefaultTimeout bounds a call of a tool that names no timeout.
const DefaultTimeout = 60 * time.Second

// An Executable is a tool that is a program: its arguments arrive as one JSON
// object on standard input, what it prints is the result.
type Executable struct {
	Definition
	// Path is the program, absolute.
	Path string
	// Env names the variables of the runtime's environment it may see.
	Env   []string
	Retry Retry
}

// Retry says when a read-only executable runs again.
type Retry struct {
	Attempts int   // in all; 0 and 1 both mean once
	On       []int // exit codes
}

// A Result is what a tool gives back, shaped as in the Model Context
// Protocol.
type Result struct {
	Content    []event.Block
	Structured json.RawMessage // nil, or one JSON object or array
	IsError    bool
	// Size, if not 0, says that Content is only a part of an output of this
	// many bytes.
	Size int64
}

// A Call identifies one call to the tool that runs it.
type Call struct {
	ID      string // call id
	Agent   string // slug
	Session string
	// Workspace is a directory of the session's own, absolute.
	Workspace string
	// Progress, if not nil, is told how far the call has come; see [Report].
	Progress func(Progress)
	// Host, if not nil, calls a tool of a host connection; see [CallHost].
	Host func(ctx context.Context, connection, tool string, args json.RawMessage) (Result, error)
}

type callKey struct{}

// WithCall returns a context that carries call; the runtime makes it.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallFrom returns the call that ctx belongs to. It reports false outside a
// tool's run.
func CallFrom(ctx context.Context) (Call, bool) {
	call, ok := ctx.Value(callKey{}).(Call)
	return call, ok
}
