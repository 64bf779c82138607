package vfs_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"agsh.dev/vfs"
)

// R46: a recursive pattern followed by alternatives matches at depth zero.
func TestR46_doubleStarAndAlternativesMatchAtDepthZero(t *testing.T) {
	files := map[string]string{"/src/a.txt": "", "/src/n/b.txt": "", "/src/n/c.ts": "", "/src/.h/a.txt": ""}
	for name, tree := range map[string]vfs.FileSystem{"temp": vfs.Temp(files), "dir": dir(t, folder(t, files))} {
		for _, tt := range []struct {
			pattern string
			want    []string
		}{
			{"**/{a,b}.txt", []string{"/src/.h/a.txt", "/src/a.txt", "/src/n/b.txt"}},
			{"*.ts", nil},
		} {
			var got []string
			for e, err := range tree.Glob(t.Context(), tt.pattern, "/src") {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: Glob(%q, /src) (-want +got):\n%s", name, tt.pattern, diff)
			}
		}
	}
}

// A tree made from impossible files says so at every verb.
func TestTempOfConflictingFiles(t *testing.T) {
	for _, tt := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"/a": "", "a": ""}, "write /a: two names of one file"},
		{map[string]string{"/a": "", "/a/b": ""}, "write /a/b: a file is in the way: not a directory"},
		{map[string]string{"/a\x00": ""}, `invalid path: "/a\x00"`},
	} {
		tree, ctx := vfs.Temp(tt.files), t.Context()
		_, readErr := tree.Read(ctx, "/a")
		_, statErr := tree.Stat(ctx, "/a")
		errs := []error{readErr, statErr, tree.Write(ctx, "/b", nil), tree.Delete(ctx, "/a")}
		for _, err := range tree.List(ctx, "/") {
			errs = append(errs, err)
		}
		for _, err := range errs {
			if err == nil || err.Error() != tt.want {
				t.Errorf("Temp(%q): %v, want %q", tt.files, err, tt.want)
			}
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, p := range []string{"**", "**/*.go", "a/**", "*/b/*", "{a,a/b}/*", "./a/*", `a/\*`, "[ab]*", "a/b/c.go", "a**", "**/{b,c}/**", "/a", "a/", "[^/]/b", `\a/b`} {
		f.Add(p, "/")
		f.Add(p, "/a")
	}
	tree := vfs.Temp(map[string]string{
		"/a/b/c.go": "", "/a/b/d": "", "/a-b/c": "", "/a/.x/y": "", "/b": "", "/a/*/z": "", "/é/b/a": "", "/a/b-c": "", `/a/\`: "",
	})
	everything := collect(f.Context(), tree, "**", "/")
	f.Fuzz(func(t *testing.T, pattern, dir string) {
		root, err := vfs.Normalize(dir)
		if err != nil || len(pattern) > 100 || spelled(pattern) {
			return
		}
		// A walk of all, filtered, is what Glob must find without it.
		want := []string{}
		for _, p := range everything {
			rel, ok := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
			if ok && doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "./"), rel) {
				want = append(want, p)
			}
		}
		if !doublestar.ValidatePattern(strings.TrimPrefix(pattern, "./")) {
			want = []string{"error"}
		}
		if diff := cmp.Diff(want, collect(t.Context(), tree, pattern, dir)); diff != "" {
			t.Errorf("Glob(%q, %q) (-want +got):\n%s", pattern, dir, diff)
		}
	})
}

// spelled reports whether a pattern has what its path-like spelling means
// beyond its wildcards, which vfstest has rules for.
func spelled(pattern string) bool {
	return strings.HasSuffix(pattern, "/") || strings.Contains(pattern, "//") ||
		strings.Contains(pattern, "/./") || strings.Contains(pattern, "..")
}

// collect returns the paths of a glob, or "error".
func collect(ctx context.Context, tree vfs.FileSystem, pattern, dir string) []string {
	out := []string{}
	for e, err := range tree.Glob(ctx, pattern, dir) {
		if err != nil {
			return []string{"error"}
		}
		out = append(out, e.Path)
	}
	if !slices.IsSorted(out) {
		out = append(out, "not sorted")
	}
	return out
}

// Literal prefilters and context must not change what a plain loop over lines
// finds.
func FuzzGrep(f *testing.F) {
	for _, p := range []string{"a", "A.*b", "(ab)+c", "^$", "x|y", "k", "\\bab", "a\r", "a{2,}", "[ab]c", "é", "a\nb", "\ufffd", "^\uFEFF"} {
		f.Add(p, "a\nAb\nababc\r\n\nxyK\u212a\naab c\nc\xffé\nlast", true, uint8(1), uint8(1))
		f.Add(p, "\uFEFFa\nAb\nababc\r\n\nxyK\naab c\n", false, uint8(0), uint8(2))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool, before, after uint8) {
		if strings.Contains(text, "\x00") || len(text) > 1000 {
			return
		}
		q := vfs.GrepQuery{Pattern: pattern, IgnoreCase: fold, Before: int(before), After: int(after)}
		var got []vfs.GrepResult
		for r, err := range vfs.Temp(map[string]string{"/f": text}).Grep(t.Context(), q) {
			if err != nil {
				got = append(got, vfs.GrepResult{Text: err.Error()})
				break
			}
			got = append(got, r)
		}
		if diff := cmp.Diff(plainGrep(q, text), got); diff != "" {
			t.Errorf("Grep(%+v) of %q (-want +got):\n%s", q, text, diff)
		}
	})
}

// plainGrep is Grep the simple way, over the text of /f.
func plainGrep(q vfs.GrepQuery, text string) []vfs.GrepResult {
	flags := ""
	if q.IgnoreCase {
		flags = "(?i)"
	}
	re, err := regexp.Compile(flags + q.Pattern)
	if err != nil {
		return []vfs.GrepResult{{Text: fmt.Sprintf("invalid grep pattern: %s", q.Pattern)}}
	}
	if text = strings.TrimPrefix(text, "\uFEFF"); text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	match := make([]bool, len(lines))
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
		match[i] = re.MatchString(lines[i])
	}
	var out []vfs.GrepResult
	for i, l := range lines {
		near := slices.Contains(match[max(0, i-q.After):min(len(lines), i+q.Before+1)], true)
		if near {
			if !utf8.ValidString(l) {
				l = strings.ToValidUTF8(l, "\ufffd")
			}
			out = append(out, vfs.GrepResult{Path: "/f", Line: i + 1, Text: l, Context: !match[i]})
		}
	}
	return out
}
