package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/term/text"
)

func TestWidthCountsCells(t *testing.T) {
	tests := []struct {
		in   string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"勿删", 4},
		{"e\u0301x", 2},
		{"🙂", 2},
		{"👩‍👩‍👧", 2}, // three people joined to one
		{"🇨🇭", 2},
		{"⚠️", 2},
		{"ｶ", 1}, // half-width kana
		{"a\u200bb", 2},
		{" \ufe0f", 1},
	}
	for _, tt := range tests {
		if got := text.Width(tt.in); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestPadAndTruncate(t *testing.T) {
	tests := []struct {
		in             string
		width          int
		pad, truncated string
	}{
		{"abc", 5, "abc  ", "abc"},
		{"abc", 3, "abc", "abc"},
		{"abc", 2, "abc", "a…"},
		{"abc", 1, "abc", "…"},
		{"abc", 0, "abc", ""},
		{"abc", -1, "abc", ""},
		{"勿删除", 5, "勿删除", "勿删…"},
		{"勿删除", 4, "勿删除", "勿…"},
		{"勿删", 6, "勿删  ", "勿删"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301e\u0301", "e\u0301…"},
		{"", 2, "  ", ""},
	}
	for _, tt := range tests {
		if got := text.Pad(tt.in, tt.width); got != tt.pad {
			t.Errorf("Pad(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.pad)
		}
		if got := text.Truncate(tt.in, tt.width); got != tt.truncated {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.truncated)
		}
	}
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		width int
		want  []string
	}{
		{"empty", "", 5, []string{""}},
		{"fits", "ab cd", 5, []string{"ab cd"}},
		{"words", "ab cd ef", 5, []string{"ab cd", "ef"}},
		{"no limit", "ab cd\nef", 0, []string{"ab cd", "ef"}},
		{"newlines", "ab\n\ncd ef gh\n", 5, []string{"ab", "", "cd ef", "gh", ""}},
		{"spaces at the break are dropped", "ab   cdef", 5, []string{"ab", "cdef"}},
		{"spaces within a line are kept", "a  b  c def", 7, []string{"a  b  c", "def"}},
		{"trailing spaces hang", "abcde   ", 5, []string{"abcde"}},
		{"trailing spaces that fit", "abc  ", 5, []string{"abc  "}},
		{"indentation is kept", "  ab cd ef", 7, []string{"  ab cd", "ef"}},
		{"indentation gives way to a word", "    abcdef", 6, []string{"abcdef"}},
		{"indentation alone", "        ", 3, []string{""}},
		{"an id that fits stays whole", "id 3f2a-99 x", 7, []string{"id", "3f2a-99", "x"}},
		{"a long word breaks on its own line", "ab cdefghij k", 4, []string{"ab", "cdef", "ghij", "k"}},
		{"wide characters stay whole", "勿删勿删", 5, []string{"勿删", "勿删"}},
		{"wide character at the edge", "a勿删", 2, []string{"a", "勿", "删"}},
		{"combining marks stay with their letter", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"joined emoji stay joined", "👩‍👩‍👧👩‍👩‍👧", 3, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"a space with a mark is no break", "ab \u0301cd", 4, []string{"ab \u0301c", "d"}},
		{"no-break space is no break", "ab\u00a0cd ef", 5, []string{"ab\u00a0cd", "ef"}},
		{"too wide for the width", "勿a", 1, []string{"勿", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text.Wrap(tt.in, tt.width)); diff != "" {
				t.Errorf("Wrap(%q, %d) (-want +got):\n%s", tt.in, tt.width, diff)
			}
		})
	}
}

func FuzzWrapKeepsEveryCharacterWithinTheWidth(f *testing.F) {
	for _, s := range []string{"ab cd ef", "  勿删 e\u0301x", "a  \u0301 b", "👩‍👩‍👧 \ufe0f🇨🇭🇨🇭", "\u0600 a", "\u200d \u200c  a\n b"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = strings.ReplaceAll(text.EscapeLine(s), `\n`, "\n")
		width = 2 + int(uint(width)%40)
		lines := text.Wrap(s, width)
		for _, line := range lines {
			if got := text.Width(line); got > width {
				t.Errorf("Wrap(%q, %d) has %q of %d cells", s, width, line, got)
			}
		}
		if got, want := squeeze(strings.Join(lines, "")), squeeze(s); got != want {
			t.Errorf("Wrap(%q, %d) = %q, which loses characters", s, width, lines)
		}
		if cut := text.Truncate(s, width); text.Width(cut) > width || !utf8.ValidString(cut) {
			t.Errorf("Truncate(%q, %d) = %q", s, width, cut)
		}
	})
}

// squeeze drops what Wrap may drop.
func squeeze(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
