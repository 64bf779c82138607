package vfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/vfs"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// linked is a folder with links of every kind, and a folder outside it.
func linked(t *testing.T) (root, outside string) {
	root = folder(t, map[string]string{"/real/f.txt": "hit inside\n", "/a.txt": "hit a\n"})
	outside = folder(t, map[string]string{"/secret": "hit secret\n"})
	link(t, outside, filepath.Join(root, "out"))
	link(t, filepath.Join(outside, "secret"), filepath.Join(root, "out.txt"))
	link(t, "../"+filepath.Base(outside)+"/secret", filepath.Join(root, "up.txt"))
	link(t, "real", filepath.Join(root, "dirlink"))
	link(t, "real/f.txt", filepath.Join(root, "filelink"))
	link(t, "../dirlink/f.txt", filepath.Join(root, "real/back"))
	link(t, "nowhere", filepath.Join(root, "dangling"))
	link(t, "loop", filepath.Join(root, "loop"))
	return root, outside
}

// A file too big to be read whole is refused without being held in memory,
// and a binary one by its beginning.
func TestReadRefusesHugeFiles(t *testing.T) {
	root := folder(t, map[string]string{"/sparse": "", "/text": strings.Repeat("x", 9000)})
	for _, name := range []string{"sparse", "text"} {
		if err := os.Truncate(filepath.Join(root, name), 8<<30); err != nil {
			t.Skip("no sparse files here:", err)
		}
	}
	tree := dir(t, root)
	_, err := tree.Read(t.Context(), "/sparse")
	if !errors.Is(err, vfs.ErrBinary) {
		t.Errorf("Read(/sparse) = %v, want %v", err, vfs.ErrBinary)
	}
	if _, err = tree.Read(t.Context(), "/text"); !errors.Is(err, vfs.ErrTooBig) {
		t.Errorf("Read(/text) = %v, want %v", err, vfs.ErrTooBig)
	}
}

// R45: links never lead out of a folder, and walks enter none.
func TestR45_linksStayInTheFolder(t *testing.T) {
	root, outside := linked(t)
	tree, ctx := dir(t, root), t.Context()

	var walked []string
	for e, err := range tree.Glob(ctx, "**", "/") {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, e.Path)
	}
	want := []string{"/a.txt", "/dirlink", "/filelink", "/real", "/real/back", "/real/f.txt"}
	if diff := cmp.Diff(want, walked); diff != "" {
		t.Errorf("Glob(**) (-want +got):\n%s", diff)
	}

	var hits []string
	for r, err := range tree.Grep(ctx, vfs.GrepQuery{Pattern: "hit"}) {
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, r.Path)
	}
	if diff := cmp.Diff([]string{"/a.txt", "/filelink", "/real/back", "/real/f.txt"}, hits); diff != "" {
		t.Errorf("Grep (-want +got):\n%s", diff)
	}

	for _, p := range []string{"/out/secret", "/out.txt", "/up.txt", "/out"} {
		if data, err := tree.Read(ctx, p); !errors.Is(err, vfs.ErrLeavesRoot) || strings.Contains(err.Error(), outside) {
			t.Errorf("Read(%s) = %q, %v, want ErrLeavesRoot without a host path", p, data, err)
		}
		if info, err := tree.Stat(ctx, p); err != nil || info.Kind != vfs.KindMissing {
			t.Errorf("Stat(%s) = %+v, %v, want missing", p, info, err)
		}
		if err := tree.Write(ctx, p, []byte("x")); !errors.Is(err, vfs.ErrLeavesRoot) {
			t.Errorf("Write(%s): %v, want ErrLeavesRoot", p, err)
		}
		if err := tree.Delete(ctx, p); !errors.Is(err, vfs.ErrLeavesRoot) {
			t.Errorf("Delete(%s): %v, want ErrLeavesRoot", p, err)
		}
		for e, err := range tree.List(ctx, p) {
			t.Errorf("List(%s) yields %v, %v", p, e, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "hit secret\n" {
		t.Errorf("outside is %q, %v", got, err)
	}
}

func TestDirFollowsLinksInside(t *testing.T) {
	root, _ := linked(t)
	tree, ctx := dir(t, root), t.Context()
	for _, p := range []string{"/dirlink/f.txt", "/filelink", "/real/back", "/dirlink/back"} {
		if got, err := tree.Read(ctx, p); string(got) != "hit inside\n" {
			t.Errorf("Read(%s) = %q, %v", p, got, err)
		}
	}
	for _, p := range []string{"/loop", "/dangling"} {
		if info, err := tree.Stat(ctx, p); err != nil || info.Kind != vfs.KindMissing {
			t.Errorf("Stat(%s) = %+v, %v, want missing", p, info, err)
		}
		if _, err := tree.Read(ctx, p); !errors.Is(err, vfs.ErrNotFound) {
			t.Errorf("Read(%s): %v, want not found", p, err)
		}
	}
	// A walk follows links in the path it starts from.
	if got := collect(ctx, tree, "*", "/dirlink"); !cmp.Equal(got, []string{"/dirlink/back", "/dirlink/f.txt"}) {
		t.Errorf("Glob(*, /dirlink) = %q", got)
	}
	// And enters none that it meets, even if the pattern names it.
	if got := collect(ctx, tree, "dirlink/*", "/"); len(got) != 0 {
		t.Errorf("Glob(dirlink/*) = %q", got)
	}
}

func TestDirWritesThroughLinksAndDeletesThem(t *testing.T) {
	root, _ := linked(t)
	tree, ctx := dir(t, root), t.Context()
	if err := tree.Write(ctx, "/dirlink/back", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "real/f.txt")); string(got) != "new" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if err := tree.Write(ctx, "/dangling", []byte("made")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "nowhere")); string(got) != "made" {
		t.Errorf("the end of the link holds %q, %v", got, err)
	}
	if err := tree.Write(ctx, "/loop", []byte("x")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Write(/loop): %v, want ELOOP", err)
	}
	if err := tree.Delete(ctx, "/filelink"); err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Read(ctx, "/real/f.txt"); string(got) != "new" {
		t.Errorf("the file is gone with its link: %q, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "filelink")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link is still there: %v", err)
	}
}

