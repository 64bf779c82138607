package vfs

import (
	"context"
	"fmt"
	"io"
	"testing"
)

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
