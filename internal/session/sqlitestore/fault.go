package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// fixes say what to do about SQLite's primary result codes.
var fixes = map[int]string{
	sqlite3.SQLITE_FULL:     "the disk is full: free some space, then try again",
	sqlite3.SQLITE_READONLY: "make the file and its directory writable",
	sqlite3.SQLITE_PERM:     "make the file and its directory writable",
	sqlite3.SQLITE_CANTOPEN: "make the file and its directory readable and writable",
	sqlite3.SQLITE_IOERR:    "check the disk",
	sqlite3.SQLITE_CORRUPT:  "the file is damaged: restore it from a copy, or move it away to start empty",
	sqlite3.SQLITE_NOTADB:   "it is not a session database: move it away, or use another state directory",
	sqlite3.SQLITE_BUSY:     "another program holds the file: close it",
}

// damaged is an error about what the tables say, as opposed to SQLite's own.
func damaged(format string, args ...any) error {
	return fmt.Errorf(format+": the file is damaged, restore it from a copy", args...)
}

// fix says what to do about err.
func fix(err error) string {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		if f := fixes[e.Code()&0xff]; f != "" {
			return f
		}
	}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is in the way: move it, or use another state directory"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fixes[sqlite3.SQLITE_FULL]
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fixes[sqlite3.SQLITE_READONLY]
	}
	return "check the state directory"
}
