package vfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
)

// Some files of /proc are regular by their mode and hold a reader for ever.
func TestAFileThatHoldsItsReaderIsNotRegular(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	f := &diskFile{File: r, disk: &disk{}, waits: true}
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Read = %v, want %v", err, ErrNotRegular)
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("Read of what is there = %d, %v", n, err)
	}
}

// faulty fails to open one file and to list one directory.
type faulty struct {
	source
	err error
}

func (f faulty) readDir(ctx context.Context, dir string) ([]DirEntry, error) {
	if dir == "/b" {
		return nil, f.err
	}
	return f.source.readDir(ctx, dir)
}

func (f faulty) open(ctx context.Context, p string) (io.ReadCloser, error) {
	if p == "/a" {
		return nil, f.err
	}
	return f.source.open(ctx, p)
}

// One file that cannot be read does not hide the others; to be out of
// descriptors does.
func TestGrepGoesOnPastWhatCannotBeRead(t *testing.T) {
	for _, tt := range []struct {
		err  error
		ends bool
	}{
		{syscall.EINVAL, false},
		{syscall.EIO, false},
		{syscall.EACCES, false},
		{ErrNotFound, false},
		{ErrNotRegular, false},
		{syscall.EMFILE, true},
		{context.Canceled, true},
	} {
		src := faulty{Temp(map[string]string{"/a": "hit", "/b/x": "hit", "/c": "hit"}).tree, tt.err}
		var got string
		var failed error
		for r, err := range (walker{src}).Grep(t.Context(), GrepQuery{Pattern: "hit"}) {
			got, failed = r.Path, err
		}
		if !errors.Is(failed, tt.err) == tt.ends || !tt.ends && got != "/c" {
			t.Errorf("%v: Grep ends with %q, %v", tt.err, got, failed)
		}
	}
}

// counting counts what a walk asks of its source.
type counting struct {
	source
	dirs, files int
}

func (c *counting) readDir(ctx context.Context, dir string) ([]DirEntry, error) {
	c.dirs++
	return c.source.readDir(ctx, dir)
}

func (c *counting) open(ctx context.Context, p string) (io.ReadCloser, error) {
	c.files++
	return c.source.open(ctx, p)
}

// A walk looks no further than its consumer, its query or its pattern asks.
func TestWalksStopEarly(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[fmt.Sprintf("/d%d/sub/f.txt", i)] = "hit\nhit\n"
	}
	for _, tt := range []struct {
		name        string
		walk        func(w walker)
		dirs, files int
	}{
		{"glob left at its first entry", func(w walker) {
			for range w.Glob(t.Context(), "**/*.txt", "/") {
				break
			}
		}, 3, 0},
		{"grep left at its first line", func(w walker) {
			for range w.Grep(t.Context(), GrepQuery{Pattern: "hit"}) {
				break
			}
		}, 3, 1},
		{"grep with enough results", func(w walker) {
			for range w.Grep(t.Context(), GrepQuery{Pattern: "hit", MaxResults: 4}) {
			}
		}, 5, 2},
		{"glob of one level", func(w walker) {
			for range w.Glob(t.Context(), "*", "/") {
			}
		}, 1, 0},
		{"glob below a named directory", func(w walker) {
			for range w.Glob(t.Context(), "d3/**/*.txt", "/") {
			}
		}, 3, 0},
		{"grep with a glob below a named directory", func(w walker) {
			for range w.Grep(t.Context(), GrepQuery{Pattern: "hit", Glob: "d3/sub/*"}) {
			}
		}, 3, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &counting{source: Temp(files).tree}
			tt.walk(walker{src: c})
			if c.dirs != tt.dirs || c.files != tt.files {
				t.Errorf("read %d directories and %d files, want %d and %d", c.dirs, c.files, tt.dirs, tt.files)
			}
		})
	}
}
