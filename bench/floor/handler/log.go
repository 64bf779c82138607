package main

import (
	"database/sql"

	"modernc.org/sqlite"
)

// A log stores the same events for every call. One goroutine commits for all
// calls that wait.
type log struct {
	db     *sql.DB
	insert *sql.Stmt
	events [][]byte
	queue  chan chan error
}

// maxGroup is the most calls one commit serves.
const maxGroup = 512

// The settings are those that make SQLite durable and fast, the same that a
// careful server uses.
var setup = []string{
	"PRAGMA journal_mode = WAL",
	"PRAGMA synchronous = FULL",
	"PRAGMA wal_autocheckpoint = 1000",
	"PRAGMA cache_size = -8000",
	"CREATE TABLE events (seq INTEGER PRIMARY KEY, data BLOB NOT NULL)",
}

func openLog(path string, events [][]byte) (*log, error) {
	_, _ = sqlite.Fdatasync(true)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, s := range setup {
		if _, err := db.Exec(s); err != nil { //nolint:noctx // at start
			return nil, err
		}
	}
	insert, err := db.Prepare("INSERT INTO events (data) VALUES (?)") //nolint:noctx // at start
	if err != nil {
		return nil, err
	}
	return &log{db: db, insert: insert, events: events, queue: make(chan chan error, maxGroup)}, nil
}

// append returns once the events are durable.
func (l *log) append() error {
	done := make(chan error, 1)
	l.queue <- done
	return <-done
}

func (l *log) run() {
	group := make([]chan error, 0, maxGroup)
	for first := range l.queue {
		group = append(group[:0], first)
	drain:
		for len(group) < maxGroup {
			select {
			case done := <-l.queue:
				group = append(group, done)
			default:
				break drain
			}
		}
		err := l.commit(len(group))
		for _, done := range group {
			done <- err
		}
	}
}

func (l *log) commit(calls int) error {
	tx, err := l.db.Begin() //nolint:noctx // a commit is not cancelled half way
	if err != nil {
		return err
	}
	insert := tx.Stmt(l.insert) //nolint:noctx,sqlclosecheck // the transaction closes it
	for range calls {
		for _, e := range l.events {
			if _, err := insert.Exec(e); err != nil { //nolint:noctx // as above
				_ = tx.Rollback()
				return err
			}
		}
	}
	return tx.Commit()
}
