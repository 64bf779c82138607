package vfstest

import (
	"context"
	"slices"
	"testing"

	"agsh.dev/vfs"
)

// walkRules are about List, Glob and Search.
func walkRules() []Rule {
	return []Rule{
		{"list is one level", listLevel},
		{"list of a missing path and of a file yields nothing", listNothing},
		{"walks are sorted by the bytes of full paths", walkOrder},
		{"glob matches relative to its directory", globRelative},
		{"a double star is any number of directories, none included", globDoubleStar},
		{"glob alternatives may hold slashes", globAlternatives},
		{"glob wildcards match names that begin with a dot", globDots},
		{"glob yields files and directories but not its own directory", globDirs},
		{"a glob is read as a path is, and a slash at its end asks for directories", globForms},
		{"no glob leads out of its directory", globUp},
		{"glob of a missing directory and of a file yields nothing", globNothing},
		{"a pattern that is no glob is an error", globInvalid},
		{"stat agrees with what a walk yields", walkAgrees},
		{"a walk may be left early and taken again", walkAgain},
		{"search without an index yields nothing", searchNothing},
	}
}

// cancelled belongs to every verb.
func cancelled(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, readErr := tree.Read(ctx, "/a")
	_, statErr := tree.Stat(ctx, "/a")
	for _, tt := range []struct {
		verb, path string
		err        error
	}{
		{"read", "/a", readErr},
		{"stat", "/a", statErr},
		{"list", "/", failure(t, tree.List(ctx, "/"))},
		{"glob", "/", failure(t, tree.Glob(ctx, "**", "/"))},
		{"grep", "/", failure(t, tree.Grep(ctx, vfs.GrepQuery{Pattern: "x"}))},
		{"write", "/a", tree.Write(ctx, "/a", []byte("changed"))},
		{"delete", "/a", tree.Delete(ctx, "/a")},
	} {
		t.Run(tt.verb, func(t *testing.T) {
			if !refused(t, tt.err, tt.path) {
				wantError(t, tt.err, context.Canceled, tt.path, "")
			}
		})
	}
	wantFile(t.Context(), t, tree, "/a", "x")
}

func wantPaths(t *testing.T, what string, got []vfs.DirEntry, want ...string) {
	t.Helper()
	if p := paths(got); !slices.Equal(p, want) {
		t.Errorf("%s = %q, want %q", what, p, want)
	}
}

func listLevel(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/b.txt": "", "/a/c.txt": "", "/a/d/e.txt": "", "/.h": ""})
	wantPaths(t, "List(/)", all(t, tree.List(t.Context(), "/")), "/.h", "/a/", "/b.txt")
	wantPaths(t, "List(/a)", all(t, tree.List(t.Context(), "/a")), "/a/c.txt", "/a/d/")
}

func listNothing(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a/b.txt": "x"})
	for _, p := range []string{"/nope", "/a/nope/x", "/a/b.txt", "/a/b.txt/c"} {
		wantPaths(t, "List("+p+")", all(t, tree.List(t.Context(), p)))
	}
}

func walkOrder(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{
		"/a/x": "hit", "/a-b": "hit", "/a.d/y": "hit", "/a.d-e/z": "hit", "/a0": "hit", "/B": "hit", "/é": "hit", "/a/b/c": "hit", "/a/b c": "hit",
	})
	want := []string{"/B", "/a/", "/a-b", "/a.d/", "/a.d-e/", "/a.d-e/z", "/a.d/y", "/a/b/", "/a/b c", "/a/b/c", "/a/x", "/a0", "/é"}
	wantPaths(t, "Glob(**)", all(t, tree.Glob(t.Context(), "**", "/")), want...)
	var files []string
	for _, r := range all(t, tree.Grep(t.Context(), vfs.GrepQuery{Pattern: "hit"})) {
		files = append(files, r.Path)
	}
	if !slices.IsSorted(files) || len(files) != 9 {
		t.Errorf("Grep visits %q", files)
	}
	wantPaths(t, "List(/)", all(t, tree.List(t.Context(), "/")), "/B", "/a/", "/a-b", "/a.d/", "/a.d-e/", "/a0", "/é")
}

// tree46 has files at several depths.
func tree46() map[string]string {
	return map[string]string{"/src/a.txt": "", "/src/n/b.txt": "", "/src/n/c.ts": "", "/src/.h/a.txt": ""}
}

