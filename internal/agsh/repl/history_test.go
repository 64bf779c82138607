package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func entriesOf(h *History) []string {
	var all []string
	for i := range h.Len() {
		all = append(all, h.At(h.Len()-1-i))
	}
	return all
}

func mustOpen(t *testing.T, path string) *History {
	t.Helper()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestEntriesSurviveTheFileWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "agsh", "history")
	entries := []string{
		"ls /", "say 'two\nlines'", `say "a\nb" \\ \`, "crlf\r\nx", `\\n`, "日本 🙂", "tab\there", `C:\new\real`,
	}
	h := mustOpen(t, path)
	for _, e := range entries {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(entries, entriesOf(mustOpen(t, path))); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), "\n"); got != len(entries) {
		t.Errorf("the file has %d lines, want one for each of %d entries", got, len(entries))
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", p, got, want)
		}
	}
}

func TestAnEntryAgainIsNotAdded(t *testing.T) {
	h := mustOpen(t, filepath.Join(t.TempDir(), "history"))
	for _, e := range []string{"a", "a", "b", "a"} {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "a"}, entriesOf(h)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestShellsThatShareAFileLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var wg sync.WaitGroup
	const shells, each = 4, 100
	for i := range shells {
		h := mustOpen(t, path)
		wg.Go(func() {
			for j := range each {
				if err := h.Add(fmt.Sprintf("shell %d\nentry %d %s", i, j, strings.Repeat("x", 200))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := map[string]bool{}
	for _, e := range entriesOf(mustOpen(t, path)) {
		got[e] = true
	}
	if len(got) != shells*each {
		t.Errorf("%d entries, want %d", len(got), shells*each)
	}
}

func TestALongFileIsTrimmedToTheNewest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var b strings.Builder
	for i := range trimAbove + 1 {
		fmt.Fprintf(&b, "entry %d\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path)
	h := mustOpen(t, path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprintf("entry %d", trimAbove)
	if h.Len() != keptEntries || h.At(0) != last || strings.Count(string(data), "\n") != keptEntries {
		t.Errorf("%d entries, the newest %q; want %d, %q", h.Len(), h.At(0), keptEntries, last)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the directory holds %v, %v, want one file", left, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestATornLastLineStaysAnEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("a\nto"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := mustOpen(t, path)
	for _, e := range []string{"b", "c"} {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a", "to", "b", "c"}, entriesOf(mustOpen(t, path))); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestAHistoryThatCannotBeKeptSaysSoOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(filepath.Join(file, "history"))
	if err == nil || !strings.Contains(err.Error(), "will not be kept") {
		t.Errorf("OpenHistory below a file: %v", err)
	}
	if err := h.Add("a"); err != nil || h.Len() != 1 {
		t.Errorf("Add: %v, %d entries", err, h.Len())
	}

	dir := filepath.Join(t.TempDir(), "agsh")
	h = mustOpen(t, filepath.Join(dir, "history"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := h.Add("a"); err == nil {
		t.Error("Add without a directory reports nothing")
	}
	if err := h.Add("b"); err != nil || h.Len() != 2 {
		t.Errorf("the second Add: %v, %d entries", err, h.Len())
	}
	if _, err := OpenHistory(t.TempDir()); err == nil {
		t.Error("a directory is taken for a history")
	}
}

func TestSecretsAreNotStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := mustOpen(t, path)
	if err := h.Add("call --token s3cret"); err != nil {
		t.Fatal(err)
	}
	if h.At(0) != "call --token s3cret" {
		t.Errorf("this shell recalls %q", h.At(0))
	}
	if got := mustOpen(t, path).At(0); got != "call --token ***" {
		t.Errorf("the next shell recalls %q", got)
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ in, want string }{
		{"ls /repo", "ls /repo"},
		{"x --token abc /a", "x --token *** /a"},
		{"x --token=abc --n 1", "x --token=*** --n 1"},
		{"x --api-key abc | jq .", "x --api-key *** | jq ."},
		{"x --password 'a b' y", "x --password '***' y"},
		{`x --password "a \" b" y`, `x --password "***" y`},
		{`x --password 'it'\''s' y`, `x --password '***' y`},
		{`x --password a\ b"c d" y`, "x --password *** y"},
		{"x '--secret=a b' y", "x '--secret=***' y"},
		{`x "--secret=a \" b" y`, `x "--secret=***" y`},
		{`x "--secret" abc`, `x "--secret" ***`},
		{"x --password=-abc", "x --password=***"},
		{"x --password -abc", "x --password ***"},
		{"x --bearer-token a --continuation-token b; y --token c", "x --bearer-token *** --continuation-token ***; y --token ***"},
		{"x --token --verbose", "x --token --verbose"},
		{"x --accessToken a --access-token-2 b --client_secret c", "x --accessToken *** --access-token-2 *** --client_secret ***"},
		{"x --a --token b", "x --a --token ***"},
		{"x --max-tokens 5 --token-file f --key k --monkey m", "x --max-tokens 5 --token-file f --key k --monkey m"},
		{`x --json-args '{"token": "a b", "n": 1, "password":"c\"d"}'`, `x --json-args '{"token": "***", "n": 1, "password":"***"}'`},
		{`x --json-args "{\"apiKey\": \"a b\", \"n\": \"x\"}"`, `x --json-args "{\"apiKey\": \"***\", \"n\": \"x\"}"`},
		{`x --json-args "{\"apiKey\": \"a\\\"b\", \"n\": \"x\"}"`, `x --json-args "{\"apiKey\": \"***\", \"n\": \"x\"}"`},
		{`x --json-args '{"pin": 12, "secret": 34}'`, `x --json-args '{"pin": 12, "secret": ***}'`},
		{`x --header "Authorization: Bearer abc"`, `x --header "Authorization: Bearer ***"`},
		{`x --header 'X-Api-Key: abc'`, `x --header 'X-Api-Key: ***'`},
		{`x --text "use Bearer abcdefghijklmnop1234 there"`, `x --text "use Bearer *** there"`},
		{"x --token 'open", "x --token '***"},
		{"x --token \\\n  abc", "x --token \\\n  ***"},
		{"x\ny --token abc\nz", "x\ny --token ***\nz"},
		{"--token", "--token"},
		{"x https://example.com/a?b=c", "x https://example.com/a?b=c"},
	}
	for _, tt := range tests {
		if got := redact(tt.in); got != tt.want {
			t.Errorf("redact(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

func FuzzHistory(f *testing.F) {
	for _, s := range []string{"a", `\n`, "\n", `\\`, "\r\n", `a\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		line := encodeEntry(entry)
		if strings.ContainsAny(line, "\r\n") || decodeEntry(line) != entry {
			t.Errorf("encodeEntry(%q) = %q, which decodes to %q", entry, line, decodeEntry(line))
		}
		redact(entry)
		if secret := "--token='" + strings.ReplaceAll(entry, "'", "") + "S3CRET'"; strings.Contains(redact(secret), "S3CRET") {
			t.Errorf("redact(%q) = %q", secret, redact(secret))
		}
	})
}
