package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"agsh.dev/event"
)

// spillSize is the most bytes an event keeps in the log itself. What is
// bigger would slow every reader that only passes by.
const spillSize = 64 << 10

// The data of an envelope is its last field, and no string before it can hold
// these bytes unescaped: their first match is the field itself.
var (
	dataField = []byte(`,"data":`)
	blobField = []byte(`,"blob":{"sha256":"`)
)

// encode returns the stored form of e, and the content of its blob if its
// data was spilled into one, else nil.
func encode(e event.Event) (record []byte, blob event.Blob, content []byte, err error) {
	record, err = e.MarshalJSON()
	if err != nil || len(record) <= spillSize {
		return record, blob, nil, err
	}
	if i := bytes.Index(record, dataField); i >= 0 {
		content = record[i+len(dataField) : len(record)-1]
	}
	blob = event.Blob{SHA256: sum(content), Size: int64(len(content))}
	record, err = e.Spill(blob).MarshalJSON()
	if err == nil && len(record) > event.MaxSize {
		err = fmt.Errorf("encode event %d (%s): its envelope alone has %d bytes, at most %d fit", e.Seq, e.Type(), len(record), event.MaxSize)
	}
	return record, blob, content, err
}

// sum returns the SHA-256 of b in lower-case hex.
func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// spilled returns the blob that a stored record refers to, and where in the
// record the reference begins. It decodes only records that may have one.
func spilled(record []byte) (blob event.Blob, at int, ok bool) {
	at = bytes.LastIndex(record[max(0, len(record)-160):], blobField)
	if at < 0 {
		return blob, 0, false
	}
	at += max(0, len(record)-160)
	var env struct {
		Blob *event.Blob `json:"blob"`
	}
	if json.Unmarshal(record, &env) != nil || env.Blob == nil {
		return blob, 0, false
	}
	return *env.Blob, at, true
}

// unspill returns the record as it would have been with its data inside.
func unspill(record []byte, at int, content []byte) []byte {
	whole := make([]byte, 0, at+len(dataField)+len(content)+1)
	whole = append(whole, record[:at]...)
	whole = append(whole, dataField...)
	whole = append(whole, content...)
	return append(whole, '}')
}

// redact returns a session's first record without what is stored but never
// served.
func redact(first []byte) ([]byte, error) {
	var e event.Event
	if err := e.UnmarshalJSON(first); err != nil {
		return nil, err
	}
	d, ok := e.Data.(event.SessionStarted)
	if !ok {
		return nil, fmt.Errorf("it is %s and not the start of a session", e.Type())
	}
	d.TokenHash = ""
	e.Data = d
	return e.MarshalJSON()
}
