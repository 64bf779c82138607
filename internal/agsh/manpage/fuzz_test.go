package manpage

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"agsh.dev/internal/term/text"
)

// FuzzRenderLosesNoWord: whatever a description is, every word of it is on the
// page, no line is too long, and nothing could steer a terminal.
func FuzzRenderLosesNoWord(f *testing.F) {
	if source, err := os.ReadFile("testdata/markdown.md"); err == nil {
		f.Add(string(source), uint8(80))
	}
	for _, seed := range []string{
		"Pass <placeholder> to Map<String, Int> & \"<\"", "<b>x</b>\n\n<!-- c -->\n<?php x ?>", "[a]: b 'c'\n[a][]", "1) x\n   - y\n\n     z",
		"| a | b |\n|--:|---|\n| c | d |", "~~~ lang more\ncode\n~~~", "> a\nb\n> > c", "x[^1]\n\n[^1]: note", "a\\\nb  \nc", "![i](<u v> \"t\")",
		"*.ts,*.js __x__ **/*.go", "&amp;lt; &#0; &#x110000; &notanentity;", "\ta\n    b\n\n\tc", "Term\n: definition", "=\n=\na\n=", "+\n+ x",
	} {
		f.Add(seed, uint8(0))
		f.Add(seed, uint8(24))
	}
	f.Fuzz(func(t *testing.T, source string, width uint8) {
		got := Render(Page{Name: "x", Description: source}, Options{Width: int(width)})
		limit := maxWidth
		if width > 0 {
			limit = max(minWidth, min(int(width), maxWidth))
		}
		for line := range strings.SplitSeq(got, "\n") {
			if text.Width(line) > limit {
				t.Errorf("a line of %d cells in %d: %q\nsource %q", text.Width(line), limit, line, source)
			}
		}
		if text.Escape(got) != got {
			t.Errorf("not escaped: %q", got)
		}
		shown := letters(got)
		for _, word := range regexp.MustCompile(`[\p{L}\p{N}]+`).FindAllString(readable(source), -1) {
			if !strings.Contains(shown, word) {
				t.Errorf("word %q of %q is not in\n%s", word, source, got)
			}
		}
	})
}

// readable is the source without character references, which stand for
// something else, and without the numbers of lists, which are counted anew.
func readable(source string) string {
	return regexp.MustCompile(`&[^;\s]*;?|[0-9]{1,9}[.)]`).ReplaceAllString(source, " ")
}

// letters drops everything but letters and digits, and with it line breaks
// inside long words.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s)
}
