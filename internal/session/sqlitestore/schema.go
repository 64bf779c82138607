package sqlitestore

import (
	"database/sql/driver"
	"fmt"
)

// applicationID marks a database file as ours: "agsh".
const applicationID = 0x61677368

// schemaVersion is of the tables below. A file with a newer one was written by
// a newer version of the program and is not touched.
const schemaVersion = 1

// The log of all sessions is one table, lines, that only grows at its end. A
// row holds records of one append, a line each, in order. So a commit writes
// few pages however many sessions it is for; with a table ordered by session
// every session would cost a page, which made commits for 64 sessions three
// times slower.
//
// Where a session's lines are is told by its postings (see posting): the last
// few in its own row, which an append rewrites anyway, the others in chunks of
// chunkSize. The key of a chunk is number<<32 | seq of its first record.
var schema = []string{
	`CREATE TABLE sessions (
		number     INTEGER PRIMARY KEY,
		session    TEXT NOT NULL UNIQUE,
		agent      TEXT NOT NULL,
		owner      TEXT NOT NULL,
		status     TEXT NOT NULL,
		created    INTEGER NOT NULL, -- milliseconds
		token_hash TEXT NOT NULL,
		last_seq   INTEGER NOT NULL,
		active     INTEGER NOT NULL, -- milliseconds
		open       INTEGER NOT NULL,
		state      BLOB NOT NULL,
		tail       BLOB NOT NULL     -- postings that are in no chunk yet
	)`,
	`CREATE INDEX sessions_by_activity ON sessions (agent, active, open) WHERE status <> 'deleted'`,
	`CREATE INDEX sessions_by_token ON sessions (token_hash) WHERE token_hash <> ''`,
	`CREATE TABLE lines (
		row     INTEGER PRIMARY KEY,
		records BLOB NOT NULL
	)`,
	`CREATE TABLE chunks (
		key      INTEGER PRIMARY KEY,
		postings BLOB NOT NULL
	)`,
	`CREATE TABLE blobs (
		number  INTEGER NOT NULL,
		sha256  TEXT NOT NULL,
		content BLOB NOT NULL,
		UNIQUE (number, sha256)
	)`,
	fmt.Sprintf("PRAGMA application_id = %d", applicationID),
	fmt.Sprintf("PRAGMA user_version = %d", schemaVersion),
}

// claim makes the tables in a new file, and refuses a file that is not ours
// to write before anything in it is changed.
func claim(c *conn) error {
	id, err := c.integer("PRAGMA application_id")
	if err != nil {
		return err
	}
	version, err := c.integer("PRAGMA user_version")
	if err != nil {
		return err
	}
	tables, err := c.integer("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && tables == 0:
		return c.transaction("BEGIN IMMEDIATE", func() error {
			for _, s := range schema {
				if err := c.exec(s); err != nil {
					return err
				}
			}
			return nil
		})
	case id != applicationID:
		return fmt.Errorf("it is the database of another program (application id %#x): move it away, or use another state directory", id)
	case version > schemaVersion:
		return fmt.Errorf("its schema version is %d and this program knows up to %d: use the newer version of the program that wrote it", version, schemaVersion)
	case version < 1:
		return fmt.Errorf("its schema version %d was never in use: restore it from a copy, or move it away", version)
	}
	return nil
}

// The statements of the store.
const (
	rowColumns = `session, agent, owner, status, created, token_hash, last_seq, active, open, state`

	selectSession = `SELECT number, last_seq, agent, owner, status, created, token_hash, tail FROM sessions WHERE session = ?`
	insertSession = `INSERT INTO sessions (last_seq, active, open, state, tail, agent, owner, status, created, token_hash, number, session)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// moveSession is what most appends need; it leaves the token index alone.
	moveSession   = `UPDATE sessions SET last_seq = ?, active = ?, open = ?, state = ?, tail = ? WHERE number = ?`
	updateSession = `UPDATE sessions SET last_seq = ?, active = ?, open = ?, state = ?, tail = ?,
		agent = ?, owner = ?, status = ?, created = ?, token_hash = ? WHERE number = ?`

	insertLine  = `INSERT INTO lines (row, records) VALUES (?, ?)`
	insertChunk = `INSERT INTO chunks (key, postings) VALUES (?, ?)`
	insertBlob  = `INSERT OR IGNORE INTO blobs (number, sha256, content) VALUES (?, ?, ?)`

	deleteLines  = `DELETE FROM lines WHERE row IN (SELECT value FROM json_each(?))`
	deleteChunks = `DELETE FROM chunks WHERE key BETWEEN ? AND ?`
	deleteBlobs  = `DELETE FROM blobs WHERE number = ?`

	selectLines     = `SELECT records FROM lines WHERE row BETWEEN ? AND ? ORDER BY row`
	selectScattered = `SELECT records FROM lines WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row`
	// selectChunks starts at the last chunk that begins at or before a seq.
	selectChunks = `SELECT postings FROM chunks WHERE key >= coalesce(
		(SELECT max(key) FROM chunks WHERE key BETWEEN ?1 AND ?2), ?1) AND key <= ?3 ORDER BY key`
	selectBlob  = `SELECT content FROM blobs WHERE number = (SELECT number FROM sessions WHERE session = ?) AND sha256 = ?`
	selectRow   = `SELECT ` + rowColumns + ` FROM sessions WHERE session = ?`
	selectLast  = `SELECT last_seq FROM sessions WHERE session = ?`
	selectToken = `SELECT ` + rowColumns + ` FROM sessions WHERE token_hash = ? AND token_hash <> '' LIMIT 1`
)

// chunkKeys returns the least and the greatest key of a session's chunks.
func chunkKeys(number int64) (low, high int64) {
	return chunkKey(number, 0), chunkKey(number+1, 0) - 1
}

func chunkKey(number, seq int64) int64 { return number<<32 | seq }

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

func bytesOf(v driver.Value) []byte {
	b, _ := v.([]byte)
	return b
}
