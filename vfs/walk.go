package vfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"syscall"
)

// source is the least a tree can be: what is at one path. Paths are
// normalized; errors that wrap fs.ErrNotExist mean nothing is there.
// Implementations are safe for concurrent use.
type source interface {
	// readDir returns what is directly in dir, in any order. A file holds
	// nothing.
	readDir(ctx context.Context, dir string) ([]DirEntry, error)
	// stat describes p; Path is left to the caller. A missing path is
	// KindMissing.
	stat(ctx context.Context, p string) (FileInfo, error)
	// open opens the file p. A directory is ErrIsDir.
	open(ctx context.Context, p string) (io.ReadCloser, error)
}

// walker makes the reading verbs of a FileSystem from a source.
type walker struct{ src source }

// Stat implements [FileSystem].
func (w walker) Stat(ctx context.Context, path string) (FileInfo, error) {
	p, err := normalize("stat", path)
	if err != nil {
		return FileInfo{}, err
	}
	var info FileInfo
	if err = ctx.Err(); err == nil {
		info, err = w.src.stat(ctx, p)
	}
	if err != nil {
		return FileInfo{}, pathError("stat", p, err)
	}
	info.Path = p
	return info, nil
}

// Read implements [FileSystem].
func (w walker) Read(ctx context.Context, path string) ([]byte, error) {
	p, err := normalize("read", path)
	if err != nil {
		return nil, err
	}
	data, err := w.content(ctx, p)
	if err == nil {
		err = readable(data)
	}
	if err != nil {
		return nil, pathError("read", p, err)
	}
	return data, nil
}

func (w walker) content(ctx context.Context, p string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := w.src.open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := io.LimitReader(readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(b)
	}), maxRead+1)
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(in, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return head[:n], nil
	}
	if err != nil {
		return nil, err
	}
	if ImageType(head) == "" && binary(head) {
		return nil, ErrBinary // without reading the rest
	}
	buf := bytes.NewBuffer(head)
	if _, err := buf.ReadFrom(in); err != nil {
		return nil, err
	}
	if buf.Len() > maxRead {
		return nil, ErrTooBig
	}
	return buf.Bytes(), nil
}

// maxRead is the most bytes that Read returns.
const maxRead = 64 << 20

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// List implements [FileSystem].
func (w walker) List(ctx context.Context, prefix string) iter.Seq2[DirEntry, error] {
	return func(yield func(DirEntry, error) bool) {
		dir, err := normalize("list", prefix)
		if err != nil {
			yield(DirEntry{}, err)
			return
		}
		entries, err := w.entries(ctx, dir)
		if err != nil {
			yield(DirEntry{}, pathError("list", dir, err))
			return
		}
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Search implements [FileSystem] for a tree without an index.
func (walker) Search(context.Context, SearchQuery) iter.Seq2[SearchResult, error] {
	return func(func(SearchResult, error) bool) {}
}

// entries returns what is directly in dir, by path; nothing if dir is
// missing or a file. Names that no path can hold are left out.
func (w walker) entries(ctx context.Context, dir string) ([]DirEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := w.src.readDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e DirEntry) bool { return !validName(e.Path) })
	slices.SortFunc(entries, func(a, b DirEntry) int { return strings.Compare(a.Path, b.Path) })
	return entries, nil
}

// errStop ends a walk whose consumer has had enough.
var errStop = errors.New("stop")

// visit is called for everything under a directory, in the order of paths.
// The error it returns ends the walk.
type visit func(DirEntry) error

// walk visits everything under dir, entering the directories that enter
// accepts. It enters no link, and passes over directories below dir that it
// cannot read.
func (w walker) walk(ctx context.Context, dir string, enter func(dir string) bool, fn visit) error {
	entries, err := w.entries(ctx, dir)
	if err != nil {
		return err
	}
	for _, s := range steps(entries) {
		if !s.enter {
			if err := fn(s.entry); err != nil {
				return err
			}
			continue
		}
		if !enter(s.entry.Path) {
			continue
		}
		err := w.walk(ctx, s.entry.Path, enter, fn)
		if err != nil && !passable(err) {
			return err
		}
	}
	return nil
}

// passable reports whether a walk goes on past what it met on its way and
// cannot read: err is about that one file and says nothing of the others. To
// be out of descriptors or memory is not.
func passable(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return false
		}
	}
	for _, e := range []error{fs.ErrPermission, fs.ErrNotExist, ErrNotRegular, ErrIsDir} {
		if errors.Is(err, e) {
			return true
		}
	}
	_, system := errors.AsType[syscall.Errno](err)
	return system
}

// A step of a walk through one directory: show an entry, or enter it.
type step struct {
	entry DirEntry
	enter bool
}

// steps puts a directory's sorted entries in an order that makes the whole
// walk sorted by path: a directory is shown at its name but entered at its
// name and a slash, so "a", "a-b", "a/x".
func steps(entries []DirEntry) []step {
	out := make([]step, 0, len(entries))
	var open []DirEntry // shown and not yet entered; each is a prefix of the next
	for _, e := range entries {
		for n := len(open) - 1; n >= 0 && open[n].Path+"/" < e.Path; n-- {
			out, open = append(out, step{open[n], true}), open[:n]
		}
		out = append(out, step{e, false})
		if e.Kind == KindDir && !e.Link {
			open = append(open, e)
		}
	}
	for _, e := range slices.Backward(open) {
		out = append(out, step{e, true})
	}
	return out
}
