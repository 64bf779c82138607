package vfs

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// change runs fn on the normalized path and wraps its error.
func change(ctx context.Context, op, path string, fn func(p string) error) error {
	p, err := normalize(op, path)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err == nil {
		err = fn(p)
	}
	if err != nil {
		return pathError(op, p, err)
	}
	return nil
}

// maxLinks is how many links in a row a write follows.
const maxLinks = 40

// write replaces the file at name, or makes it and the directories above.
// The content goes to a file beside it that is then renamed, so a reader
// sees the old content or the new.
func (d *disk) write(name string, contents []byte) error {
	name, err := d.follow(name)
	if err != nil {
		return err
	}
	old, err := d.root.Lstat(name)
	if err == nil {
		if err := regular(old); err != nil {
			return err
		}
	}
	dir := parent(name)
	if err := d.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := dir + "/.write-" + rand.Text()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = fill(f, contents, old)
	if err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, d.root.Remove(temp))
	}
	return nil
}

// fill writes, takes over the mode of old if there is one, flushes to disk
// and closes.
func fill(f *os.File, contents []byte, old fs.FileInfo) error {
	_, err := f.Write(contents)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// follow returns where a chain of links at name ends, since a rename would
// replace a link and not what it leads to. The end need not be there.
func (d *disk) follow(name string) (string, error) {
	for range maxLinks {
		info, err := d.root.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return name, err
		}
		target, err := d.root.Readlink(name)
		if err != nil {
			return "", err
		}
		switch {
		case !filepath.IsAbs(target):
			// Not cleaned: ".." after a link is relative to where it leads.
			name = parent(name) + "/" + target
		case d.escapes != nil:
			return "", ErrLeavesRoot
		default: // nothing is above this root, so its top is the disk's
			name = strings.TrimPrefix(target, "/")
		}
	}
	return "", syscall.ELOOP
}

// parent is the directory part of a name in a Root, as it is written.
func parent(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if os.IsPathSeparator(name[i]) {
			return name[:i]
		}
	}
	return "."
}
