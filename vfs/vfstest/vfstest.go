// Package vfstest checks that a tree keeps the rules of [vfs.FileSystem].
package vfstest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"agsh.dev/vfs"
)

// A Maker returns a new tree that holds files, contents by absolute path. It
// may use t.Cleanup.
type Maker func(t *testing.T, files map[string]string) vfs.FileSystem

// A Rule is one thing that every tree does.
type Rule struct {
	Name  string
	Check func(t *testing.T, mk Maker)
}

// Rules returns every rule. A tree that differs on purpose runs them one by
// one; any other uses [Run].
func Rules() []Rule {
	return slices.Concat(lookRules(), walkRules(), grepRules(), writeRules())
}

// Run checks every rule, each as a subtest. A tree may refuse every Write
// with [vfs.ErrReadOnlyMount] and every Delete with that or
// [vfs.ErrDeleteNotSupported]; it must then be unchanged.
func Run(t *testing.T, mk Maker) {
	for _, r := range Rules() {
		t.Run(r.Name, func(t *testing.T) { r.Check(t, mk) })
	}
}

// all collects a walk, which must not fail.
func all[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatalf("walk failed after %v: %v", out, err)
		}
		out = append(out, v)
	}
	return out
}

// paths are the paths of entries, a directory with a slash at its end.
func paths(entries []vfs.DirEntry) []string {
	out := []string{}
	for _, e := range entries {
		p := e.Path
		if e.Kind == vfs.KindDir {
			p += "/"
		}
		out = append(out, p)
	}
	return out
}

// failure is the error of a walk that must fail.
func failure[T any](t *testing.T, seq iter.Seq2[T, error]) error {
	t.Helper()
	n := 0
	var last error
	for v, err := range seq {
		if last != nil {
			t.Fatalf("walk goes on after its error %v: %v, %v", last, v, err)
		}
		if err == nil {
			n++
		}
		last = err
	}
	if last == nil {
		t.Fatalf("walk ended without an error after %d values", n)
	}
	return last
}

// wantError checks that err is a PathError of that cause, path and text.
func wantError(t *testing.T, err, cause error, path, text string) {
	t.Helper()
	var p *vfs.PathError
	switch {
	case !errors.As(err, &p):
		t.Errorf("error %v (%T) is not a *PathError", err, err)
	case !errors.Is(err, cause):
		t.Errorf("error %v is not %v", err, cause)
	case p.Path != path:
		t.Errorf("error %v has path %q, want %q", err, p.Path, path)
	case text != "" && err.Error() != text:
		t.Errorf("error text %q, want %q", err, text)
	}
}

// wantFile checks what a file holds.
func wantFile(ctx context.Context, t *testing.T, tree vfs.FileSystem, path, want string) {
	t.Helper()
	got, err := tree.Read(ctx, path)
	if err != nil || string(got) != want {
		t.Errorf("Read(%q) = %q, %v, want %q", path, got, err, want)
	}
}

// wantKind checks what a path is.
func wantKind(ctx context.Context, t *testing.T, tree vfs.FileSystem, path string, want vfs.Kind) {
	t.Helper()
	info, err := tree.Stat(ctx, path)
	if err != nil || info.Kind != want {
		t.Errorf("Stat(%q) = %+v, %v, want kind %s", path, info, err, want)
	}
}
