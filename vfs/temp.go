package vfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
)

// Memory is a writable tree in memory; see [Temp].
type Memory struct {
	walker
	tree *memory
}

var _ FileSystem = (*Memory)(nil)

// Temp returns a tree in memory that begins with files: contents by path.
// Directories are there as long as they hold something. Two paths that cannot
// both be files, or one that [Normalize] refuses, make every verb return the
// error.
func Temp(files map[string]string) *Memory {
	t := &memory{root: &node{children: map[string]*node{}}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if t.broken = t.add(name, files[name]); t.broken != nil {
			break
		}
	}
	return &Memory{walker: walker{src: t}, tree: t}
}

// Write implements [FileSystem].
func (m *Memory) Write(ctx context.Context, path string, contents []byte) error {
	return change(ctx, "write", path, func(p string) error { return m.tree.write(p, contents) })
}

// Delete implements [FileSystem].
func (m *Memory) Delete(ctx context.Context, path string) error {
	return change(ctx, "delete", path, m.tree.remove)
}

// memory is a tree of nodes.
type memory struct {
	broken error // of the files it was made from
	mu     sync.RWMutex
	root   *node
}

// A node is a directory if children is not nil, else a file, whose data is
// replaced and never changed.
type node struct {
	children map[string]*node
	data     []byte
}

func (n *node) kind() Kind {
	if n.children != nil {
		return KindDir
	}
	return KindFile
}

// find returns the node at p, or nil. The caller holds mu.
func (t *memory) find(p string) *node {
	n := t.root
	for name := range segments(p) {
		if n = n.children[name]; n == nil {
			return nil
		}
	}
	return n
}

func (t *memory) stat(_ context.Context, p string) (FileInfo, error) {
	if t.broken != nil {
		return FileInfo{}, t.broken
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := t.find(p)
	if n == nil {
		return FileInfo{Kind: KindMissing}, nil
	}
	return FileInfo{Kind: n.kind(), Size: int64(len(n.data))}, nil
}

func (t *memory) readDir(_ context.Context, dir string) ([]DirEntry, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := t.find(dir)
	if n == nil {
		return nil, ErrNotFound
	}
	out := make([]DirEntry, 0, len(n.children))
	for name, child := range n.children {
		out = append(out, DirEntry{Path: join(dir, name), Kind: child.kind()})
	}
	return out, nil
}

func (t *memory) open(_ context.Context, p string) (io.ReadCloser, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := t.find(p)
	switch {
	case n == nil:
		return nil, ErrNotFound
	case n.kind() == KindDir:
		return nil, ErrIsDir
	}
	return io.NopCloser(bytes.NewReader(n.data)), nil
}

// add writes a file that no other name has made.
func (t *memory) add(name, contents string) error {
	p, err := normalize("write", name)
	if err != nil {
		return err
	}
	if n := t.find(p); n != nil && n.kind() == KindFile {
		return &PathError{Op: "write", Path: p, Err: errTwice}
	}
	if err := t.write(p, []byte(contents)); err != nil {
		return pathError("write", p, err)
	}
	return nil
}

var errTwice = errors.New("two names of one file")

func (t *memory) write(p string, contents []byte) error {
	if t.broken != nil {
		return t.broken
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.find(p); n != nil && n.kind() == KindDir {
		return ErrIsDir
	}
	// A write that fails changes nothing: a directory is made only below one
	// that was just made, or where nothing is in the way.
	dir, name := split(p)
	parent := t.root
	for part := range segments(dir) {
		next := parent.children[part]
		switch {
		case next == nil:
			next = &node{children: map[string]*node{}}
			parent.children[part] = next
		case next.kind() == KindFile:
			return ErrNotDir
		}
		parent = next
	}
	parent.children[name] = &node{data: bytes.Clone(contents)}
	return nil
}

// remove deletes the file p and the directories that it leaves empty.
func (t *memory) remove(p string) error {
	if t.broken != nil {
		return t.broken
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch n := t.find(p); {
	case n == nil:
		return ErrNotFound
	case n.kind() == KindDir:
		return ErrIsDir
	}
	for p != "/" {
		dir, name := split(p)
		parent := t.find(dir)
		delete(parent.children, name)
		if len(parent.children) > 0 {
			break
		}
		p = dir
	}
	return nil
}
