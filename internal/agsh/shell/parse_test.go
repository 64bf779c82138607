package shell

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", " \t", nil},
		{"only a comment", "# ls", nil},
		{"blanks separate", " read \t/a.txt ", []string{"read", "/a.txt"}},
		{"single quotes are literal", `'a "b" \n $x'`, []string{`a "b" \n $x`}},
		{"double quotes take \\\" and \\\\", `"a \"b\" \\ c"`, []string{`a "b" \ c`}},
		{"double quotes keep other backslashes", `"\n \$x \u00e9 '"`, []string{`\n \$x \u00e9 '`}},
		{"a backslash escapes outside quotes", `a\ b \" \\ \;`, []string{"a b", `"`, `\`, ";"}},
		{"pieces join", `ab'c d'"e"\ f`, []string{"abc de f"}},
		{"empty quotes are a word", `'' "" a''`, []string{"", "", "a"}},
		{"nothing is expanded", "$x ${y} $(z) `w` * ~ ? [a] {b,c} !! a=b", []string{"$x", "${y}", "$(z)", "`w`", "*", "~", "?", "[a]", "{b,c}", "!!", "a=b"}},
		{"# inside a word is a character", `a#b '#c' \#d # e`, []string{"a#b", "#c", "#d"}},
		{"a backslash joins lines", "a \\\n b c\\\nd", []string{"a", "b", "cd"}},
		{"newlines in quotes stay", "'a\nb' \"c\nd\"", []string{"a\nb", "c\nd"}},
		{"< > & inside a word are characters", `a>b a<b http://x/?a=1&b=2 --f=<x> ->`, []string{"a>b", "a<b", "http://x/?a=1&b=2", "--f=<x>", "->"}},
		{"quoted operators are words", `'>' "<" \& '|' ";" \&\&`, []string{">", "<", "&", "|", ";", "&&"}},
		{"any bytes pass", "\xff\x00 é\u0301 日本", []string{"\xff\x00", "é\u0301", "日本"}},
		{"a carriage return ends a line with its newline", "a b\r\n", []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Split(tt.in)
			if err != nil {
				t.Fatalf("Split(%q): %v", tt.in, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Split(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestSyntaxErrorsSayWhereAndWhetherMoreMayMend(t *testing.T) {
	tests := []struct {
		in         string
		line, col  int
		incomplete bool
		msg        string
	}{
		{`say "oops`, 1, 5, true, `quote " is not closed`},
		{"a\nsay 'oops\nb", 2, 5, true, "quote ' is not closed"},
		{"é 'oops", 1, 3, true, "quote '"},
		{`ls \`, 1, 4, true, "backslash at the end"},
		{"ls |", 1, 5, true, "missing after |"},
		{"ls | # more", 1, 12, true, "missing after |"},
		{"ls &&\n\n", 3, 1, true, "missing after &&"},
		{"ls ||", 1, 6, true, "missing after ||"},
		{"| head", 1, 1, false, "missing before |"},
		{"ls ;; ls", 1, 5, false, "missing before ;"},
		{"ls | | head", 1, 6, false, "missing before |"},
		{"ls && ; ls", 1, 7, false, "missing before ;"},
		{"ls\n; ls", 2, 1, false, "missing before ;"},
		{"ls > out", 1, 4, false, "> would redirect"},
		{"ls >> out", 1, 4, false, ">> would redirect"},
		{"ls 2>/dev/null", 1, 4, false, "2>/dev/null would redirect"},
		{"ls >out", 1, 4, false, "write '>out'"},
		{"ls &>out", 1, 4, false, "would redirect"},
		{"read < in", 1, 6, false, "< would redirect"},
		{"read <<EOF", 1, 6, false, "<<EOF would redirect"},
		{"ls &", 1, 4, false, "& would start a job"},
		{"ls& ls", 1, 1, false, "ls& would start a job"},
		{"ls |& head", 1, 5, false, "would start a job"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.in)
		se, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("Parse(%q) error = %v, want a *SyntaxError", tt.in, err)
			continue
		}
		if se.Line != tt.line || se.Col != tt.col || se.Incomplete != tt.incomplete || !strings.Contains(se.Msg, tt.msg) {
			t.Errorf("Parse(%q) error = %v (incomplete %v), want %d:%d %q (incomplete %v)",
				tt.in, se, se.Incomplete, tt.line, tt.col, tt.msg, tt.incomplete)
		}
	}
}

func TestSplitWantsOneCommand(t *testing.T) {
	for _, in := range []string{"a | head", "a; b", "a && b", "a\nb"} {
		if words, err := Split(in); err == nil {
			t.Errorf("Split(%q) = %q, want an error", in, words)
		}
	}
}

func TestParseStructure(t *testing.T) {
	got, err := Parse("ls /|head -n 1;ls /x&&wc -l || b # c\n\n c |\n wc")
	if err != nil {
		t.Fatal(err)
	}
	at := func(offset, line, col int, words ...string) Stage {
		return Stage{Pos: Pos{Offset: offset, Line: line, Col: col}, Words: words}
	}
	want := &Script{Pipelines: []Pipeline{
		{When: Always, Stages: []Stage{at(0, 1, 1, "ls", "/"), at(5, 1, 6, "head", "-n", "1")}},
		{When: Always, Stages: []Stage{at(15, 1, 16, "ls", "/x")}},
		{When: IfSucceeded, Stages: []Stage{at(22, 1, 23, "wc", "-l")}},
		{When: IfFailed, Stages: []Stage{at(31, 1, 32, "b")}},
		{When: Always, Stages: []Stage{at(39, 3, 2, "c"), at(44, 4, 2, "wc")}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	if got, want := got.String(), "ls / | head -n 1; ls /x && wc -l || b; c | wc"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func TestQuoteIsPlainWherePossible(t *testing.T) {
	for in, want := range map[string]string{
		"":           "''",
		"/repo/a-b":  "/repo/a-b",
		"a b":        "'a b'",
		"it's":       `'it'\''s'`,
		"*":          "'*'",
		"#x":         "'#x'",
		"a\nb":       "'a\nb'",
		"--x=1,2":    "--x=1,2",
		"{\"a\": 1}": `'{"a": 1}'`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

// Where the two languages overlap, bash is the judge.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed:", err)
	}
	lines := []string{
		`say --text "he said \"hi\""`, `say --text ab'c d'"e"`, `say ''`, `a "" b`, "a\\\nb", "'a\nb'", "\"a\\\nb\"",
		`"\a\\b"`, `a#b #c`, `'#' \#`, `"oops`, `'oops`, `'it'\''s'`, `""''`, "a\\ \\\tb", `"é" 日本`,
	}
	const alphabet = `ab  '"\#` + "\t"
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			b.WriteByte(alphabet[rnd.IntN(len(alphabet))])
		}
		// At the very end bash keeps a backslash that agsh asks about.
		lines = append(lines, b.String()+" .")
	}
	cmd := exec.CommandContext(t.Context(), bash, "-c", `while IFS= read -r -d "" l; do
		(eval "set -- $l" && printf "%s\0" ok $# "$@") || printf "bad\0"; done`)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(string(out), "\x00")
	for _, line := range lines {
		var want []string
		ok := answers[0] == "ok"
		answers = answers[1:]
		if ok {
			n, err := strconv.Atoi(answers[0])
			if err != nil {
				t.Fatal(err)
			}
			want, answers = append(want, answers[1:1+n]...), answers[1+n:]
		}
		got, err := Split(line)
		if (err == nil) != ok || !cmp.Equal(got, want) {
			t.Errorf("Split(%q) = %q, %v; bash has %q (accepted: %v)", line, got, err, want, ok)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "a", "it's", "\n", "\\", "\"", "#", "&", "2>", "\xff", "\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, w string) {
		got, err := Split(Quote(w))
		if err != nil || len(got) != 1 || got[0] != w {
			t.Errorf("Split(Quote(%q)) = %q, %v", w, got, err)
		}
		two, err := Split(Quote(w) + " " + Quote(w))
		if err != nil || len(two) != 2 || two[0] != w || two[1] != w {
			t.Errorf("Split of two Quote(%q) = %q, %v", w, two, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ls /|head -n 1;ls /x&&wc -l", "a 'b\nc' \\\n d # e\nf", "\"", "a\r\n\r\n|", "a && \n b || c"} {
		f.Add(s)
	}
	type stages [][]string
	words := func(s *Script) (all []stages) {
		for _, p := range s.Pipelines {
			one := stages{{p.When.String()}}
			for _, st := range p.Stages {
				one = append(one, st.Words)
			}
			all = append(all, one)
		}
		return all
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := Parse(src)
		if err != nil {
			se, ok := errors.AsType[*SyntaxError](err)
			if !ok || se.Offset < 0 || se.Offset > len(src) || se.Line != 1+strings.Count(src[:se.Offset], "\n") {
				t.Errorf("Parse(%q) error = %#v", src, err)
			}
			return
		}
		again, err := Parse(s.String())
		if err != nil {
			t.Fatalf("Parse(%q), which is %q requoted: %v", s.String(), src, err)
		}
		if diff := cmp.Diff(words(s), words(again)); diff != "" {
			t.Errorf("Parse(%q) requoted (-want +got):\n%s", src, diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := string(bytes.Repeat([]byte("create --data '{\"path\": \"a b\", \"n\": 1}' | jq -r .id && ls\n"), 1000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