func globRelative(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	wantPaths(t, "Glob(*.ts, /src)", all(t, tree.Glob(t.Context(), "*.ts", "/src")))
	wantPaths(t, "Glob(*.txt, /src)", all(t, tree.Glob(t.Context(), "*.txt", "/src")), "/src/a.txt")
	wantPaths(t, "Glob(n/*, /src)", all(t, tree.Glob(t.Context(), "n/*", "/src")), "/src/n/b.txt", "/src/n/c.ts")
	wantPaths(t, "Glob(./n/*.ts, src)", all(t, tree.Glob(t.Context(), "./n/*.ts", "src")), "/src/n/c.ts")
	wantPaths(t, "Glob(src/*.txt)", all(t, tree.Glob(t.Context(), "src/*.txt", "")), "/src/a.txt")
}

func globDoubleStar(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	wantPaths(t, "Glob(**/*.txt)", all(t, tree.Glob(t.Context(), "**/*.txt", "/src")), "/src/.h/a.txt", "/src/a.txt", "/src/n/b.txt")
	wantPaths(t, "Glob(**/{a,b}.txt)", all(t, tree.Glob(t.Context(), "**/{a,b}.txt", "/src")), "/src/.h/a.txt", "/src/a.txt", "/src/n/b.txt")
	wantPaths(t, "Glob(src/**/c.ts)", all(t, tree.Glob(t.Context(), "src/**/c.ts", "/")), "/src/n/c.ts")
}

func globAlternatives(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	wantPaths(t, "Glob({a,n/b}.txt)", all(t, tree.Glob(t.Context(), "{a,n/b}.txt", "/src")), "/src/a.txt", "/src/n/b.txt")
}

func globDots(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	wantPaths(t, "Glob(*/a.txt)", all(t, tree.Glob(t.Context(), "*/a.txt", "/src")), "/src/.h/a.txt")
	wantPaths(t, "Glob(?h)", all(t, tree.Glob(t.Context(), "?h", "/src")), "/src/.h/")
}

func globDirs(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	wantPaths(t, "Glob(**)", all(t, tree.Glob(t.Context(), "**", "/src")),
		"/src/.h/", "/src/.h/a.txt", "/src/a.txt", "/src/n/", "/src/n/b.txt", "/src/n/c.ts")
}

func globForms(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	for pattern, want := range map[string][]string{
		"*/": {"/src/.h/", "/src/n/"}, "n/": {"/src/n/"}, "**/": {"/src/.h/", "/src/n/"}, "a.txt/": {},
		"n//*.ts": {"/src/n/c.ts"}, "./n/./*.ts": {"/src/n/c.ts"},
	} {
		wantPaths(t, "Glob("+pattern+")", all(t, tree.Glob(t.Context(), pattern, "/src")), want...)
	}
}

func globUp(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	for _, pattern := range []string{"..", "../*", "n/../*", "n/.."} {
		err := failure(t, tree.Glob(t.Context(), pattern, "/src"))
		wantError(t, err, vfs.ErrInvalidGlob, "/src", "glob /src: invalid glob pattern: "+pattern+": no .. leads out of the directory")
	}
	wantPaths(t, "Glob(..*)", all(t, tree.Glob(t.Context(), "..*", "/src")))
}

func globNothing(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	for _, dir := range []string{"/nope", "/src/a.txt"} {
		wantPaths(t, "Glob(**, "+dir+")", all(t, tree.Glob(t.Context(), "**", dir)))
	}
}

func globInvalid(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	err := failure(t, tree.Glob(t.Context(), "[a", "/src"))
	wantError(t, err, vfs.ErrInvalidGlob, "/src", "glob /src: invalid glob pattern: [a")
	err = failure(t, tree.Grep(t.Context(), vfs.GrepQuery{Pattern: "x", Glob: "{a", Path: "/src"}))
	wantError(t, err, vfs.ErrInvalidGlob, "/src", "grep /src: invalid glob pattern: {a")
}

func walkAgrees(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	for _, e := range all(t, tree.Glob(t.Context(), "**", "/")) {
		wantKind(t.Context(), t, tree, e.Path, e.Kind)
	}
}

func walkAgain(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	seq := tree.Glob(t.Context(), "**", "/src")
	for e, err := range seq {
		if err != nil || e.Path != "/src/.h" {
			t.Errorf("first = %v, %v", e, err)
		}
		break
	}
	if got := all(t, seq); len(got) != 6 {
		t.Errorf("the second walk yields %q", paths(got))
	}
}

func searchNothing(t *testing.T, mk Maker) {
	tree := mk(t, tree46())
	if got := all(t, tree.Search(t.Context(), vfs.SearchQuery{Query: "a"})); len(got) != 0 {
		t.Errorf("Search = %+v", got)
	}
}
