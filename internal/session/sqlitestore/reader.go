package sqlitestore

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"time"

	"agsh.dev/internal/session"
)

// read runs f with a connection for reads.
func (s *Store) read(ctx context.Context, f func(*conn) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	select {
	case c := <-s.readers:
		defer func() { s.readers <- c }()
		err := f(c)
		if err == nil || errors.Is(err, session.ErrNotFound) {
			return err
		}
		return s.fault("read", err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Read implements session.Store.
func (s *Store) Read(ctx context.Context, id string, from int64, limit, size int) ([]session.Record, error) {
	var records []session.Record
	err := s.read(ctx, func(c *conn) error {
		// One transaction, so that the row, the index and the log are of the
		// same moment.
		return c.transaction("BEGIN", func() (err error) {
			records, err = findRecords(c, id, max(from, 1), limit, size)
			return err
		})
	})
	return records, err
}

func findRecords(c *conn, id string, from int64, limit, size int) ([]session.Record, error) {
	h, err := findHead(c, id)
	if err != nil {
		return nil, err
	}
	last := h.row.LastSeq
	switch {
	case h.number == 0:
		return nil, session.ErrNotFound
	case h.row.Status == session.Deleted:
		from = max(from, last) // there is only the tombstone
	}
	if from > last || limit <= 0 || size <= 0 {
		return nil, nil
	}
	to := min(last, from+int64(limit)-1)
	postings, err := findPostings(c, h.number, from, to, h.tail)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	var records []session.Record
	err = lines(c, h.number, postings, func(seq int64, b []byte) (next int64, more bool) {
		for line := range bytes.SplitSeq(b, []byte{'\n'}) {
			if seq >= from && seq <= to && size > 0 {
				records = append(records, session.Record{Seq: seq, Data: line})
				size -= len(line)
			}
			seq++
		}
		return seq, size > 0
	})
	if reached := from + int64(len(records)) - 1; err == nil && size > 0 && reached < to {
		err = damaged("%d of its events %d to %d are in no row of the log", to-reached, from, to)
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return records, nil
}

// A head is what a session's row says about its log.
type head struct {
	number int64 // 0 if there is no such session
	row    session.Row
	tail   []posting
}

func findHead(c *conn, id string) (h head, err error) {
	err = c.query(selectHead, func(v []driver.Value) (err error) {
		h.number = integer(v[0])
		h.row = session.Row{
			Session: id, LastSeq: integer(v[1]), Agent: text(v[2]), Owner: text(v[3]), Status: session.Status(text(v[4])),
			Created: moment(v[5]), TokenHash: text(v[6]), Active: moment(v[7]), Open: int(integer(v[8])),
		}
		h.tail, err = decodePostings(nil, bytesOf(v[9]))
		return err
	}, id)
	return h, err
}

var errEnough = errors.New("enough was read")

// lines calls read for the row of the log at each posting, in order, until it
// wants no more. Read returns the seq that should follow. That the rows are
// what the postings say is checked.
func lines(c *conn, number int64, ps []posting, read func(seq int64, records []byte) (next int64, more bool)) error {
	if len(ps) == 0 {
		return nil
	}
	query, args := selectLines, []driver.Value{ps[0].row, ps[len(ps)-1].row}
	if scattered := ps[len(ps)-1].row-ps[0].row >= int64(len(ps)); scattered {
		query, args = selectScattered, []driver.Value{rowSet(ps)}
	}
	i, next := 0, ps[0].seq
	err := c.query(query, func(v []driver.Value) error {
		p := ps[i]
		switch row, owner := integer(v[0]), integer(v[1]); {
		case row != p.row:
			return damaged("row %d of the log, with event %d, is missing", p.row, p.seq)
		case owner != number:
			return damaged("row %d of the log, where event %d should be, belongs to another session", row, p.seq)
		case p.seq != next:
			return damaged("row %d of the log should begin with event %d and not %d", row, next, p.seq)
		}
		i++
		var more bool
		if next, more = read(p.seq, bytesOf(v[2])); !more {
			return errEnough
		}
		return nil
	}, args...)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && i != len(ps):
		return damaged("row %d of the log, with event %d, is missing", ps[i].row, ps[i].seq)
	}
	return err
}

// rowSet returns the rows of postings as a JSON array.
func rowSet(ps []posting) string {
	set := []byte{'['}
	for i, p := range ps {
		if i > 0 {
			set = append(set, ',')
		}
		set = strconv.AppendInt(set, p.row, 10)
	}
	return string(append(set, ']'))
}

// findPostings returns where the records from to to are, in order. The first may
// begin before from. Tail are those in the session's row.
func findPostings(c *conn, number, from, to int64, tail []posting) ([]posting, error) {
	var ps []posting
	if len(tail) == 0 || tail[0].seq > from {
		err := c.query(selectChunks, func(v []driver.Value) (err error) {
			n := len(ps)
			ps, err = decodePostings(ps, bytesOf(v[1]))
			if err == nil && (len(ps) == n || ps[n].seq != integer(v[0]) || n > 0 && ps[n].row <= ps[n-1].row) {
				err = errPostings
			}
			return err
		}, number, from, to)
		if err != nil {
			return nil, err
		}
	}
	ps = append(ps, tail...)
	begin := sort.Search(len(ps), func(i int) bool { return ps[i].seq > from })
	end := sort.Search(len(ps), func(i int) bool { return ps[i].seq > to })
	return ps[max(begin-1, 0):end], nil
}

// Get implements session.Store.
func (s *Store) Get(ctx context.Context, id string) (session.Row, error) {
	return s.row(ctx, selectRow, id)
}

// FindToken implements session.Store.
func (s *Store) FindToken(ctx context.Context, hash string) (session.Row, error) {
	return s.row(ctx, selectToken, hash)
}

func (s *Store) row(ctx context.Context, query, arg string) (session.Row, error) {
	rows, err := s.rows(ctx, query, arg)
	if err == nil && len(rows) == 0 {
		err = session.ErrNotFound
	}
	if err != nil {
		return session.Row{}, err
	}
	return rows[0], nil
}

// Blob implements session.Store.
func (s *Store) Blob(ctx context.Context, id, sha256 string) ([]byte, error) {
	var content []byte
	err := s.read(ctx, func(c *conn) error {
		found := false
		err := c.query(selectBlob, func(v []driver.Value) error {
			content, found = bytesOf(v[0]), true
			return nil
		}, id, sha256)
		if err == nil && !found {
			err = session.ErrNotFound
		}
		return err
	})
	return content, err
}

// List implements session.Store.
func (s *Store) List(ctx context.Context, q session.Query) ([]session.Row, error) {
	// Each condition is one of few constants, so the statements stay few.
	query, args := `SELECT `+rowColumns+` FROM sessions WHERE status <> 'deleted'`, []driver.Value{}
	where := func(condition string, values ...driver.Value) {
		query += " AND " + condition
		args = append(args, values...)
	}
	if q.Agent != "" || !q.Open {
		where("agent = ?", q.Agent)
	}
	if q.Open {
		where("open > 0")
	}
	if q.After != "" {
		if _, err := s.Get(ctx, q.After); err != nil {
			return nil, err
		}
		where("slot <= (SELECT slot FROM sessions WHERE session = ?)", q.After)
		where("(active, number) < (SELECT active, number FROM sessions WHERE session = ?)", q.After)
	}
	limit := int64(q.Limit)
	if limit <= 0 {
		limit = 100
	}
	return s.rows(ctx, query+" ORDER BY slot DESC, active DESC, number DESC LIMIT ?", append(args, limit)...)
}

func (s *Store) rows(ctx context.Context, query string, args ...driver.Value) ([]session.Row, error) {
	var rows []session.Row
	err := s.read(ctx, func(c *conn) error {
		return c.query(query, func(v []driver.Value) error {
			rows = append(rows, session.Row{
				Session: text(v[0]), Agent: text(v[1]), Owner: text(v[2]), Status: session.Status(text(v[3])),
				Created: moment(v[4]), TokenHash: text(v[5]), LastSeq: integer(v[6]),
				Active: moment(v[7]), Open: int(integer(v[8])), State: bytesOf(v[9]),
			})
			return nil
		}, args...)
	})
	return rows, err
}

func moment(v driver.Value) time.Time { return time.UnixMilli(integer(v)).UTC() }
