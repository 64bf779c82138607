package sqlitestore

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"time"

	"agsh.dev/internal/session"
)

// A writer owns the connection that writes. One commit stores whatever
// appends wait when it begins.
type writer struct {
	store *Store
	conn  *conn
	queue session.Queue[*request]

	// What follows belongs to the append that commits.

	nextRow    int64 // of table lines
	nextNumber int64 // of table sessions
	// known has the sessions written lately. Nobody else writes to the file,
	// so what it says is so until a commit fails.
	known map[string]*known
	// For reuse: an encoded tail, never nil, and the values of a row.
	tail []byte
	args []driver.Value
}

// A request is one append and its outcome.
type request struct {
	batch *session.Batch
	err   error
}

// known is what the writer must know of a session to append to it.
type known struct {
	number int64
	row    session.Row // without State
	tail   []posting
}

const (
	maxGroup = 512      // appends in a commit
	maxKnown = 4096     // sessions remembered
	maxLine  = 32 << 10 // bytes after which a row of lines takes no more records
)

func newWriter(s *Store, c *conn) *writer {
	return &writer{store: s, conn: c, known: make(map[string]*known), tail: []byte{}}
}

// start reads where the tables end.
func (w *writer) start() error {
	row, err := w.conn.integer("SELECT max(row) FROM lines")
	if err != nil {
		return err
	}
	number, err := w.conn.integer("SELECT max(number) FROM sessions")
	w.nextRow, w.nextNumber = row+1, number+1
	return err
}

// append returns when b is stored or refused.
func (w *writer) append(b *session.Batch) error {
	r := &request{batch: b}
	w.queue.Do(r, func(waiting []*request) int { return min(len(waiting), maxGroup) }, w.commit)
	return r.err
}

// commit stores the batches of group that nothing speaks against. If the
// commit itself fails, all of them fail.
func (w *writer) commit(group []*request) {
	nextRow, nextNumber := w.nextRow, w.nextNumber
	err := w.conn.transaction("BEGIN IMMEDIATE", func() error {
		for _, r := range group {
			err := w.write(r.batch)
			if _, ok := errors.AsType[*session.ConflictError](err); ok {
				r.err = err
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		clear(w.known)
		w.nextRow, w.nextNumber = nextRow, nextNumber
		err = w.store.fault("append to", err)
	}
	for _, r := range group {
		switch {
		case r.err != nil:
		case err != nil:
			r.err = err
		default:
			w.store.tails.Moved(r.batch.Session, r.batch.Row.LastSeq)
		}
	}
}

// write puts b into the open transaction. A conflict is found before anything
// is written.
func (w *writer) write(b *session.Batch) error {
	k, err := w.know(b.Session)
	if err != nil {
		return err
	}
	if k.row.LastSeq != b.Expect {
		return &session.ConflictError{Session: b.Session, Expect: b.Expect, Last: k.row.LastSeq}
	}
	fresh := k.number == 0
	if fresh {
		k.number = w.nextNumber
		w.nextNumber++
	}
	if b.Purge && !fresh {
		if err := w.purge(k); err != nil {
			return err
		}
	}
	if err := w.writeLines(k, b.Records); err != nil {
		return err
	}
	for sum, content := range b.Blobs {
		if content == nil {
			content = []byte{}
		}
		if err := w.conn.exec(insertBlob, k.number, sum, content); err != nil {
			return err
		}
	}
	return w.writeRow(k, b.Row, fresh)
}

// know returns what is known of a session; its number is 0 if there is none.
func (w *writer) know(id string) (*known, error) {
	if k := w.known[id]; k != nil {
		return k, nil
	}
	h, err := findHead(w.conn, id)
	if err != nil {
		return nil, err
	}
	k := &known{number: h.number, tail: h.tail, row: h.row}
	k.row.Session, k.row.State = id, nil
	if len(w.known) >= maxKnown {
		clear(w.known)
	}
	w.known[id] = k
	return k, nil
}

// writeLines appends records to the log, and a posting for each row they take.
func (w *writer) writeLines(k *known, records []session.Record) error {
	for len(records) > 0 {
		n, size := 1, len(records[0].Data)
		for n < len(records) && size < maxLine {
			size += len(records[n].Data) + 1
			n++
		}
		lines := records[0].Data
		if n > 1 {
			lines = join(records[:n], size)
		}
		if err := w.conn.exec(insertLine, w.nextRow, k.number, lines); err != nil {
			return err
		}
		k.tail = append(k.tail, posting{seq: records[0].Seq, row: w.nextRow})
		w.nextRow++
		if len(k.tail) == chunkSize {
			if err := w.conn.exec(insertChunk, k.number, k.tail[0].seq, appendPostings(nil, k.tail)); err != nil {
				return err
			}
			k.tail = k.tail[:0]
		}
		records = records[n:]
	}
	return nil
}

func join(records []session.Record, size int) []byte {
	var b bytes.Buffer
	b.Grow(size)
	for i, r := range records {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(r.Data)
	}
	return b.Bytes()
}

// writeRow replaces the session's row. Columns that an index has are left
// alone unless they change: each would cost the commit a page.
func (w *writer) writeRow(k *known, r session.Row, fresh bool) error {
	was := k.row
	k.row = r
	k.row.State = nil
	state := r.State
	if state == nil {
		state = []byte{}
	}
	w.tail = appendPostings(w.tail[:0], k.tail)
	args := append(w.args[:0], r.LastSeq, r.Active.UnixMilli(), state, w.tail)
	if fresh {
		args = append(args, slot(r.Active), int64(r.Open))
		args = appendFixed(args, &r)
		w.args = append(args, k.number, r.Session)
		return w.conn.exec(insertSession, w.args...)
	}
	query := moveSession
	if slot(r.Active) != slot(was.Active) {
		query, args = query+setSlot, append(args, slot(r.Active))
	}
	if r.Open != was.Open {
		query, args = query+setOpen, append(args, int64(r.Open))
	}
	if r.Agent != was.Agent || r.Owner != was.Owner || r.Status != was.Status ||
		r.TokenHash != was.TokenHash || !r.Created.Equal(was.Created) {
		query, args = query+setFixed, appendFixed(args, &r)
	}
	w.args = append(args, k.number)
	return w.conn.exec(query+whereNumber, w.args...)
}

// appendFixed appends the columns that few appends change.
func appendFixed(args []driver.Value, r *session.Row) []driver.Value {
	return append(args, r.Agent, r.Owner, string(r.Status), r.Created.UnixMilli(), r.TokenHash)
}

// slot is what the index by activity has of a moment: the second. Within it
// rows are sorted when they are listed, so that sessions in constant use move
// in the index once a second and not with every append.
func slot(t time.Time) int64 { return t.Unix() }

// purge removes what the log holds of a session.
func (w *writer) purge(k *known) error {
	postings, err := findPostings(w.conn, k.number, 1, k.row.LastSeq, k.tail)
	if err != nil {
		return err
	}
	if err := w.conn.exec(deleteLines, rowSet(postings), k.number); err != nil {
		return err
	}
	if err := w.conn.exec(deleteChunks, k.number); err != nil {
		return err
	}
	k.tail = k.tail[:0]
	return w.conn.exec(deleteBlobs, k.number)
}
