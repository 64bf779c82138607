package vfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// A Root is what a tree needs of a folder on disk. Names are relative to the
// folder, "." is the folder itself, and the methods are those of [*os.Root],
// which is the implementation that keeps links inside.
type Root interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	MkdirAll(name string, perm fs.FileMode) error
	Rename(oldname, newname string) error
	Remove(name string) error
}

// Folder is a writable tree over a folder on disk; see [Dir].
type Folder struct {
	walker
	disk *disk
}

var _ FileSystem = (*Folder)(nil)

// Dir returns the host folder root as a tree. Nothing outside the folder can
// be reached: a link that leads out, or that is absolute, is missing to Stat
// and to walks, and an error to Read and Write. Links to files are shown as
// files. Write makes the directories above a file, replaces a file at once,
// keeps its mode, and writes through a link. Delete removes a link and not
// what it leads to. Close ends the tree.
func Dir(root string) (*Folder, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open root folder: %w", err)
	}
	return FromRoot(r), nil
}

// FromRoot is [Dir] over any Root; how far links lead is the Root's business.
func FromRoot(r Root) *Folder {
	d := &disk{root: r}
	// os keeps its "path escapes" error to itself; asking for the parent of
	// the root brings it out.
	_, err := r.Lstat("..")
	if escape, ok := errors.AsType[*fs.PathError](err); ok {
		d.escapes = escape.Err
	}
	return &Folder{walker: walker{src: d}, disk: d}
}

// Close releases the folder. The tree cannot be used afterwards.
func (f *Folder) Close() error {
	if c, ok := f.disk.root.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Write implements [FileSystem].
func (f *Folder) Write(ctx context.Context, path string, contents []byte) error {
	return change(ctx, "write", path, func(p string) error {
		err := f.disk.bare(f.disk.write(name(p), contents))
		switch {
		case errors.Is(err, syscall.ENOTDIR):
			return ErrNotDir
		case errors.Is(err, ErrLeavesRoot):
			return err
		case errors.Is(err, fs.ErrNotExist): // "not found" is no answer to a write
			return fmt.Errorf("%w: %w", ErrWriteFailed, err)
		}
		return err
	})
}

// Delete implements [FileSystem].
func (f *Folder) Delete(ctx context.Context, path string) error {
	return change(ctx, "delete", path, func(p string) error { return f.disk.remove(name(p)) })
}

// disk is a source over a Root.
type disk struct {
	root    Root
	escapes error // what root says of a path that leads out; may be nil
}

// name is a normalized path as a Root has it.
func name(p string) string {
	if p == "/" {
		return "."
	}
	return p[1:]
}

func (d *disk) readDir(_ context.Context, dir string) ([]DirEntry, error) {
	f, err := d.openFile(name(dir))
	if err != nil {
		return nil, d.absent(err)
	}
	found, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, d.absent(err)
	}
	out := make([]DirEntry, 0, len(found))
	for _, e := range found {
		entry := DirEntry{Path: join(dir, e.Name()), Kind: kindOf(e.Type()), Link: e.Type()&fs.ModeSymlink != 0}
		if entry.Link {
			info, err := d.root.Stat(name(entry.Path))
			if err != nil {
				continue // leads nowhere, or out
			}
			entry.Kind = kindOf(info.Mode())
		}
		if entry.Kind != KindMissing {
			out = append(out, entry)
		}
	}
	return out, nil
}

func (d *disk) stat(_ context.Context, p string) (FileInfo, error) {
	info, err := d.root.Stat(name(p))
	if err != nil {
		if err = d.absent(err); errors.Is(err, fs.ErrNotExist) {
			return FileInfo{Kind: KindMissing}, nil
		}
		return FileInfo{}, err
	}
	out := FileInfo{Kind: kindOf(info.Mode())}
	if out.Kind == KindFile {
		out.Size = info.Size()
	}
	return out, nil
}

func (d *disk) open(_ context.Context, p string) (io.ReadCloser, error) {
	f, err := d.openFile(name(p))
	if err != nil {
		return nil, d.absent(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, d.absent(errors.Join(err, f.Close()))
	}
	// Only a file that could keep a reader waiting takes a deadline.
	return &diskFile{File: f, disk: d, waits: f.SetReadDeadline(time.Time{}) == nil}, nil
}

// A diskFile is read without waiting. Some files of /proc and /sys say that
// they are regular but hold a reader until the kernel has more to say.
type diskFile struct {
	*os.File
	disk  *disk
	waits bool
}

// patience is how long a read waits for the kernel.
const patience = 100 * time.Millisecond

func (f *diskFile) Read(b []byte) (int, error) {
	if f.waits {
		if err := f.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return 0, f.disk.absent(err)
		}
	}
	n, err := f.File.Read(b)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EAGAIN):
		return n, ErrNotRegular
	}
	return n, f.disk.absent(err)
}

// openFile opens without waiting: a named pipe would block until it is written.
func (d *disk) openFile(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// remove deletes the file or the link to one at name.
func (d *disk) remove(name string) error {
	info, err := d.root.Stat(name)
	if err == nil {
		err = regular(info)
	}
	if err == nil {
		err = d.root.Remove(name)
	}
	return d.absent(err)
}

// absent is bare for the verbs that look: a path that nothing can be at is
// ErrNotFound.
func (d *disk) absent(err error) error {
	err = d.bare(err)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a device that is not there
		return ErrNotRegular
	}
	for _, e := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if errors.Is(err, e) && !errors.Is(err, ErrLeavesRoot) {
			return ErrNotFound
		}
	}
	return err
}

// bare takes the host's path out of an error.
func (d *disk) bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	if d.escapes != nil && errors.Is(err, d.escapes) {
		return ErrLeavesRoot
	}
	return err
}

// kindOf is the kind of a file by its mode; a device or pipe is not part of a
// tree.
func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsDir():
		return KindDir
	case m.IsRegular():
		return KindFile
	}
	return KindMissing
}

// regular refuses what is not a regular file.
func regular(info fs.FileInfo) error {
	switch kindOf(info.Mode()) {
	case KindFile:
		return nil
	case KindDir:
		return ErrIsDir
	default:
		return ErrNotRegular
	}
}
