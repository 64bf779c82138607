package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

func TestEscapeShowsWhatSteersATerminal(t *testing.T) {
	tests := []struct {
		name, in, want, line string // line is EscapeLine's answer, if it differs
	}{
		{name: "empty"},
		{name: "plain", in: `C:\dir "q" é 勿删 🙂`, want: `C:\dir "q" é 勿删 🙂`},
		{name: "layout", in: "a\tb\nc\r\nd", want: "a\tb\nc\r\nd", line: `a\tb\nc\r\nd`},
		{name: "lone carriage return", in: "50%\r60%", want: `50%\r60%`},
		{name: "final carriage return", in: "a\n\r", want: "a\n\\r", line: `a\n\r`},
		{name: "clear screen", in: "\x1b[2J", want: `\x1b[2J`},
		{name: "title", in: "\x1b]0;x\a", want: `\x1b]0;x\x07`},
		{name: "nul and del", in: "\x00\x7f", want: `\x00\x7f`},
		{name: "C1 as a rune", in: "\u009b2J\u0085", want: `\u009b2J\u0085`},
		{name: "C1 as a byte", in: "\x9b2J", want: `\x9b2J`},
		{name: "bidi", in: "\u061c\u200e\u200f\u202a\u202e\u2066\u2069", want: `\u061c\u200e\u200f\u202a\u202e\u2066\u2069`},
		{name: "separators", in: "a\u2028b\u2029", want: `a\u2028b\u2029`},
		{name: "neighbours of bidi", in: "\u061b\u200d\u2010\u2027\u202f\u2065\u206a", want: "\u061b\u200d\u2010\u2027\u202f\u2065\u206a"},
		{name: "broken UTF-8", in: "a\xff\xe5\x8bz", want: `a\xff\xe5\x8bz`},
		{name: "replacement character", in: "\ufffd", want: "\ufffd"},
		{name: "surrogate bytes", in: "\xed\xa0\x80", want: `\xed\xa0\x80`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Escape(tt.in); got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.in, got, tt.want)
			}
			line := tt.line
			if line == "" {
				line = tt.want
			}
			if got := text.EscapeLine(tt.in); got != line {
				t.Errorf("EscapeLine(%q) = %q, want %q", tt.in, got, line)
			}
		})
	}
}

func TestEscapeFindsEveryByteAnywhereInAWord(t *testing.T) {
	for c := range 256 {
		for at := range 9 {
			in := []byte("~~  ~~  ~")
			in[at] = byte(c)
			plain := c >= ' ' && c < 0x7f || c == '\n' || c == '\t'
			if got := text.Escape(string(in)); (got == string(in)) != plain {
				t.Errorf("Escape(%q) = %q", in, got)
			}
		}
	}
}

func TestEscapeOfCleanTextAllocatesNothing(t *testing.T) {
	clean := strings.Repeat("plain text, é 勿删 🙂\r\n\t", 100)
	if n := testing.AllocsPerRun(10, func() { _ = text.Escape(clean) }); n != 0 {
		t.Errorf("Escape of clean text allocates %v times, want 0", n)
	}
}

func FuzzEscapeLeavesNothingToEscape(f *testing.F) {
	for _, s := range []string{"", "a\r\n", "\r\r\n", "\x1b[31m\u202e", "\xc2\x9b\xc2", "\u2028\xf0\x9f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Escape(s)
		if again := text.Escape(got); again != got {
			t.Errorf("Escape(%q) = %q, which escapes again to %q", s, got, again)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, text.IsControl) {
			t.Errorf("Escape(%q) = %q, which has a control or a broken character", s, got)
		}
		if line := text.EscapeLine(s); strings.ContainsAny(line, "\n\r\t") || text.Escape(line) != line {
			t.Errorf("EscapeLine(%q) = %q, which is not one clean line", s, line)
		}
	})
}

func BenchmarkEscape(b *testing.B) {
	for _, bb := range []struct{ name, line string }{
		{"ascii", "func main() { return } // a line of ordinary source text\n"},
		{"cjk", "请勿删除这一行文字\n"},
	} {
		in := strings.Repeat(bb.line, 1<<20/len(bb.line))
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				_ = text.Escape(in)
			}
		})
	}
}
