package sqlitestore

import (
	"bytes"
	"database/sql/driver"
	"errors"

	"agsh.dev/internal/session"
)

// A writer owns the connection that writes. Its goroutine takes whatever
// appends wait and stores them with one commit.
type writer struct {
	store *Store
	conn  *conn
	queue chan *request
	done  chan struct{} // closed when run has returned

	nextRow    int64 // of table lines
	nextNumber int64 // of table sessions
	// known has the sessions written lately. Nobody else writes to the file,
	// so what it says is so until a commit fails.
	known map[string]*known
}

// A request is one append and where its outcome goes.
type request struct {
	batch session.Batch
	err   error
	done  chan struct{}
}

// known is what the writer must know of a session to append to it.
type known struct {
	number int64
	row    session.Row // without State, Active and Open
	tail   []posting
}

const (
	maxGroup = 512      // appends in a commit
	maxKnown = 4096     // sessions remembered
	maxLine  = 32 << 10 // bytes after which a row of lines takes no more records
)

func newWriter(s *Store, c *conn) *writer {
	return &writer{
		store: s, conn: c,
		queue: make(chan *request, maxGroup),
		done:  make(chan struct{}),
		known: make(map[string]*known),
	}
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

// append returns when b is stored or refused. It must not be called after
// stop.
func (w *writer) append(b session.Batch) error {
	r := &request{batch: b, done: make(chan struct{})}
	w.queue <- r
	<-r.done
	return r.err
}

// stop lets run finish the queue and waits for it.
func (w *writer) stop() {
	close(w.queue)
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	group := make([]*request, 0, maxGroup)
	for r := range w.queue {
		group = append(group[:0], r)
		// Whoever is about to append after the last commit joins this one.
		for len(group) < maxGroup {
			select {
			case r, ok := <-w.queue:
				if ok {
					group = append(group, r)
					continue
				}
			default:
			}
			break
		}
		w.commit(group)
		clear(group)
	}
}

// commit stores the batches of group that nothing speaks against. If the
// commit itself fails, all of them fail.
func (w *writer) commit(group []*request) {
	nextRow, nextNumber := w.nextRow, w.nextNumber
	err := w.conn.transaction("BEGIN IMMEDIATE", func() error {
		for _, r := range group {
			err := w.write(&r.batch)
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
		close(r.done)
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
	k := &known{row: session.Row{Session: id}}
	err := w.conn.query(selectSession, func(v []driver.Value) (err error) {
		k.number = integer(v[0])
		k.row.LastSeq, k.row.Agent, k.row.Owner = integer(v[1]), text(v[2]), text(v[3])
		k.row.Status, k.row.Created, k.row.TokenHash = session.Status(text(v[4])), moment(v[5]), text(v[6])
		k.tail, err = decodePostings(nil, bytesOf(v[7]))
		return err
	}, id)
	if err != nil {
		return nil, err
	}
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
		if err := w.conn.exec(insertLine, w.nextRow, lines); err != nil {
			return err
		}
		k.tail = append(k.tail, posting{seq: records[0].Seq, row: w.nextRow})
		w.nextRow++
		if len(k.tail) == chunkSize {
			if err := w.conn.exec(insertChunk, chunkKey(k.number, k.tail[0].seq), encodePostings(k.tail)); err != nil {
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

// writeRow replaces the session's row, as little of it as will do.
func (w *writer) writeRow(k *known, r session.Row, fresh bool) error {
	state := r.State
	if state == nil {
		state = []byte{}
	}
	args := []driver.Value{r.LastSeq, r.Active.UnixMilli(), int64(r.Open), state, encodePostings(k.tail)}
	fixed := []driver.Value{r.Agent, r.Owner, string(r.Status), r.Created.UnixMilli(), r.TokenHash}
	same := k.row.Agent == r.Agent && k.row.Owner == r.Owner && k.row.Status == r.Status &&
		k.row.Created.UnixMilli() == r.Created.UnixMilli() && k.row.TokenHash == r.TokenHash
	k.row = r
	k.row.State = nil
	switch {
	case fresh:
		return w.conn.exec(insertSession, append(append(args, fixed...), k.number, r.Session)...)
	case same:
		return w.conn.exec(moveSession, append(args, k.number)...)
	default:
		return w.conn.exec(updateSession, append(append(args, fixed...), k.number)...)
	}
}

// purge removes what the log holds of a session.
func (w *writer) purge(k *known) error {
	low, high := chunkKeys(k.number)
	postings, err := findPostings(w.conn, k.number, 1, k.row.LastSeq, k.tail)
	if err != nil {
		return err
	}
	if err := w.conn.exec(deleteLines, rowSet(postings)); err != nil {
		return err
	}
	if err := w.conn.exec(deleteChunks, low, high); err != nil {
		return err
	}
	k.tail = k.tail[:0]
	return w.conn.exec(deleteBlobs, k.number)
}
