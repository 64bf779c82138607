package vfstest

import (
	"errors"
	"testing"

	"agsh.dev/vfs"
)

// writeRules are about Write and Delete.
func writeRules() []Rule {
	return []Rule{
		{"write creates a file and the directories above it", writeCreates},
		{"write replaces a file", writeReplaces},
		{"write keeps bytes as they are", writeBytes},
		{"write onto a directory or below a file changes nothing", writeConflicts},
		{"write keeps its own copy of the contents", writeCopies},
		{"delete removes a file", deleteRemoves},
		{"delete of a missing path is not found", deleteMissing},
		{"delete of a directory is an error", deleteDir},
	}
}

// refused reports whether err says that the tree takes no changes, and checks
// how it says so.
func refused(t *testing.T, err error, path string) bool {
	t.Helper()
	switch {
	case errors.Is(err, vfs.ErrReadOnlyMount):
		wantError(t, err, vfs.ErrReadOnlyMount, path, "read-only mount: "+path)
	case errors.Is(err, vfs.ErrDeleteNotSupported):
		wantError(t, err, vfs.ErrDeleteNotSupported, path, "delete not supported: "+path)
	default:
		return false
	}
	return true
}

func writeCreates(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/a": "x"}), t.Context()
	err := tree.Write(ctx, "new//dir/./f.txt", []byte("text"))
	if refused(t, err, "/new/dir/f.txt") {
		wantKind(ctx, t, tree, "/new", vfs.KindMissing)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	wantFile(ctx, t, tree, "/new/dir/f.txt", "text")
	wantPaths(t, "Glob(**)", all(t, tree.Glob(ctx, "**", "/")), "/a", "/new/", "/new/dir/", "/new/dir/f.txt")
}

func writeReplaces(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/d/a": "a longer text"}), t.Context()
	err := tree.Write(ctx, "/d/a", []byte("short"))
	if refused(t, err, "/d/a") {
		wantFile(ctx, t, tree, "/d/a", "a longer text")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	wantFile(ctx, t, tree, "/d/a", "short")
	wantPaths(t, "List(/d)", all(t, tree.List(ctx, "/d")), "/d/a")
}

func writeBytes(t *testing.T, mk Maker) {
	tree, ctx := mk(t, nil), t.Context()
	for _, text := range []string{"", "a\r\nb\r\n", "no newline", "日本"} {
		err := tree.Write(ctx, "/f", []byte(text))
		if refused(t, err, "/f") {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		wantFile(ctx, t, tree, "/f", text)
	}
}

func writeConflicts(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/d/f": "x"}), t.Context()
	for path, cause := range map[string]error{"/": vfs.ErrIsDir, "/d": vfs.ErrIsDir, "/d/f/g": vfs.ErrNotDir, "/d/f/g/h": vfs.ErrNotDir} {
		if err := tree.Write(ctx, path, []byte("y")); !refused(t, err, path) {
			wantError(t, err, cause, path, "write "+path+": "+cause.Error())
		}
	}
	wantPaths(t, "Glob(**)", all(t, tree.Glob(ctx, "**", "/")), "/d/", "/d/f")
	wantFile(ctx, t, tree, "/d/f", "x")
}

func writeCopies(t *testing.T, mk Maker) {
	tree, ctx := mk(t, nil), t.Context()
	buf := []byte("before")
	err := tree.Write(ctx, "/f", buf)
	if refused(t, err, "/f") {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	copy(buf, "AFTER!")
	wantFile(ctx, t, tree, "/f", "before")
	if got, err := tree.Read(ctx, "/f"); err == nil {
		copy(got, "AFTER!")
	}
	wantFile(ctx, t, tree, "/f", "before")
}

func deleteRemoves(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/d/a": "x", "/d/b": "y"}), t.Context()
	err := tree.Delete(ctx, "/d/../d/a")
	if refused(t, err, "/d/a") {
		wantFile(ctx, t, tree, "/d/a", "x")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	wantKind(ctx, t, tree, "/d/a", vfs.KindMissing)
	wantPaths(t, "Glob(**)", all(t, tree.Glob(ctx, "**", "/")), "/d/", "/d/b")
}

func deleteMissing(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a": "x"})
	for _, p := range []string{"/b", "/no/such", "/a/below"} {
		if err := tree.Delete(t.Context(), p); !refused(t, err, p) {
			wantError(t, err, vfs.ErrNotFound, p, "not found: "+p)
		}
	}
}

func deleteDir(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/d/a": "x"}), t.Context()
	for _, p := range []string{"/", "/d"} {
		if err := tree.Delete(ctx, p); !refused(t, err, p) {
			wantError(t, err, vfs.ErrIsDir, p, "delete "+p+": is a directory")
		}
	}
	wantFile(ctx, t, tree, "/d/a", "x")
}
