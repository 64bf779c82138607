package vfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"agsh.dev/vfs"
)

func TestPathErrorText(t *testing.T) {
	boom := errors.New("no space left on device")
	for _, tt := range []struct {
		err  *vfs.PathError
		want string
	}{
		{&vfs.PathError{Op: "read", Path: "/a b", Err: vfs.ErrNotFound}, "not found: /a b"},
		{&vfs.PathError{Op: "write", Path: "/a", Err: vfs.ErrReadOnlyMount}, "read-only mount: /a"},
		{&vfs.PathError{Op: "read", Path: "/a", Err: vfs.ErrNoMount}, "no mount for path: /a"},
		{&vfs.PathError{Op: "write", Path: "/a", Err: vfs.ErrWriteFailed}, "write failed: /a"},
		{&vfs.PathError{Op: "write", Path: "/a", Err: fmt.Errorf("%w: %w", vfs.ErrWriteFailed, boom)}, "write failed: /a"},
		{&vfs.PathError{Op: "delete", Path: "/a", Err: vfs.ErrDeleteNotSupported}, "delete not supported: /a"},
		{&vfs.PathError{Op: "read", Path: "/a", Err: vfs.ErrLeavesRoot}, "link leads out of the root: /a"},
		{&vfs.PathError{Op: "read", Path: "a\x00", Err: vfs.ErrInvalidPath}, `invalid path: "a\x00"`},
		{vfs.InvalidGrepPattern("/src", "(x", boom), "invalid grep pattern: (x"},
		{vfs.InvalidGrepPattern("/src", "(x", nil), "invalid grep pattern: (x"},
		{&vfs.PathError{Op: "write", Path: "/a", Err: boom}, "write /a: no space left on device"},
		{&vfs.PathError{Op: "read", Path: "/a", Err: vfs.ErrIsDir}, "read /a: is a directory"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%#v says %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestPathErrorClasses(t *testing.T) {
	for _, tt := range []struct {
		err, class error
		want       bool
	}{
		{vfs.ErrNotFound, fs.ErrNotExist, true},
		{vfs.ErrNoMount, fs.ErrNotExist, true},
		{vfs.ErrNoMount, vfs.ErrNotFound, false},
		{vfs.ErrLeavesRoot, vfs.ErrNotFound, false},
		{vfs.ErrReadOnlyMount, fs.ErrPermission, true},
		{vfs.ErrDeleteNotSupported, errors.ErrUnsupported, true},
		{vfs.ErrWriteFailed, fs.ErrNotExist, false},
	} {
		err := &vfs.PathError{Op: "read", Path: "/a", Err: tt.err}
		if got := errors.Is(err, tt.class); got != tt.want {
			t.Errorf("errors.Is(%v, %v) = %t, want %t", err, tt.class, got, tt.want)
		}
	}
	if err := vfs.InvalidGrepPattern("/", "(", nil); !errors.Is(err, vfs.ErrInvalidGrepPattern) {
		t.Errorf("%v is not ErrInvalidGrepPattern", err)
	}
}