func TestDirKeepsModeAndLeavesNoTemporaryFiles(t *testing.T) {
	root := folder(t, map[string]string{"/run.sh": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(root, "run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	tree := dir(t, root)
	if err := tree.Write(t.Context(), "/run.sh", []byte("#!/bin/sh\r\necho\r\n")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v, %v, want 0751", info.Mode(), err)
	}
	if err := tree.Write(t.Context(), "/run.sh/x", nil); err == nil {
		t.Error("wrote below a file")
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// A reader sees the old content or the new, whole.
func TestDirWriteIsAtomic(t *testing.T) {
	old, young := strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<16)
	tree := dir(t, folder(t, map[string]string{"/f": old}))
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 20 {
			if err := tree.Write(t.Context(), "/f", []byte([]string{young, old}[i%2])); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		if got, err := tree.Read(t.Context(), "/f"); err != nil || string(got) != old && string(got) != young {
			t.Fatalf("Read: a mixture of %d bytes, %v", len(got), err)
		}
	}
	wg.Wait()
}

// A pipe is no file of the tree, and looking at it does not block.
func TestDirLeavesOutPipes(t *testing.T) {
	root := folder(t, map[string]string{"/a": "hit"})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	tree, ctx := dir(t, root), t.Context()
	if got := collect(ctx, tree, "**", "/"); !cmp.Equal(got, []string{"/a"}) {
		t.Errorf("Glob(**) = %q", got)
	}
	if _, err := tree.Read(ctx, "/pipe"); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("Read: %v, want ErrNotRegular", err)
	}
	if err := tree.Write(ctx, "/pipe", nil); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("Write: %v, want ErrNotRegular", err)
	}
	for r, err := range tree.Grep(ctx, vfs.GrepQuery{Pattern: "hit", Path: "/pipe"}) {
		t.Errorf("Grep yields %+v, %v", r, err)
	}
}

func TestDirLeavesOutNamesThatNoPathCanHold(t *testing.T) {
	root := folder(t, map[string]string{"/a": ""})
	if err := os.WriteFile(filepath.Join(root, "bad\xff"), nil, 0o600); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	if got := collect(t.Context(), dir(t, root), "**", "/"); !cmp.Equal(got, []string{"/a"}) {
		t.Errorf("Glob(**) = %q", got)
	}
}

func TestDirPassesOverWhatItMayNotRead(t *testing.T) {
	root := folder(t, map[string]string{"/locked/x": "hit", "/file": "hit", "/z": "hit"})
	for _, name := range []string{"locked", "file"} {
		if err := os.Chmod(filepath.Join(root, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "locked"), 0o700) })
	if _, err := os.ReadDir(filepath.Join(root, "locked")); err == nil {
		t.Skip("this user may read everything")
	}
	tree := dir(t, root)
	var hits []string
	for r, err := range tree.Grep(t.Context(), vfs.GrepQuery{Pattern: "hit"}) {
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, r.Path)
	}
	if !cmp.Equal(hits, []string{"/z"}) {
		t.Errorf("Grep finds %q", hits)
	}
	for _, err := range tree.List(t.Context(), "/locked") {
		if !errors.Is(err, fs.ErrPermission) || err.Error() != "list /locked: permission denied" {
			t.Errorf("List(/locked): %v", err)
		}
	}
}

func TestDirOfNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if tree, err := vfs.Dir(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("Dir(%s) = %v, %v", missing, tree, err)
	}
}

// Whoever swaps a directory for a link out while the tree is used gains
// nothing.
func TestDirOutlastsSwappedLinks(t *testing.T) {
	root := folder(t, map[string]string{"/sub/f": "inside"})
	outside := folder(t, map[string]string{"/f": "secret"})
	tree, ctx := dir(t, root), t.Context()
	sub, kept := filepath.Join(root, "sub"), filepath.Join(root, "kept")

	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(sub, kept)
			_ = os.Symlink(outside, sub)
			_ = os.Remove(sub)
			_ = os.Rename(kept, sub)
		}
	})
	for range 50 {
		if got, err := tree.Read(ctx, "/sub/f"); err == nil && string(got) != "inside" {
			t.Errorf("Read gives %q", got)
		}
		for r, err := range tree.Grep(ctx, vfs.GrepQuery{Pattern: "secret"}) {
			if err == nil {
				t.Errorf("Grep gives %+v", r)
			}
		}
		// What these say does not matter, only where they act.
		_ = tree.Write(ctx, "/sub/new", []byte("x"))
		_ = tree.Delete(ctx, "/sub/f2")
	}
	close(stop)
	swapper.Wait()
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
}
