// Package hostdisk is the file tree of an agent that was given none: the disk
// of the machine it runs on.
package hostdisk

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"agsh.dev/vfs"
)

// Disk is the whole host disk. Absolute paths are as they are, relative ones
// count from the working directory it was made with, and results have
// absolute host paths. Links lead wherever they lead, and walks enter none
// that they meet. Unlike other trees it makes an error of a Grep below a path
// that is not there.
type Disk struct {
	files *vfs.Folder
	cwd   string
}

var _ vfs.FileSystem = (*Disk)(nil)

// New returns the host disk with cwd, an absolute path, as working directory.
func New(cwd string) *Disk {
	return &Disk{files: vfs.FromRoot(machine{}), cwd: cwd}
}

// abs is a path from the top of the disk.
func (d *Disk) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	// Not cleaned yet: vfs.Normalize has the last word on what is a path.
	return d.cwd + "/" + path
}

// List implements [vfs.FileSystem].
func (d *Disk) List(ctx context.Context, prefix string) iter.Seq2[vfs.DirEntry, error] {
	return d.files.List(ctx, d.abs(prefix))
}

// Stat implements [vfs.FileSystem].
func (d *Disk) Stat(ctx context.Context, path string) (vfs.FileInfo, error) {
	return d.files.Stat(ctx, d.abs(path))
}

// Glob implements [vfs.FileSystem].
func (d *Disk) Glob(ctx context.Context, pattern, dir string) iter.Seq2[vfs.DirEntry, error] {
	return d.files.Glob(ctx, pattern, d.abs(dir))
}

// Read implements [vfs.FileSystem].
func (d *Disk) Read(ctx context.Context, path string) ([]byte, error) {
	return d.files.Read(ctx, d.abs(path))
}

// Grep implements [vfs.FileSystem].
func (d *Disk) Grep(ctx context.Context, q vfs.GrepQuery) iter.Seq2[vfs.GrepResult, error] {
	q.Path = d.abs(q.Path)
	return func(yield func(vfs.GrepResult, error) bool) {
		info, err := d.files.Stat(ctx, q.Path)
		if err == nil && info.Kind == vfs.KindMissing {
			err = &vfs.PathError{Op: "grep", Path: info.Path, Err: vfs.ErrNotFound}
		}
		if err != nil {
			yield(vfs.GrepResult{}, err)
			return
		}
		d.files.Grep(ctx, q)(yield)
	}
}

// Write implements [vfs.FileSystem].
func (d *Disk) Write(ctx context.Context, path string, contents []byte) error {
	return d.files.Write(ctx, d.abs(path), contents)
}

// Delete implements [vfs.FileSystem].
func (d *Disk) Delete(ctx context.Context, path string) error {
	return d.files.Delete(ctx, d.abs(path))
}

// Search implements [vfs.FileSystem]: the host has no index.
func (d *Disk) Search(ctx context.Context, q vfs.SearchQuery) iter.Seq2[vfs.SearchResult, error] {
	return d.files.Search(ctx, q)
}

// machine is the top of the disk as a [vfs.Root].
type machine struct{}

var _ vfs.Root = machine{}

func (machine) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(top(name), flag, perm)
}
func (machine) Stat(name string) (fs.FileInfo, error)        { return os.Stat(top(name)) }
func (machine) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(top(name)) }
func (machine) Readlink(name string) (string, error)         { return os.Readlink(top(name)) }
func (machine) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(top(name), perm) }

func (machine) Rename(oldname, newname string) error { return os.Rename(top(oldname), top(newname)) }
func (machine) Remove(name string) error             { return os.Remove(top(name)) }

func top(name string) string { return "/" + name }
