// Package event is the vocabulary of a session's event stream: one struct for
// each kind of event, a sealed interface over them, and the JSON codec.
//
// A session is an append-only stream of events. The vocabulary only ever
// grows: a stream written by any earlier version stays readable, and a kind
// that this version does not know decodes to [Unknown].
//
// What this package has written comes back byte for byte when it is decoded
// and encoded again, unknown kinds included. JSON from elsewhere keeps its
// value, the order of its keys and the digits of its numbers; the space
// between its tokens goes, <, > and & are written as \u escapes, and bytes in
// strings that are not UTF-8 become U+FFFD. An encoded event is always one
// line.
package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the envelope version this package writes.
const Version = 1

// MaxSize is the most bytes one stored event may take, envelope included.
// What is bigger is kept as a [Blob] beside the log.
const MaxSize = 256 << 10

// An Event is one entry of a session's stream: the envelope around one
// [Data]. Once stored, an event never changes.
type Event struct {
	// V is the envelope version; 0 encodes as [Version].
	V int
	// Seq counts from 1 within the session, without gaps. It is given by the
	// log when the event is appended.
	Seq int64
	// ID is "evt_" and letters and digits, unique everywhere.
	ID string
	// At is when the event was appended, kept to the millisecond, in UTC.
	At time.Time
	// Turn is the turn the event belongs to, or empty.
	Turn string
	// By is the principal that caused the event, or empty for the runtime.
	By string
	// Data is what happened. It is nil only in a stored event whose data is
	// in a blob.
	Data Data
	// Blob, when set, says where the encoded Data is kept. Events handed to
	// clients never have it: the log resolves it on read.
	Blob *Blob
	// kind is the type of an event whose data is in a blob.
	kind string
}

// A Blob names content kept beside the log by its hash.
type Blob struct {
	SHA256 string `json:"sha256"` // lower-case hex
	Size   int64  `json:"size"`   // bytes
}

// Type is the event's kind on the wire, such as "tool.completed".
func (e *Event) Type() string {
	if e.Data != nil {
		return e.Data.Type()
	}
	return e.kind
}

// envelope is the JSON form; the order of its fields is the order on the wire.
type envelope struct {
	V    int             `json:"v"`
	Seq  int64           `json:"seq"`
	ID   string          `json:"id"`
	At   string          `json:"at"`
	Type string          `json:"type"`
	Turn string          `json:"turn,omitempty"`
	By   string          `json:"by,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	Blob *Blob           `json:"blob,omitempty"`
}

// timeFormat is RFC 3339 with exactly three digits of a second.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON encodes the envelope; a nil Data needs a Blob.
func (e Event) MarshalJSON() ([]byte, error) {
	env := envelope{
		V: e.V, Seq: e.Seq, ID: e.ID, At: e.At.UTC().Format(timeFormat),
		Type: e.Type(), Turn: e.Turn, By: e.By, Blob: e.Blob,
	}
	if env.V == 0 {
		env.V = Version
	}
	if y := e.At.UTC().Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("encode event %d: the year %d has no four digits", e.Seq, y)
	}
	unknown, _ := e.Data.(Unknown)
	switch {
	case e.Blob != nil:
	case e.Data == nil:
		return nil, fmt.Errorf("encode event %d: no data", e.Seq)
	case unknown.Kind != "" && len(unknown.Raw) == 0: // it came without any
	default:
		data, err := json.Marshal(e.Data)
		if err != nil {
			return nil, fmt.Errorf("encode event %d (%s): %w", e.Seq, env.Type, err)
		}
		env.Data = data
	}
	return json.Marshal(env)
}

// UnmarshalJSON decodes an envelope and its data. A kind that is not known
// becomes [Unknown].
func (e *Event) UnmarshalJSON(b []byte) error {
	var env envelope
	if err := json.Unmarshal(b, &env); err != nil {
		return fmt.Errorf("decode event: %w", err)
	}
	at, err := time.Parse(time.RFC3339, env.At)
	if err != nil {
		return fmt.Errorf("decode event %d: %w", env.Seq, err)
	}
	*e = Event{V: env.V, Seq: env.Seq, ID: env.ID, At: at.UTC(), Turn: env.Turn, By: env.By, Blob: env.Blob, kind: env.Type}
	if env.Blob != nil {
		return nil
	}
	e.Data, err = DecodeData(env.Type, env.Data)
	if err != nil {
		return fmt.Errorf("decode event %d: %w", env.Seq, err)
	}
	return nil
}

// Spill returns e with its data replaced by a reference to blob.
func (e Event) Spill(blob Blob) Event {
	e.kind, e.Data, e.Blob = e.Type(), nil, &blob
	return e
}

// Resolve returns e with its data decoded from the bytes of its blob.
func (e Event) Resolve(data []byte) (Event, error) {
	d, err := DecodeData(e.kind, data)
	if err != nil {
		return e, fmt.Errorf("decode event %d from its blob: %w", e.Seq, err)
	}
	e.Data, e.Blob = d, nil
	return e, nil
}
