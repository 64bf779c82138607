// Package session keeps the durable event log of conversations: the Store
// contract that storage adapters meet, the State that is folded from a log,
// and Log, the one writer of a session.
package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Record is one stored event: its sequence number and its encoded envelope.
type Record struct {
	Seq  int64
	Data []byte // JSON of an [event.Event] as it encodes itself, one line; at most event.MaxSize
}

// A Row is the projection of one session: what listing, binding and start-up
// need without reading the log. It is written in the transaction that appends
// the events it was folded from.
type Row struct {
	Session   string
	Agent     string // slug
	Owner     string // principal that started it
	Status    Status
	LastSeq   int64
	Created   time.Time
	Active    time.Time // of the last event before its deletion
	TokenHash string    // of the current continuation token; "" when it has none
	Open      int       // calls that have no result yet
	State     []byte    // JSON of what the folded [State] knows beyond this row
}

// Status is where a session stands.
type Status string

// The states of a session.
const (
	Idle    Status = "idle"
	Deleted Status = "deleted"
)

// A Batch is appended whole or not at all. Nobody may change it, or what it
// refers to, once it was given to a store.
type Batch struct {
	Session string
	// Expect is the session's last sequence number as the writer knows it; 0
	// creates the session. Records follow it without a gap.
	Expect  int64
	Records []Record
	// Row replaces the session's projection.
	Row Row
	// Blobs are content that the records refer to, by lower-case hex SHA-256.
	Blobs map[string][]byte
	// Purge removes every earlier record and blob of the session. The batch
	// is its tombstone: one record, and a row with status Deleted.
	Purge bool
}

// A Query selects sessions of one agent, newest activity first, and of those
// that were active at the same moment the one created last first.
type Query struct {
	Agent string
	// Open selects only sessions that have calls without a result. With it
	// Agent may be empty: sessions of every agent.
	Open bool
	// After continues a listing after this session, which may have been
	// deleted since; "" starts it.
	After string
	// Limit bounds the answer; 0 means 100.
	Limit int
}

// A Store keeps logs. Implementations are safe for concurrent use and pass
// sessiontest.Run. All its methods belong to one transaction domain, which is
// why it is wider than three methods: an append must move the log, the
// projection, the token index and the blobs together.
type Store interface {
	// Append makes b durable and visible, whole, before it returns nil. If
	// the session's last sequence number is not b.Expect it returns a
	// [*ConflictError] and stores nothing. After any other error the caller
	// must read the row again before it appends: the batch may be stored.
	// Concurrent appends share commits. Once it has begun, an append does not
	// end early because ctx does.
	Append(ctx context.Context, b Batch) error
	// Read returns records of session from seq on, in order. It ends where
	// the log does, after limit records, or with the record that brings them
	// to size bytes.
	// It returns [ErrNotFound] for a session that never was.
	Read(ctx context.Context, session string, from int64, limit, size int) ([]Record, error)
	// Get returns a session's row, a deleted one's too, or [ErrNotFound].
	Get(ctx context.Context, session string) (Row, error)
	// List returns rows by activity, newest first, deleted ones left out.
	List(ctx context.Context, q Query) ([]Row, error)
	// FindToken returns the row of the session whose current token has this
	// hash, or [ErrNotFound].
	FindToken(ctx context.Context, hash string) (Row, error)
	// Blob returns a session's content by hash, or [ErrNotFound].
	Blob(ctx context.Context, session, sha256 string) ([]byte, error)
	// Wait returns nil as soon as the session's last sequence number is
	// greater than after, and ctx's error when ctx ends first. A session
	// that is not there yet is waited for.
	Wait(ctx context.Context, session string, after int64) error
	// Close waits for calls under way and wakes those that wait. Later calls
	// return [ErrClosed].
	Close() error
}

// Errors of a [Store].
var (
	ErrNotFound = errors.New("session not found")
	ErrClosed   = errors.New("session store is closed")
)

// ErrDeleted refuses to append to a session that was deleted.
var ErrDeleted = errors.New("session was deleted")

// A ConflictError says that another writer appended first.
type ConflictError struct {
	Session string
	Expect  int64
	Last    int64 // what the store has
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("append to session %s after event %d: its last event is %d", e.Session, e.Expect, e.Last)
}
