package manpage

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/term/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var readPage = Page{
	Name: "read", Title: "Read a file", Synopsis: "read [options...] <path>",
	Description: "Gives the text of a file. Images are *described*: `jpeg`, `png`, `gif` and `webp` are known, and their size is told.\n\nLines are numbered when `--offset` is given.",
	Operands:    []Entry{{Term: "<path>", Text: "Where the file is, from the root of the tree."}},
	Options: []Entry{
		{Term: "--offset <integer>", Text: "The first line to give. Lines count from 1; a negative number counts from the end of the file, so that -1 is the last line."},
		{Term: "--limit <integer>", Text: "How many lines to give.", Facts: "Default: 2000."},
		{Term: "--encoding <utf-8|latin1>"},
	},
	Notes: []string{"Effect: read (performs no writes).", "Source: authored."},
}

var index = Index{
	Name: "change-monitor-executor", Description: "Watches what a change does once it is live.",
	Groups: []Group{
		{"COMMANDS", []Row{
			{"diff", "Show workspace changes"},
			{"glob", "Find files by pattern"},
			{"grep", "Search file contents"},
			{"report_change_issue", ""},
			{"report_change_succeeded", ""},
		}},
		{"datadog", []Row{{"datadog_list_monitors", "List monitors"}, {"datadog_a_name_that_is_longer_than_half_a_narrow_page", "Something"}}},
	},
	Unavailable: []Row{{"sentry", "connect: connection refused"}},
	Footer:      "Run any command with --help for its synopsis and options.",
}

func TestAPageIsLaidOutAsAManual(t *testing.T) {
	golden(t, "page.golden", Render(readPage, Options{Width: 76}))
	golden(t, "page_narrow.golden", Render(readPage, Options{Width: 40}))
	golden(t, "page_color.golden", strings.ReplaceAll(Render(readPage, Options{Width: 76, Color: true}), "\x1b", "␛"))
}

func TestTheIndexGroupsCommandsBySource(t *testing.T) {
	golden(t, "index.golden", RenderIndex(index, Options{}))
	golden(t, "index_narrow.golden", RenderIndex(index, Options{Width: 44}))
}

func TestMarkdownIsLaidOut(t *testing.T) {
	source, err := os.ReadFile("testdata/markdown.md")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "markdown.golden", Render(Page{Name: "m", Description: string(source)}, Options{Width: 72}))
}

