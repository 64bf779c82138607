package text_test

import (
	"testing"

	"agsh.dev/internal/term/text"
)

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"hello": "hello", "a/b-c": "a/b-c", "": "''", "-x": "'-x'", "~": "'~'", "a b": "'a b'", "it's": `'it'\''s'`,
		"a\nb\x1b'\\": `$'a\nb\x1b\'\\'`, "é": "'é'",
	} {
		if got := text.ShellWord(s); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", s, got, want)
		}
	}
}
