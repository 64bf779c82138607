package vfstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agsh.dev/vfs"
)

// grepRules are about Grep.
func grepRules() []Rule {
	rules := []Rule{
		{"grep of an invalid pattern is the contract error", grepInvalid},
		{"grep of a missing path yields nothing", grepMissing},
		{"grep text is valid UTF-8", grepUTF8},
	}
	for _, c := range grepCases() {
		rules = append(rules, Rule{"grep: " + c.name, c.check})
	}
	return rules
}

type grepCase struct {
	name  string
	files map[string]string
	query vfs.GrepQuery
	want  []string // path:line:text, or path-line-text for context
}

func grepCases() []grepCase {
	words := map[string]string{"/w": "one\ntwo\nthree\nfour\nfive\nsix\n"}
	tree := map[string]string{"/a.go": "hit", "/n/b.go": "no\nhit\n", "/n/c.ts": "hit", "/n/m/d.go": "hit"}
	return []grepCase{
		{
			"hits by path, then line", tree,
			vfs.GrepQuery{Pattern: "hit"},
			[]string{"/a.go:1:hit", "/n/b.go:2:hit", "/n/c.ts:1:hit", "/n/m/d.go:1:hit"},
		},
		{"a file alone", tree, vfs.GrepQuery{Pattern: "hit", Path: "/n/b.go"}, []string{"/n/b.go:2:hit"}},
		{"only under its path", tree, vfs.GrepQuery{Pattern: "hit", Path: "/n/m"}, []string{"/n/m/d.go:1:hit"}},
		{
			"a glob without a slash is about the base name at any depth", tree,
			vfs.GrepQuery{Pattern: "hit", Glob: "*.go", Path: "/n"},
			[]string{"/n/b.go:2:hit", "/n/m/d.go:1:hit"},
		},
		{"a glob with a slash is about the path under the root", tree, vfs.GrepQuery{Pattern: "hit", Glob: "n/*.go"}, []string{"/n/b.go:2:hit"}},
		{"a glob with a leading slash is anchored", tree, vfs.GrepQuery{Pattern: "hit", Glob: "/*.go"}, []string{"/a.go:1:hit"}},
		{"a glob with a slash at its end is all below", tree, vfs.GrepQuery{Pattern: "hit", Glob: "n/"}, []string{"/n/b.go:2:hit", "/n/c.ts:1:hit", "/n/m/d.go:1:hit"}},
		{
			"a byte order mark is no part of the first line",
			map[string]string{"/f": "\xef\xbb\xbfhit\n\xef\xbb\xbfhit\n"},
			vfs.GrepQuery{Pattern: "^hit"},
			[]string{"/f:1:hit"},
		},
		{"maxResults counts matching lines", tree, vfs.GrepQuery{Pattern: "hit", MaxResults: 2}, []string{"/a.go:1:hit", "/n/b.go:2:hit"}},
		{"case counts", map[string]string{"/f": "Hit\nhit\n"}, vfs.GrepQuery{Pattern: "hit"}, []string{"/f:2:hit"}},
		{
			"case does not count if asked",
			map[string]string{"/f": "HiT\nmiss\nHIT\nKELVIN \u212a\n"},
			vfs.GrepQuery{Pattern: "hit|kelvin k", IgnoreCase: true},
			[]string{"/f:1:HiT", "/f:3:HIT", "/f:4:KELVIN \u212a"},
		},
		{
			"case does not count for a literal",
			map[string]string{"/f": "xxDEPRECATED: a\nDePrEcAtEd\ndeprecate\n"},
			vfs.GrepQuery{Pattern: "deprecated", IgnoreCase: true},
			[]string{"/f:1:xxDEPRECATED: a", "/f:2:DePrEcAtEd"},
		},
		{"anchors are about lines", words, vfs.GrepQuery{Pattern: "^t.*e$"}, []string{"/w:3:three"}},
		{"anchors see lines with CRLF ends", map[string]string{"/f": "one\r\ntwo\r\n"}, vfs.GrepQuery{Pattern: "^two$"}, []string{"/f:2:two"}},
		{"a pattern matches within a line only", words, vfs.GrepQuery{Pattern: `one\s+two`}, nil},
		{"the newline at the end begins no line", map[string]string{"/f": "a\n\n", "/empty": ""}, vfs.GrepQuery{Pattern: "^$"}, []string{"/f:2:"}},
		{"several hits in a line are one", map[string]string{"/f": "hit hit\n"}, vfs.GrepQuery{Pattern: "hit"}, []string{"/f:1:hit hit"}},
		{
			"context before and after", words,
			vfs.GrepQuery{Pattern: "three", Before: 1, After: 2},
			[]string{"/w-2-two", "/w:3:three", "/w-4-four", "/w-5-five"},
		},
		{
			"context is never repeated", words,
			vfs.GrepQuery{Pattern: "one|three|four", Before: 5, After: 1},
			[]string{"/w:1:one", "/w-2-two", "/w:3:three", "/w:4:four", "/w-5-five"},
		},
		{"context ends with the file", words, vfs.GrepQuery{Pattern: "six", Before: 1, After: 9}, []string{"/w-5-five", "/w:6:six"}},
		{
			"context after the last result stops at the next match", words,
			vfs.GrepQuery{Pattern: "two|four", After: 3, MaxResults: 1},
			[]string{"/w:2:two", "/w-3-three"},
		},
		{"a binary file is passed over", map[string]string{"/bin": "hit\x00\n", "/txt": "hit\n"}, vfs.GrepQuery{Pattern: "hit"}, []string{"/txt:1:hit"}},
		{
			"a NUL byte beyond the first 8 KiB does not count",
			map[string]string{"/f": strings.Repeat("x", 9000) + "\x00\nhit\n"},
			vfs.GrepQuery{Pattern: "^hit"},
			[]string{"/f:2:hit"},
		},
	}
}

func (c grepCase) check(t *testing.T, mk Maker) {
	var got []string
	for _, r := range all(t, mk(t, c.files).Grep(t.Context(), c.query)) {
		format := "%s:%d:%s"
		if r.Context {
			format = "%s-%d-%s"
		}
		got = append(got, fmt.Sprintf(format, r.Path, r.Line, r.Text))
	}
	if !slices.Equal(got, c.want) {
		t.Errorf("Grep(%+v) = %q, want %q", c.query, got, c.want)
	}
}

func grepInvalid(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a": "x"})
	for _, q := range []vfs.GrepQuery{{Pattern: "(x"}, {Pattern: "(x", IgnoreCase: true}, {Pattern: "x)(", IgnoreCase: true}} {
		err := failure(t, tree.Grep(t.Context(), q))
		wantError(t, err, vfs.ErrInvalidGrepPattern, "/", "invalid grep pattern: "+q.Pattern)
	}
}

func grepMissing(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a": "x"})
	for _, p := range []string{"/nope", "/a/b"} {
		if got := all(t, tree.Grep(t.Context(), vfs.GrepQuery{Pattern: "x", Path: p})); len(got) != 0 {
			t.Errorf("Grep under %s = %+v", p, got)
		}
	}
}

func grepUTF8(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/latin1": "caf\xe9 hit\n"})
	got := all(t, tree.Grep(t.Context(), vfs.GrepQuery{Pattern: "hit"}))
	if len(got) != 1 || got[0].Text != "caf\ufffd hit" {
		t.Errorf("Grep = %+v", got)
	}
}
