// Package vfs is the file tree an agent sees: one interface with eight verbs,
// and trees that implement it.
//
// Paths are absolute, slash-separated and rooted at "/"; see [Normalize].
package vfs

import (
	"context"
	"iter"
)

// A FileSystem is a tree of files under "/". Every verb takes any path that
// [Normalize] accepts and yields normalized ones. Implementations are safe
// for concurrent use and pass vfstest.Run.
//
// A walk is sorted by the bytes of full paths, stops as soon as its consumer
// does, and ends at its first error. It follows links in the path it starts
// from, as Stat and Read do, and enters no link to a directory that it meets;
// what leads nowhere, and what is neither a file nor a directory, it leaves
// out. What it meets on its way and cannot read is passed over.
// Errors are [*PathError].
type FileSystem interface {
	// List yields what is directly in the directory prefix, by path. A
	// missing path, and a file, yield nothing.
	List(ctx context.Context, prefix string) iter.Seq2[DirEntry, error]
	// Stat describes path. A missing path is Kind Missing, not an error.
	Stat(ctx context.Context, path string) (FileInfo, error)
	// Glob yields the files and directories under dir whose path relative to
	// dir matches pattern, by path. "*.go" matches only directly in dir; "**"
	// is any number of directories, none included; {a,b} are alternatives;
	// wildcards match names that begin with a dot; a slash at the end asks
	// for directories. No ".." leads out of dir: it is [ErrInvalidGlob].
	Glob(ctx context.Context, pattern, dir string) iter.Seq2[DirEntry, error]
	// Read returns the bytes of a text or image file (jpeg, png, gif, webp).
	// Other binary content is an error that says so, and so is more than
	// 64 MiB; a missing path is [ErrNotFound].
	Read(ctx context.Context, path string) ([]byte, error)
	// Grep yields matching lines, and context lines if asked for, by path,
	// then line. It passes over files with a NUL byte in their first 8 KiB,
	// and over a byte order mark.
	// A missing path yields nothing.
	Grep(ctx context.Context, q GrepQuery) iter.Seq2[GrepResult, error]
	// Write creates or replaces a file, whole or not at all.
	Write(ctx context.Context, path string, contents []byte) error
	// Delete removes a file; a missing path is [ErrNotFound].
	Delete(ctx context.Context, path string) error
	// Search yields by score, best first, then path. A tree without an index
	// yields nothing.
	Search(ctx context.Context, q SearchQuery) iter.Seq2[SearchResult, error]
}

// Kind is what a path is.
type Kind string

// The kinds of path.
const (
	KindMissing Kind = "missing"
	KindFile    Kind = "file"
	KindDir     Kind = "dir"
)

// A DirEntry is one step of a List or Glob walk.
type DirEntry struct {
	Path string
	Kind Kind
	Link bool // reached through a link, which walks do not enter
}

// FileInfo is what Stat tells.
type FileInfo struct {
	Path string // as the tree names it
	Kind Kind
	Size int64 // bytes, of a file
}

// A GrepQuery selects lines.
type GrepQuery struct {
	Pattern    string // RE2 syntax, as package regexp; it sees one line at a time
	Path       string // file or directory; "" means "/"
	Glob       string // only files that match; without a slash it is about the base name, at any depth; with one at its end, all below
	IgnoreCase bool
	Before     int // lines of context
	After      int
	MaxResults int // stop after this many matching lines; 0 means all
}

// A GrepResult is one line.
type GrepResult struct {
	Path    string
	Line    int    // from 1
	Text    string // without its line end; valid UTF-8, other bytes are U+FFFD
	Context bool   // the line is context and did not match
}

// A SearchQuery asks an index.
type SearchQuery struct {
	Query      string
	Paths      []string // only under these; none means everywhere
	MaxResults int      // 0 means 10
}

// A SearchResult is one hit of an index.
type SearchResult struct {
	Path  string
	Line  int // from 1; 0 when the hit is the whole file
	Text  string
	Score float64
}
