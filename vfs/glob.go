package vfs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob implements [FileSystem].
func (w walker) Glob(ctx context.Context, pattern, dir string) iter.Seq2[DirEntry, error] {
	return func(yield func(DirEntry, error) bool) {
		root, err := normalize("glob", dir)
		if err != nil {
			yield(DirEntry{}, err)
			return
		}
		g, err := compileGlob(pattern)
		if err == nil {
			enter := func(p string) bool { return g.mayHold(relative(root, p)) }
			err = w.walk(ctx, root, enter, func(e DirEntry) error {
				if g.match(relative(root, e.Path)) && (!g.dirs || e.Kind == KindDir) && !yield(e, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(DirEntry{}, pathError("glob", root, err))
		}
	}
}

// A glob is a pattern over relative paths.
type glob struct {
	pattern string
	base    string // a directory that holds every match; "" is unknown
	depth   int    // the most segments a match can have; 0 is any number
	dirs    bool   // only directories
}

func compileGlob(pattern string) (glob, error) {
	written := pattern
	for strings.Contains(pattern, "//") {
		pattern = strings.ReplaceAll(pattern, "//", "/")
	}
	pattern = strings.TrimPrefix(strings.ReplaceAll(pattern, "/./", "/"), "./")
	pattern, dirs := strings.CutSuffix(pattern, "/")
	if !doublestar.ValidatePattern(pattern) {
		return glob{}, fmt.Errorf("%w: %s", ErrInvalidGlob, written)
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return glob{}, fmt.Errorf("%w: %s: no .. leads out of the directory", ErrInvalidGlob, written)
	}
	g := glob{pattern: pattern, dirs: dirs}
	// A base that still has a backslash is not the name of a directory.
	if base, _ := doublestar.SplitPattern(pattern); base != "." && !strings.Contains(base, `\`) {
		g.base = base
	}
	if !strings.Contains(pattern, "**") {
		g.depth = 1 + strings.Count(pattern, "/")
	}
	return g, nil
}

func (g glob) match(rel string) bool { return doublestar.MatchUnvalidated(g.pattern, rel) }

// mayHold reports whether something below the directory rel can match.
func (g glob) mayHold(rel string) bool {
	if g.depth > 0 && strings.Count(rel, "/")+2 > g.depth {
		return false
	}
	return within(rel, g.base) || within(g.base, rel)
}

// A filter selects the files of a Grep.
type filter struct {
	glob
	root string
	all  bool
	base bool // match the base name only
}

// compileFilter reads the Glob of a query: without a slash it is about base
// names, else about the path below root. A slash in front only anchors it.
func compileFilter(pattern, root string) (filter, error) {
	if pattern == "" {
		return filter{all: true}, nil
	}
	slash := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	g, err := compileGlob(pattern)
	return filter{glob: g, root: root, base: !slash}, err
}

func (f filter) accepts(p string) bool {
	if f.all {
		return true
	}
	if f.base || p == f.root {
		return f.match(path.Base(p))
	}
	return f.match(relative(f.root, p))
}

// enters reports whether files below the directory p can be accepted.
func (f filter) enters(p string) bool {
	return f.all || f.base || f.mayHold(relative(f.root, p))
}
