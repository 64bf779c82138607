package event

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Frame is what a follower gets between events while something is under
// way. Frames are no events: they have no seq, are not stored and move no
// cursor. One that is missed is made good by the event that completes what it
// was part of.
type Frame interface {
	// Type is the frame's name on the wire.
	Type() string
	frame()
}

// A Piece is some text of a part. Pieces of one part, of one attempt, come in
// order; a follower that joins late gets the beginning as one piece first.
type Piece struct {
	Turn string `json:"turn"`
	Place
	Offset int64  `json:"offset"` // bytes of UTF-8 in the part before Text
	Text   string `json:"text"`
}

// MessageDelta is text of a message.completed to come.
type MessageDelta struct{ Piece }

// ReasoningDelta is text of a reasoning.completed to come.
type ReasoningDelta struct{ Piece }

// ToolOutput is what a running call has put out so far. Its attempt is the
// call's and its offset counts from the beginning of that attempt.
type ToolOutput struct {
	CallID string `json:"callId"`
	Piece
}

// Reset says that an attempt of a step has ended without a result: what
// frames told of it is void.
type Reset struct {
	Turn    string `json:"turn"`
	Step    int    `json:"step"`
	Attempt int    `json:"attempt"`
}

// Heartbeat says that the stream is alive.
type Heartbeat struct{}

// UnknownFrame is a frame of a type that this version does not know. Who
// follows a stream passes over it.
type UnknownFrame struct{ Kind string }

// Type implements [Frame].
func (MessageDelta) Type() string { return "message.delta" }

// Type implements [Frame].
func (ReasoningDelta) Type() string { return "reasoning.delta" }

// Type implements [Frame].
func (ToolOutput) Type() string { return "tool.output" }

// Type implements [Frame].
func (Reset) Type() string { return "reset" }

// Type implements [Frame].
func (Heartbeat) Type() string { return "heartbeat" }

// Type implements [Frame].
func (f UnknownFrame) Type() string { return f.Kind }

func (MessageDelta) frame()   {}
func (ReasoningDelta) frame() {}
func (ToolOutput) frame()     {}
func (Reset) frame()          {}
func (Heartbeat) frame()      {}
func (UnknownFrame) frame()   {}

// AppendFrame appends f as one line of JSON, without the newline: an object
// whose first field is its type.
func AppendFrame(b []byte, f Frame) []byte {
	b = appendString(append(b, `{"type":`...), f.Type())
	fields, _ := plainJSON(f) // strings and numbers cannot fail to encode
	if _, unknown := f.(UnknownFrame); !unknown && len(fields) > len("{}") {
		return append(append(b, ','), fields[1:]...)
	}
	return append(b, '}')
}

// DecodeFrame decodes a line of a stream that is a frame. It reports false
// for a line that is none: an event, which has a seq.
func DecodeFrame(line []byte) (f Frame, ok bool, err error) {
	if bytes.HasPrefix(line, []byte(`{"v":`)) {
		return nil, false, nil
	}
	var head struct {
		Type string          `json:"type"`
		Seq  json.RawMessage `json:"seq"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, false, fmt.Errorf("decode frame: %w", err)
	}
	if head.Seq != nil {
		return nil, false, nil
	}
	switch head.Type {
	case "message.delta":
		f, err = decodeFrame[MessageDelta](line)
	case "reasoning.delta":
		f, err = decodeFrame[ReasoningDelta](line)
	case "tool.output":
		f, err = decodeFrame[ToolOutput](line)
	case "reset":
		f, err = decodeFrame[Reset](line)
	case "heartbeat":
		f = Heartbeat{}
	default:
		f = UnknownFrame{Kind: head.Type}
	}
	if err != nil {
		return nil, false, fmt.Errorf("decode frame %s: %w", head.Type, err)
	}
	return f, true, nil
}

func decodeFrame[F Frame](line []byte) (Frame, error) {
	var f F
	err := json.Unmarshal(line, &f)
	return f, err
}
