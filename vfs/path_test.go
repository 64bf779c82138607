package vfs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agsh.dev/vfs"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "/"},
		{"/", "/"},
		{".", "/"},
		{"a", "/a"},
		{"/a/", "/a"},
		{"//a///b", "/a/b"},
		{"/a/./b/..", "/a"},
		{"/../..", "/"},
		{"../../etc/passwd", "/etc/passwd"},
		{"/agent/../agent-tools/x", "/agent-tools/x"},
		{"foo/../memory/x", "/memory/x"},
		{"/a/...", "/a/..."},
		{`/a\..\b`, `/a\..\b`},
		{"/日本 語", "/日本 語"},
	} {
		if got, err := vfs.Normalize(tt.in); err != nil || got != tt.want {
			t.Errorf("Normalize(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"\x00", "/a\x00/../b", "/\xff", "/a/\xed\xa0\x80"} {
		if got, err := vfs.Normalize(in); !errors.Is(err, vfs.ErrInvalidPath) {
			t.Errorf("Normalize(%q) = %q, %v, want ErrInvalidPath", in, got, err)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"", "/", "a/../../b", "//./x/", "..", "a\x00", "\xff", "/é/…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := vfs.Normalize(in)
		if bad := !utf8.ValidString(in) || strings.Contains(in, "\x00"); bad != (err != nil) {
			t.Fatalf("Normalize(%q): %v", in, err)
		}
		if err != nil {
			return
		}
		if again, err := vfs.Normalize(got); err != nil || again != got {
			t.Errorf("Normalize(%q) = %q, then %q, %v", in, got, again, err)
		}
		rest, ok := strings.CutPrefix(got, "/")
		if !ok {
			t.Errorf("Normalize(%q) = %q is not absolute", in, got)
		}
		names := strings.Split(rest, "/")
		if rest != "" && slices.ContainsFunc(names, func(s string) bool { return s == "" || s == "." || s == ".." }) {
			t.Errorf("Normalize(%q) = %q is not clean", in, got)
		}
	})
}
