// Package sqlitestore keeps sessions in one SQLite file.
//
// One append commits at a time, for all that wait for it. Reads have
// connections of their own and never wait for a write.
package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"modernc.org/sqlite"

	"agsh.dev/internal/session"
)

// Config tunes a store; the zero value is good.
type Config struct {
	// Readers is the number of connections for reads; 0 means 4.
	Readers int
	// maxPages stands in for a full disk in tests.
	maxPages int
}

// A Store is a session.Store in a directory that it has to itself.
type Store struct {
	path    string
	lock    *os.File
	tails   session.Tails
	writer  *writer
	readers chan *conn
	size    int // of the reader pool

	mu     sync.RWMutex // guards closed; held for reading while a call enters
	closed bool
	calls  sync.WaitGroup // calls under way
}

var _ session.Store = (*Store)(nil)

// Pragmas of every connection, and of the writer's. The write-ahead log is
// synced on every commit. It is started over once it has walPages pages,
// unless a read that began before is still going on. That it is soon is good
// for syncs: they are quicker while the file need not grow.
const walPages = 1000

var (
	pragmas       = []string{"busy_timeout = 5000", "mmap_size = 0", "cache_size = -2000", "temp_store = MEMORY"}
	writerPragmas = []string{
		"journal_mode = WAL", "synchronous = FULL", "cache_size = -8000",
		fmt.Sprintf("wal_autocheckpoint = %d", walPages), "journal_size_limit = 67108864",
	}
)

// Open opens the sessions in dir, which it makes if need be, and locks them
// for this process; a [*LockedError] says who has them. Close the store to
// unlock.
func Open(dir string, cfg Config) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if errors.Is(err, syscall.EEXIST) {
			err = syscall.ENOTDIR
		}
		return nil, fmt.Errorf("open sessions in %s: %w: %s", dir, err, fix(err))
	}
	f, err := lock(dir, filepath.Join(dir, "sessions.lock"))
	if err != nil {
		return nil, err
	}
	s := &Store{path: filepath.Join(dir, "sessions.db"), lock: f, size: cfg.Readers}
	if err := s.open(cfg); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// open connects to the file. What it opened before an error is closed by
// release.
func (s *Store) open(cfg Config) error {
	// SQLite gives its side files the mode of the main one.
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w: %s", s.path, err, fix(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("open %s: %w", s.path, err)
	}
	// As SQLite is usually built on Linux. It is as durable as fsync for a
	// log, and spares a journal write. Elsewhere nothing changes.
	_, _ = sqlite.Fdatasync(true)

	c, err := dial(s.path, pragmas...)
	if err != nil {
		return s.fault("open", err)
	}
	s.writer = newWriter(s, c)
	if err := claim(c); err != nil {
		return s.fault("open", err)
	}
	for _, p := range writerPragmas {
		if err := c.exec("PRAGMA " + p); err != nil {
			return s.fault("open", err)
		}
	}
	if cfg.maxPages > 0 {
		if err := c.exec(fmt.Sprintf("PRAGMA max_page_count = %d", cfg.maxPages)); err != nil {
			return s.fault("open", err)
		}
	}
	if err := s.writer.start(); err != nil {
		return s.fault("open", err)
	}
	if s.size <= 0 {
		s.size = 4
	}
	s.readers = make(chan *conn, s.size)
	for range s.size {
		r, err := dial(s.path, append(pragmas, "query_only = ON")...)
		if err != nil {
			return s.fault("open", err)
		}
		s.readers <- r
	}
	return nil
}

// fault names the file, and the fix when err is one of SQLite's.
func (s *Store) fault(doing string, err error) error {
	if _, ok := errors.AsType[*sqlite.Error](err); ok {
		return fmt.Errorf("%s %s: %w: %s", doing, s.path, err, fix(err))
	}
	return fmt.Errorf("%s %s: %w", doing, s.path, err)
}

// Close implements session.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	s.tails.Close()
	s.calls.Wait()
	return s.release()
}

// release closes the connections that are there, and unlocks.
func (s *Store) release() error {
	var err error
	if s.readers != nil {
		for len(s.readers) > 0 {
			err = errors.Join(err, (<-s.readers).close())
		}
	}
	if s.writer != nil {
		// The last connection to close folds the write-ahead log away.
		err = errors.Join(err, s.writer.conn.close())
	}
	return errors.Join(err, unlock(s.lock))
}

// enter counts a call that Close has to wait for; leave by s.calls.Done.
func (s *Store) enter(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return session.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.calls.Add(1)
	return nil
}

// Append implements session.Store.
func (s *Store) Append(ctx context.Context, b session.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.writer.append(&b)
}

// Wait implements session.Store.
func (s *Store) Wait(ctx context.Context, id string, after int64) error {
	return s.tails.Wait(ctx, id, after, func() (last int64, err error) {
		err = s.read(ctx, func(c *conn) (err error) {
			last, err = c.integer(selectLast, id)
			return err
		})
		return last, err
	})
}
