package event

// SessionStarted is the first event of every session.
type SessionStarted struct {
	Agent      string `json:"agent"`                // slug
	ConfigHash string `json:"configHash,omitempty"` // of the agent's definition
	// TokenHash is the SHA-256 of the session's first continuation token, in
	// hex. It is stored and never served, see [Redact].
	TokenHash string `json:"tokenHash,omitempty"`
	// Scratch marks a session that was made for one direct call.
	Scratch bool `json:"scratch,omitempty"`
	// Parent is set in a subagent's session: the call that it works for.
	Parent *Parent `json:"parent,omitempty"`
}

// A Parent names the call, in another session, that started a subagent.
type Parent struct {
	Session string `json:"session"`
	Turn    string `json:"turn,omitempty"`
	CallID  string `json:"callId"`
}

// SessionEnded says that the session takes no more messages. Nothing is open
// when it is written, and only a session.deleted and notices follow.
type SessionEnded struct {
	Reason string `json:"reason,omitempty"` // for people
}

// SessionDeleted is the tombstone of a deleted session: the only event that
// is left of it, with the number it had. Who followed the session when it was
// deleted has it as the last event, whatever was open.
type SessionDeleted struct{}

// Notice is something a person should know that is not part of the work. It
// may stand anywhere.
type Notice struct {
	Level string `json:"level"` // "info" or "warning"
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// Type implements [Data].
func (SessionStarted) Type() string { return "session.started" }

// Type implements [Data].
func (SessionEnded) Type() string { return "session.ended" }

// Type implements [Data].
func (SessionDeleted) Type() string { return "session.deleted" }

// Type implements [Data].
func (Notice) Type() string { return "notice" }
