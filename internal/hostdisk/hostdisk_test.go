package hostdisk_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/hostdisk"
	"agsh.dev/vfs"
	"agsh.dev/vfs/vfstest"
)

// The rules of every tree hold for a folder of the host disk, but for those
// that the disk breaks on purpose.
func TestRules(t *testing.T) {
	own := map[string]string{
		"every form of a path names the same file": "relative paths count from the working directory",
		"grep of a missing path yields nothing":    "a missing search root is an error",
	}
	for _, r := range vfstest.Rules() {
		t.Run(r.Name, func(t *testing.T) {
			if why := own[r.Name]; why != "" {
				t.Skip(why)
			}
			r.Check(t, func(t *testing.T, files map[string]string) vfs.FileSystem {
				root := folder(t, files)
				return below{hostdisk.New(root), root}
			})
		})
	}
}

func TestPaths(t *testing.T) {
	root := folder(t, map[string]string{"/sub/a.txt": "hit", "/b.txt": "hit"})
	disk, ctx := hostdisk.New(filepath.Join(root, "sub")), t.Context()
	for in, want := range map[string]string{
		"":                              filepath.Join(root, "sub"),
		".":                             filepath.Join(root, "sub"),
		"a.txt":                         filepath.Join(root, "sub/a.txt"),
		"../b.txt":                      filepath.Join(root, "b.txt"),
		filepath.Join(root, "b.txt"):    filepath.Join(root, "b.txt"),
		filepath.Join(root, "x/../sub"): filepath.Join(root, "sub"),
	} {
		if info, err := disk.Stat(ctx, in); err != nil || info.Path != want || info.Kind == vfs.KindMissing {
			t.Errorf("Stat(%q) = %+v, %v, want path %s", in, info, err, want)
		}
	}
	var got []string
	for e, err := range disk.Glob(ctx, "*", "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Path)
	}
	for r, err := range disk.Grep(ctx, vfs.GrepQuery{Pattern: "hit", Path: ".."}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Path)
	}
	want := []string{filepath.Join(root, "sub/a.txt"), filepath.Join(root, "b.txt"), filepath.Join(root, "sub/a.txt")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("yielded paths (-want +got):\n%s", diff)
	}
}

func TestGrepOfMissingRootIsAnError(t *testing.T) {
	root := t.TempDir()
	missing := filepath.Join(root, "nope")
	for _, err := range hostdisk.New(root).Grep(t.Context(), vfs.GrepQuery{Pattern: "x", Path: "nope"}) {
		if !errors.Is(err, vfs.ErrNotFound) || err.Error() != "not found: "+missing {
			t.Errorf("Grep: %v", err)
		}
		return
	}
	t.Error("Grep yields nothing")
}

// R45: walks enter no link to a directory; exact paths follow it.
func TestR45_walksEnterNoLinks(t *testing.T) {
	root := folder(t, map[string]string{"/desk/a.txt": "hit", "/memory/m.md": "hit"})
	work := filepath.Join(root, "desk")
	if err := os.Symlink(filepath.Join(root, "memory"), filepath.Join(work, "memory")); err != nil {
		t.Fatal(err)
	}
	disk, ctx := hostdisk.New(work), t.Context()
	var got []string
	for e, err := range disk.Glob(ctx, "**", "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimPrefix(e.Path, work))
	}
	for r, err := range disk.Grep(ctx, vfs.GrepQuery{Pattern: "hit"}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimPrefix(r.Path, work))
	}
	if diff := cmp.Diff([]string{"/a.txt", "/memory", "/a.txt"}, got); diff != "" {
		t.Errorf("walked (-want +got):\n%s", diff)
	}
	if data, err := disk.Read(ctx, "memory/m.md"); string(data) != "hit" {
		t.Errorf("Read through the link = %q, %v", data, err)
	}
	if err := disk.Write(ctx, "memory/n.md", []byte("new")); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "memory/n.md")); string(data) != "new" {
		t.Errorf("behind the link is %q, %v", data, err)
	}
}

func TestWriteFollowsAbsoluteLinks(t *testing.T) {
	root := folder(t, map[string]string{"/d/f": "old"})
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "d/f"), link); err != nil {
		t.Fatal(err)
	}
	if err := hostdisk.New(root).Write(t.Context(), "link", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "d/f")); string(data) != "new" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// below shows the folder root of a disk as if it were "/".
type below struct {
	disk *hostdisk.Disk
	root string
}

func (b below) in(path string) string { return b.root + "/" + path }

func (b below) out(path string) string {
	if path = strings.TrimPrefix(path, b.root); path == "" {
		return "/"
	}
	// A path that was refused comes back as it was given.
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		return "/" + rest
	}
	return path
}

func (b below) err(err error) error {
	if p, ok := errors.AsType[*vfs.PathError](err); ok {
		return &vfs.PathError{Op: p.Op, Path: b.out(p.Path), Err: p.Err}
	}
	return err
}

func (b below) List(ctx context.Context, prefix string) iter.Seq2[vfs.DirEntry, error] {
	return rename(b.disk.List(ctx, b.in(prefix)), b, func(e *vfs.DirEntry) *string { return &e.Path })
}

func (b below) Stat(ctx context.Context, path string) (vfs.FileInfo, error) {
	info, err := b.disk.Stat(ctx, b.in(path))
	info.Path = b.out(info.Path)
	return info, b.err(err)
}

func (b below) Glob(ctx context.Context, pattern, dir string) iter.Seq2[vfs.DirEntry, error] {
	return rename(b.disk.Glob(ctx, pattern, b.in(dir)), b, func(e *vfs.DirEntry) *string { return &e.Path })
}

func (b below) Read(ctx context.Context, path string) ([]byte, error) {
	data, err := b.disk.Read(ctx, b.in(path))
	return data, b.err(err)
}

func (b below) Grep(ctx context.Context, q vfs.GrepQuery) iter.Seq2[vfs.GrepResult, error] {
	q.Path = b.in(q.Path)
	return rename(b.disk.Grep(ctx, q), b, func(r *vfs.GrepResult) *string { return &r.Path })
}

func (b below) Write(ctx context.Context, path string, contents []byte) error {
	return b.err(b.disk.Write(ctx, b.in(path), contents))
}

func (b below) Delete(ctx context.Context, path string) error {
	return b.err(b.disk.Delete(ctx, b.in(path)))
}

func (b below) Search(ctx context.Context, q vfs.SearchQuery) iter.Seq2[vfs.SearchResult, error] {
	return rename(b.disk.Search(ctx, q), b, func(r *vfs.SearchResult) *string { return &r.Path })
}

func rename[T any](seq iter.Seq2[T, error], b below, path func(*T) *string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			*path(&v) = b.out(*path(&v))
			if !yield(v, b.err(err)) {
				return
			}
		}
	}
}