func TestNoWordIsLost(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"Pass <placeholder> here", "Pass <placeholder> here"},
		{"<placeholder>", "<placeholder>"},
		{"Returns Map<String, Int> and List<T>", "Returns Map<String, Int> and List<T>"},
		{"a & b &amp; c &lt;d&gt; &copy; &#65; &nosuch; x?a=1&copy=2", "a & b & c <d> © A &nosuch; x?a=1&copy=2"},
		{`write "<" or '>' or \<x\>`, `write "<" or '>' or <x>`},
		{"<details>\n<summary>More & more</summary>\n\nBody\n</details>", "<details> <summary>More & more</summary> Body </details>"},
		{"<!-- a\ncomment -->", "<!-- a comment -->"},
		{"see [the docs](https://x.test/a_b \"T\") and ![pic](i.png)", `see the docs (https://x.test/a_b "T") and pic (i.png)`},
		{"[https://x.test](https://x.test) <https://y.test> https://z.test", "https://x.test https://y.test https://z.test"},
		{"see [x][ref]\n\n[ref]: https://x.test \"Title\"", `see [x][ref] [ref]: https://x.test "Title"`},
		{"a note[^1]\n\n[^1]: the note", "a note[^1] [^1]: the note"},
		{"| a | b |\n|---|---|\n| 1 | 2 |", "| a | b | |---|---| | 1 | 2 |"},
		{"```json\n{\"a\":  1}\n```", "json: {\"a\":  1}"},
		{"match *.ts,*.js or **/*.go, not a*b*c", "match *.ts,*.js or **/*.go, not a*b*c"},
		{"run __init__.py and snake_case_name, *args, **kwargs", "run __init__.py and snake_case_name, *args, **kwargs"},
		{"this is *very* **bold text** and _quite so_", "this is very bold text and quite so"},
		{"***both*** and **`code`** and *\"quoted\"*", "both and code and \"quoted\""},
		{"C:\\temp \\d+ \\* `\\*`", `C:\temp \d+ * \*`},
		{"- [ ] one\n- [x] two\n  1. three", "- [ ] one - [x] two 1. three"},
		{"# Title #\n\nSub\n===\n\n> quote\n\n---", "Title Sub > quote ---"},
		{"Args:\n    path: where\n    limit: how many", "Args: path: where limit: how many"},
		{"one  \ntwo\\\nthree\nfour", "one two three four"},
		{"-\n-", "- -"},
	} {
		lines := Render(Page{Description: tt.source}, Options{Width: 90})
		got := strings.Join(strings.Split(strings.TrimPrefix(lines, "DESCRIPTION\n    "), "\n"), " ")
		if squeeze(got) != squeeze(tt.want) {
			t.Errorf("%q\n got %q\nwant %q", tt.source, squeeze(got), squeeze(tt.want))
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestADocstringKeepsItsLines(t *testing.T) {
	got := Render(Page{Description: "Args:\n    path: where\n    limit: how\nmany"}, Options{})
	want := "DESCRIPTION\n    Args:\n        path: where\n        limit: how many\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestR75_NoControlCharacterReachesATerminal(t *testing.T) {
	evil := "\x1b[2J\x1b]0;x\x07 \u009b \u202e &#27;[1m &#x9b; `\x1b` [\x1b](\x1b) <\x1b>\n\n    \x1b\n\n```\x1b\n\x1b\n```\n\n| \x1b |\n|--|\n\n<div>\n\x1b\r\n\x00\v\xff"
	page := Page{
		Name: evil, Title: evil, Synopsis: evil, Description: evil,
		Operands: []Entry{{Term: evil, Text: evil}}, Options: []Entry{{evil, evil, evil, []Entry{{Term: evil, Text: evil, Facts: evil}}}}, Notes: []string{evil},
	}
	idx := Index{Name: evil, Description: evil, Groups: []Group{{evil, []Row{{evil, evil}}}}, Unavailable: []Row{{evil, evil}}, Footer: evil}
	for _, got := range []string{Render(page, Options{}), RenderIndex(idx, Options{})} {
		if text.Escape(got) != got || strings.Contains(got, "\r") {
			t.Errorf("raw control characters in %q", got)
		}
		if !strings.Contains(got, `\x1b[2J`) || !strings.Contains(got, `\u202e`) {
			t.Errorf("control characters are not shown in %q", got)
		}
	}
}

func TestColorOnlyAddsStyles(t *testing.T) {
	plain, styled := Render(readPage, Options{Width: 60}), Render(readPage, Options{Width: 60, Color: true})
	stripped := styled
	for _, seq := range []string{"\x1b[1m", "\x1b[4m", "\x1b[36m", "\x1b[0m"} {
		stripped = strings.ReplaceAll(stripped, seq, "")
	}
	if styled == plain || stripped != plain {
		t.Errorf("without its styles the page is\n%s\nwant\n%s", stripped, plain)
	}
}

func TestLongTextsAreShownInReasonableTime(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("word ", 100_000), strings.Repeat(">", 60_000), strings.Repeat(">", 16_000), strings.Repeat("- ", 8_000) + "x",
		strings.Repeat("1. ", 5_000) + "x", strings.Repeat("*a ", 5_000), strings.Repeat("[", 16_000), strings.Repeat("<a ", 5_000),
		strings.Repeat("`", 8_000) + strings.Repeat("x", 8_000), strings.Repeat("![](", 4_000), strings.Repeat("_*", 8_000), strings.Repeat("_*", 900),
		strings.Repeat("&", 16_000), strings.Repeat("> - ", 20) + "x",
	} {
		began := time.Now()
		got := Render(Page{Description: source}, Options{})
		for line := range strings.SplitSeq(got, "\n") {
			if text.Width(line) > maxWidth {
				t.Errorf("%.20q: a line of %d cells", source, text.Width(line))
				break
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.20q took %v", source, took)
		}
	}
}
