package highlight_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/agsh/highlight"
	"agsh.dev/internal/term/theme"
)

var update = flag.Bool("update", false, "rewrite the wanted text in testdata")

// sgr is every sequence that may be added.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]+m")

// mark shows where a style begins and ends.
func mark(s string) string {
	return regexp.MustCompile("\x1b\\[([0-9;]+)m").ReplaceAllStringFunc(s, func(code string) string {
		if code == "\x1b[0m" {
			return "}"
		}
		return "{" + names[code[2:len(code)-1]] + " "
	})
}

// names are the styles of marked.
var names = map[string]string{}

// marked is a theme in which every style can be told from the others.
func marked() theme.Theme {
	n := 0
	style := func(name string) theme.Style {
		n++
		code := strings.Repeat("1", n)
		names[code] = name
		return theme.Style(code)
	}
	return theme.Theme{
		Heading: style("heading"), Underline: style("underline"), Key: style("key"), String: style("string"),
		Number: style("number"), Literal: style("literal"), Keyword: style("keyword"), Type: style("type"),
		Function: style("function"), Comment: style("comment"), Added: style("added"), Removed: style("removed"),
	}
}

// TestGolden colours the files in testdata.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.want")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata (%v)", err)
	}
	look := marked()
	for _, want := range files {
		name := strings.TrimSuffix(want, ".want")
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := highlight.Text(name, string(src), look)
			check(t, string(src), got)
			if *update {
				if err := os.WriteFile(want, []byte(mark(got)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			b, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(b), mark(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// check is the contract: nothing but colours is added, and none of them goes
// past the end of its line.
func check(t *testing.T, src, got string) {
	t.Helper()
	if plain := sgr.ReplaceAllString(got, ""); plain != sgr.ReplaceAllString(src, "") {
		t.Errorf("the text has changed: %q is %q", src, plain)
	}
	for line := range strings.Lines(got) {
		codes := sgr.FindAllString(line, -1)
		if len(codes)%2 != 0 || len(codes) > 0 && codes[len(codes)-1] != "\x1b[0m" {
			t.Errorf("a colour goes past the end of line %q", line)
		}
	}
}

func TestLanguageIsKnownByTheName(t *testing.T) {
	look := theme.New(16)
	for _, tt := range []struct {
		name, src string
		want      bool
	}{
		{"a.py", "def f(): pass", true},
		{"/a/B.PY", "def f(): pass", true},
		{"/src/Dockerfile", "FROM scratch", true},
		{"Makefile", "a: b\n\techo hi\n", true},
		{"a.json", `{"a":1}`, true},
		{"a.jsonl", "{\"a\":1}\n{\"a\":2}\n", true},
		{"a.htm", "<p class=x>a</p><script>var a = 1</script>", true},
		{"a.h", "int a = 1;", true},
		{"a.sql", "select 1", true},
		{"a.rs", "fn main() {}", true},
		{"A.java", "class A {}", true},
		{"a.rb", "def a; end", true},
		{"a.css", "a { color: red }", true},
		{"a.ini", "[a]\nb = 1\n", true},
		{"a.patch", "+a", true}, // without the end of its line
		{"a.tsx", "const a = 1", true},
		{"a.js", "const a = 1", true},
		{"run", "#!/bin/sh\nif true; then echo; fi\n", true},
		{"run", "#!/usr/bin/env -S python3.12 -u\ndef f(): pass\n", true},
		{"run", "#!/usr/bin/perl\nif (1) {}\n", false},
		{"run.txt", "#!/bin/sh\nif true; then echo; fi\n", false},
		{"LICENSE", "for if then 1", false},
		{"", "def f(): pass", false},
		{"a.", "def f(): pass", false},
		{"a.py", "x = '\xff'", false}, // not UTF-8
	} {
		got := highlight.Text(tt.name, tt.src, look)
		check(t, tt.src, got)
		if (got != tt.src) != tt.want {
			t.Errorf("Text(%q, %q) = %q, want it coloured: %v", tt.name, tt.src, got, tt.want)
		}
		if got := highlight.Text(tt.name, tt.src, theme.Theme{}); got != tt.src {
			t.Errorf("Text(%q, %q) without colours = %q", tt.name, tt.src, got)
		}
	}
}

func TestOnlyTheStartOfALongFileIsColoured(t *testing.T) {
	for name, line := range map[string]string{
		"many short tokens": "x = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n",
		"long lines":        "text = '" + strings.Repeat("x", 2000) + "'\n",
		"one line":          "0, ",
	} {
		src := strings.Repeat(line, 1<<20/len(line))
		got := highlight.Text("a.py", src, theme.New(16))
		check(t, src, got)
		if name == "one line" {
			if got != src {
				t.Errorf("%s: a line that is too long has colours", name)
			}
			continue
		}
		if !sgr.MatchString(got[:200]) || sgr.MatchString(got[64<<10:]) {
			t.Errorf("%s: colours are not at the start only", name)
		}
	}
	src := strings.Repeat("{\"a\": 1}\n", 1<<15)
	if got := highlight.Text("a.jsonl", src, theme.New(16)); !sgr.MatchString(got[len(got)-20:]) {
		t.Errorf("JSON is coloured to the end; got %q there", got[len(got)-20:])
	}
}

func TestJSON(t *testing.T) {
	look := marked()
	for src, want := range map[string]string{
		`{"a\"b" : "c\\", "d":[-1.5e+3,true,null]}`: `{{key "a\"b"} : {string "c\\"}, {key "d"}:[{number -1.5e+3},{literal true},{literal null}]}`,
		`"open`:                 `{string "open}`,
		"\"open\\\n\"":          "{string \"open\\}\n{string \"}",
		"nulls trues":           "nulls trues",
		"":                      "",
		"é {\"é\":\"\\u00e9\"}": "é {{key \"é\"}:{string \"\\u00e9\"}}",
	} {
		got := highlight.JSON(src, look)
		check(t, src, got)
		if mark(got) != want {
			t.Errorf("JSON(%q) = %s, want %s", src, mark(got), want)
		}
	}
}

func FuzzTextAddsOnlyColours(f *testing.F) {
	for _, name := range []string{
		"a.go", "a.json", "a.md", "a.yaml", "a.toml", "a.ini", "a.py", "a.js", "a.ts", "a.sh", "a.html", "a.css", "a.sql",
		"a.rs", "a.c", "a.java", "a.rb", "Dockerfile", "Makefile", "a.diff",
	} {
		f.Add(name, "a: \"b\r\n\tc\" # d\n\n/* e\nf */ `g\nh` <p>\n")
		f.Add(name, "---\na: >\n  b\n---\n# c\n```x\ny\n")
		f.Add(name, "RUN a \\\n  b\n+ c\n\r\r\n\x1b[31m\xff\u2028 é勿")
	}
	look := theme.New(256)
	f.Fuzz(func(t *testing.T, name, src string) {
		if len(src) > 2<<10 {
			return
		}
		src = sgr.ReplaceAllString(src, "") // view has escaped them
		check(t, src, highlight.Text(name, src, look))
	})
}

func BenchmarkText(b *testing.B) {
	for name, line := range map[string]string{
		"a.py":   "def f(a, b=1): return a + 'text' # comment\n",
		"a.go":   "func f(a int) string { return \"text\" } // comment\n",
		"a.md":   "Some *text* with `code` and a [link](to).\n",
		"a.yaml": "- key: a text of words # comment\n",
	} {
		src := strings.Repeat(line, 1<<20/len(line))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = highlight.Text(name, src, theme.New(16))
			}
		})
	}
}
