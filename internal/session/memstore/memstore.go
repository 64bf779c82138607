// Package memstore keeps sessions in memory, for tests and throw-away runs.
package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"agsh.dev/internal/session"
)

// A Store is a session.Store in memory. Use New.
type Store struct {
	tails session.Tails

	mu       sync.RWMutex // guards what follows
	closed   bool
	sessions map[string]*stored
	created  int // sessions so far
}

var _ session.Store = (*Store)(nil)

// stored is all that is kept of one session.
type stored struct {
	row     session.Row
	order   int // of its creation
	records []session.Record
	blobs   map[string][]byte
}

// New returns an empty store.
func New() *Store { return &Store{sessions: make(map[string]*stored)} }

// Append implements session.Store.
func (s *Store) Append(ctx context.Context, b session.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.append(b); err != nil {
		return err
	}
	s.tails.Moved(b.Session, b.Row.LastSeq)
	return nil
}

func (s *Store) append(b session.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return session.ErrClosed
	}
	st := s.sessions[b.Session]
	if st == nil {
		st = &stored{}
	}
	if st.row.LastSeq != b.Expect {
		return &session.ConflictError{Session: b.Session, Expect: b.Expect, Last: st.row.LastSeq}
	}
	if st.order == 0 {
		s.created++
		st.order = s.created
		s.sessions[b.Session] = st
	}
	if b.Purge {
		st.records, st.blobs = nil, nil
	}
	st.row = b.Row
	st.records = append(st.records, b.Records...)
	if st.blobs == nil {
		st.blobs = make(map[string][]byte)
	}
	maps.Copy(st.blobs, b.Blobs)
	return nil
}

// get returns a session while s.mu is held.
func (s *Store) get(ctx context.Context, id string) (*stored, error) {
	if s.closed {
		return nil, session.ErrClosed
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	st := s.sessions[id]
	if st == nil {
		return nil, session.ErrNotFound
	}
	return st, nil
}

// Read implements session.Store.
func (s *Store) Read(ctx context.Context, id string, from int64, limit, size int) ([]session.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, err := s.get(ctx, id)
	if err != nil {
		return nil, err
	}
	i, _ := slices.BinarySearchFunc(st.records, from, func(r session.Record, seq int64) int {
		return cmp.Compare(r.Seq, seq)
	})
	var records []session.Record
	for _, r := range st.records[i:] {
		if len(records) >= limit || size <= 0 {
			break
		}
		records = append(records, r)
		size -= len(r.Data)
	}
	return records, nil
}

// Get implements session.Store.
func (s *Store) Get(ctx context.Context, id string) (session.Row, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, err := s.get(ctx, id)
	if err != nil {
		return session.Row{}, err
	}
	return st.row, nil
}

// List implements session.Store.
func (s *Store) List(ctx context.Context, q session.Query) ([]session.Row, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, session.ErrClosed
	}
	var after *stored
	if q.After != "" {
		var err error
		if after, err = s.get(ctx, q.After); err != nil {
			return nil, err
		}
	}
	var found []*stored
	for _, st := range s.sessions {
		if matches(st.row, q) && (after == nil || byActivity(st, after) > 0) {
			found = append(found, st)
		}
	}
	slices.SortFunc(found, byActivity)
	limit := q.Limit
	if limit <= 0 {
		limit = 100
	}
	var rows []session.Row
	for _, st := range found[:min(limit, len(found))] {
		rows = append(rows, st.row)
	}
	return rows, nil
}

func matches(r session.Row, q session.Query) bool {
	return r.Status != session.Deleted &&
		(r.Agent == q.Agent || q.Agent == "" && q.Open) &&
		(!q.Open || r.Open > 0)
}

// byActivity orders newest first.
func byActivity(a, b *stored) int {
	return cmp.Or(b.row.Active.Compare(a.row.Active), cmp.Compare(b.order, a.order))
}

// FindToken implements session.Store.
func (s *Store) FindToken(ctx context.Context, hash string) (session.Row, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return session.Row{}, session.ErrClosed
	}
	if ctx.Err() != nil {
		return session.Row{}, context.Cause(ctx)
	}
	for _, st := range s.sessions {
		if hash != "" && st.row.TokenHash == hash {
			return st.row, nil
		}
	}
	return session.Row{}, session.ErrNotFound
}

// Blob implements session.Store.
func (s *Store) Blob(ctx context.Context, id, sha256 string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, err := s.get(ctx, id)
	if err != nil {
		return nil, err
	}
	content, ok := st.blobs[sha256]
	if !ok {
		return nil, session.ErrNotFound
	}
	return content, nil
}

// Wait implements session.Store.
func (s *Store) Wait(ctx context.Context, id string, after int64) error {
	return s.tails.Wait(ctx, id, after, func() (int64, error) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if st := s.sessions[id]; st != nil {
			return st.row.LastSeq, nil
		}
		return 0, nil
	})
}

// Close implements session.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.tails.Close()
	return nil
}
