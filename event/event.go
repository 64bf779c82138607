// Package event is the vocabulary of a session's event stream: one struct for
// each kind of event, a sealed interface over them, and the JSON codec.
//
// A session is an append-only stream of events. The vocabulary only ever
// grows: a stream written by any earlier version stays readable, and a kind
// that this version does not know decodes to [Unknown]. The order in which
// events follow each other is part of the contract of their kinds; [Check]
// holds a stream against it. What a follower sees between events while
// something is under way are frames, see [Frame].
//
// What this package has written comes back byte for byte when it is decoded
// and encoded again, unknown kinds included. A field that a later version
// added to a kind known here does not: decoding ignores it, so that it is
// gone from what is encoded again. Who passes events on therefore passes on
// the bytes that were stored, as [Redact] returns them.
//
// JSON from elsewhere keeps its value, the order of its keys and the digits of
// its numbers; the space between its tokens goes, <, > and & are written as \u
// escapes by encoders that escape HTML, and bytes in strings that are not
// UTF-8 become U+FFFD. An encoded event is always one line.
package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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

// envelope is the JSON form; MarshalJSON writes the fields in this order.
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

// MarshalJSON encodes the envelope; a nil Data needs a Blob. Text stays as it
// is: what is special in HTML is not escaped.
func (e Event) MarshalJSON() ([]byte, error) {
	at := e.At.UTC()
	if y := at.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("encode event %d: the year %d has no four digits", e.Seq, y)
	}
	// Every event of every session passes here, so the envelope is written
	// without reflection.
	v := e.V
	if v == 0 {
		v = Version
	}
	b := make([]byte, 0, 512)
	b = strconv.AppendInt(append(b, `{"v":`...), int64(v), 10)
	b = strconv.AppendInt(append(b, `,"seq":`...), e.Seq, 10)
	b = appendString(append(b, `,"id":`...), e.ID)
	b = append(at.AppendFormat(append(b, `,"at":"`...), timeFormat), '"')
	b = appendString(append(b, `,"type":`...), e.Type())
	if e.Turn != "" {
		b = appendString(append(b, `,"turn":`...), e.Turn)
	}
	if e.By != "" {
		b = appendString(append(b, `,"by":`...), e.By)
	}
	unknown, _ := e.Data.(Unknown)
	var err error
	switch {
	case e.Blob != nil:
		b, err = appendValue(append(b, `,"blob":`...), e.Blob)
	case e.Data == nil:
		return nil, fmt.Errorf("encode event %d: no data", e.Seq)
	case unknown.Kind != "" && len(unknown.Raw) == 0: // it came without any
	default:
		b, err = appendValue(append(b, `,"data":`...), e.Data)
	}
	if err != nil {
		return nil, fmt.Errorf("encode event %d (%s): %w", e.Seq, e.Type(), err)
	}
	return append(b, '}'), nil
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			// A string cannot fail to encode.
			quoted, _ := appendValue(b, s)
			return quoted
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendValue appends the JSON of v.
func appendValue(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return b, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
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

// SeqOf returns the number that an event encoded by this package begins with,
// without decoding it, and 0 if b does not begin as one.
func SeqOf(b []byte) int64 {
	rest, ok := bytes.CutPrefix(b, []byte(`{"v":`))
	if !ok {
		return 0
	}
	version, rest, ok := bytes.Cut(rest, []byte(`,"seq":`))
	if !ok || len(version) == 0 || bytes.ContainsFunc(version, notDigit) {
		return 0
	}
	var seq int64
	for i, c := range rest {
		switch {
		case c == ',' && i > 0:
			return seq
		case notDigit(rune(c)) || seq > (math.MaxInt64-9)/10:
			return 0
		}
		seq = seq*10 + int64(c-'0')
	}
	return 0
}

func notDigit(r rune) bool { return r < '0' || r > '9' }
