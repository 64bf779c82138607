package vfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"agsh.dev/vfs"
	"agsh.dev/vfs/vfstest"
)

func TestTemp(t *testing.T) {
	vfstest.Run(t, func(_ *testing.T, files map[string]string) vfs.FileSystem { return vfs.Temp(files) })
}

func TestDir(t *testing.T) {
	vfstest.Run(t, func(t *testing.T, files map[string]string) vfs.FileSystem { return dir(t, folder(t, files)) })
}

// folder makes a folder on disk that holds files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
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

// dir is vfs.Dir of root.
func dir(t *testing.T, root string) *vfs.Folder {
	t.Helper()
	tree, err := vfs.Dir(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return tree
}
