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
// row holds records of one append of one session, a line each, in order. So a
// commit writes few pages however many sessions it is for; with a table
// ordered by session every session would cost a page, which made commits for
// 64 sessions three times slower.
//
// Where a session's lines are is told by its postings (see posting): the last
// few in its own row, which an append rewrites anyway, the others in chunks.
//
// One append, of events 41 and 42 of session ses_a which has number 7, when
// rows of lines go up to 900, is
//
//	INSERT INTO lines VALUES (901, 7, '{"v":1,"seq":41,…}\n{"v":1,"seq":42,…}')
//	UPDATE sessions SET last_seq = 42, active = …, state = …, tail = …+(41, 901) WHERE number = 7
//
// and, if that makes 32 postings in tail which begin with event 9,
//
//	INSERT INTO chunks VALUES (7, 9, <all of tail>)   -- and tail is then empty
//
// What always holds between commits:
//
//   - Rows of lines are appended, and deleted when their session is purged,
//     but never rewritten. Their numbers may be used again after that.
//   - The number of a session is never used again: its row stays as a tombstone.
//   - A record begins with {"v":1,"seq":N, and N goes up by one from each
//     record of a session to the next, in the order of their rows.
//   - Every row of lines has one posting. They ascend in seq and in row over
//     the chunks of a session by seq, and then its tail.
//   - A chunk has chunkSize postings and begins with event seq. A tail has less.
//
// So postings repeat what lines know: reading compares the two, and lost
// postings can be made again from
//
//	SELECT row, records FROM lines WHERE number = 7 ORDER BY row
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
		slot       INTEGER NOT NULL, -- active in seconds
		open       INTEGER NOT NULL,
		state      BLOB NOT NULL,
		tail       BLOB NOT NULL     -- postings that are in no chunk yet
	)`,
	`CREATE INDEX sessions_by_activity ON sessions (agent, slot) WHERE status <> 'deleted'`,
	`CREATE INDEX sessions_by_token ON sessions (token_hash) WHERE token_hash <> ''`,
	`CREATE INDEX sessions_open ON sessions (number) WHERE open > 0`,
	`CREATE TABLE lines (
		row     INTEGER PRIMARY KEY,
		number  INTEGER NOT NULL,
		records BLOB NOT NULL
	)`,
	`CREATE TABLE chunks (
		number   INTEGER NOT NULL,
		seq      INTEGER NOT NULL,
		postings BLOB NOT NULL,
		PRIMARY KEY (number, seq)
	) WITHOUT ROWID`,
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

	selectHead    = `SELECT number, last_seq, agent, owner, status, created, token_hash, active, open, tail FROM sessions WHERE session = ?`
	insertSession = `INSERT INTO sessions (last_seq, active, state, tail, slot, open, agent, owner, status, created, token_hash, number, session)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// moveSession is what every append needs; some set more columns.
	moveSession = `UPDATE sessions SET last_seq = ?, active = ?, state = ?, tail = ?`
	setSlot     = `, slot = ?`
	setOpen     = `, open = ?`
	setFixed    = `, agent = ?, owner = ?, status = ?, created = ?, token_hash = ?`
	whereNumber = ` WHERE number = ?`

	insertLine  = `INSERT INTO lines (row, number, records) VALUES (?, ?, ?)`
	insertChunk = `INSERT INTO chunks (number, seq, postings) VALUES (?, ?, ?)`
	insertBlob  = `INSERT OR IGNORE INTO blobs (number, sha256, content) VALUES (?, ?, ?)`

	deleteLines  = `DELETE FROM lines WHERE row IN (SELECT value FROM json_each(?)) AND number = ?`
	deleteChunks = `DELETE FROM chunks WHERE number = ?`
	deleteBlobs  = `DELETE FROM blobs WHERE number = ?`

	selectLines     = `SELECT row, number, records FROM lines WHERE row BETWEEN ? AND ? ORDER BY row`
	selectScattered = `SELECT row, number, records FROM lines WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row`
	// selectChunks starts at the last chunk that begins at or before a seq.
	selectChunks = `SELECT seq, postings FROM chunks WHERE number = ?1 AND seq <= ?3 AND seq >= coalesce(
		(SELECT max(seq) FROM chunks WHERE number = ?1 AND seq <= ?2), 0) ORDER BY seq`
	selectBlob  = `SELECT content FROM blobs WHERE number = (SELECT number FROM sessions WHERE session = ?) AND sha256 = ?`
	selectRow   = `SELECT ` + rowColumns + ` FROM sessions WHERE session = ?`
	selectLast  = `SELECT last_seq FROM sessions WHERE session = ?`
	selectToken = `SELECT ` + rowColumns + ` FROM sessions WHERE token_hash = ? AND token_hash <> '' LIMIT 1`
)

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
