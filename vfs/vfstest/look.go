package vfstest

import (
	"testing"

	"agsh.dev/vfs"
)

// png is the beginning of an image file.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// lookRules are about Stat and Read.
func lookRules() []Rule {
	return []Rule{
		{"stat tells files, directories and missing paths apart", statKinds},
		{"stat gives the normalized path and the size", statInfo},
		{"every form of a path names the same file", pathForms},
		{"a NUL byte or invalid UTF-8 in a path is refused by every verb", badPaths},
		{"the segments of a path are whole names", wholeSegments},
		{"read returns text as it is", readText},
		{"read returns images", readImages},
		{"read refuses other binary content and says so", readBinary},
		{"read of a missing path is not found", readMissing},
		{"read of a directory is an error", readDir},
		{"a cancelled context ends a verb", cancelled},
	}
}

func statKinds(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a/b/c.txt": "x"})
	for p, want := range map[string]vfs.Kind{
		"/": vfs.KindDir, "/a": vfs.KindDir, "/a/b": vfs.KindDir, "/a/b/c.txt": vfs.KindFile,
		"/a/b/c": vfs.KindMissing, "/a/x/c.txt": vfs.KindMissing, "/a/b/c.txt/d": vfs.KindMissing, "/a/b/c.tx": vfs.KindMissing,
	} {
		wantKind(t.Context(), t, tree, p, want)
	}
}

func statInfo(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a.txt": "four"})
	info, err := tree.Stat(t.Context(), "x/../a.txt")
	want := vfs.FileInfo{Path: "/a.txt", Kind: vfs.KindFile, Size: 4}
	if err != nil || info != want {
		t.Errorf("Stat = %+v, %v, want %+v", info, err, want)
	}
}

func pathForms(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a/b.txt": "x"})
	for _, p := range []string{"/a/b.txt", "a/b.txt", "/a//b.txt", "/a/./b.txt", "/a/b.txt/", "/../a/b.txt", "/x/../a/b.txt", "./a/b.txt"} {
		wantFile(t.Context(), t, tree, p, "x")
	}
	for _, p := range []string{"", "/", ".", "..", "/..", "//"} {
		if got := paths(all(t, tree.List(t.Context(), p))); len(got) != 1 || got[0] != "/a/" {
			t.Errorf("List(%q) = %q, want the root", p, got)
		}
	}
}

func badPaths(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/a": "x"}), t.Context()
	for _, p := range []string{"/a\x00b", "/a\xff"} {
		_, readErr := tree.Read(ctx, p)
		_, statErr := tree.Stat(ctx, p)
		for verb, err := range map[string]error{
			"read": readErr, "stat": statErr,
			"write": tree.Write(ctx, p, nil), "delete": tree.Delete(ctx, p),
			"list": failure(t, tree.List(ctx, p)),
			"glob": failure(t, tree.Glob(ctx, "*", p)),
			"grep": failure(t, tree.Grep(ctx, vfs.GrepQuery{Pattern: "x", Path: p})),
		} {
			t.Run(verb, func(t *testing.T) { wantError(t, err, vfs.ErrInvalidPath, p, "") })
		}
	}
}

func wholeSegments(t *testing.T, mk Maker) {
	tree, ctx := mk(t, map[string]string{"/agent/x": "hit", "/agent-tools/y": "hit", "/agents": "hit"}), t.Context()
	if got := paths(all(t, tree.List(ctx, "/agent"))); len(got) != 1 || got[0] != "/agent/x" {
		t.Errorf("List(/agent) = %q", got)
	}
	if got := paths(all(t, tree.Glob(ctx, "**", "/agent"))); len(got) != 1 || got[0] != "/agent/x" {
		t.Errorf("Glob(**, /agent) = %q", got)
	}
	got := all(t, tree.Grep(ctx, vfs.GrepQuery{Pattern: "hit", Path: "/agent"}))
	if len(got) != 1 || got[0].Path != "/agent/x" {
		t.Errorf("Grep below /agent = %+v", got)
	}
}

func readText(t *testing.T, mk Maker) {
	for _, text := range []string{"", "one\n", "one", "a\r\nb\r\n", "日本語\n\ttab\x1b[0m", "\xef\xbb\xbfbom"} {
		wantFile(t.Context(), t, mk(t, map[string]string{"/f": text}), "/f", text)
	}
}

func readImages(t *testing.T, mk Maker) {
	for name, head := range map[string]string{
		"png": png, "jpeg": "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "gif": "GIF89a\x01\x00\x01\x00\x80", "webp": "RIFF\x24\x00\x00\x00WEBPVP8 ",
	} {
		wantFile(t.Context(), t, mk(t, map[string]string{"/" + name: head}), "/"+name, head)
	}
}

func readBinary(t *testing.T, mk Maker) {
	for _, data := range []string{"\x7fELF\x02\x01\x01\x00", "caf\xe9 au lait", "RIFF\x24\x00\x00\x00WAVEfmt "} {
		tree := mk(t, map[string]string{"/f": data})
		_, err := tree.Read(t.Context(), "/f")
		wantError(t, err, vfs.ErrBinary, "/f", "")
	}
}

func readMissing(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a.txt": "x"})
	for _, p := range []string{"/b.txt", "/no/such/dir.txt", "/a.txt/below"} {
		_, err := tree.Read(t.Context(), p)
		wantError(t, err, vfs.ErrNotFound, p, "not found: "+p)
	}
}

func readDir(t *testing.T, mk Maker) {
	tree := mk(t, map[string]string{"/a/b.txt": "x"})
	for _, p := range []string{"/", "/a"} {
		_, err := tree.Read(t.Context(), p)
		wantError(t, err, vfs.ErrIsDir, p, "read "+p+": is a directory")
	}
}
