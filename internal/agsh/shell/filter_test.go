package shell

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// through passes text through the filters of a line such as "head -n 1 | wc".
func through(t *testing.T, text, filters string) (stdout, stderr string, code int) {
	t.Helper()
	f := newFake()
	f.outputs["say"] = text
	code = f.run(t, "say | "+filters)
	return f.stdout.String(), f.stderr.String(), code
}

// sameAs compares a filter with the program of its name, on each text.
func sameAs(t *testing.T, texts, lines []string) {
	t.Helper()
	for _, line := range lines {
		words, err := Split(line)
		if err != nil {
			t.Fatal(err)
		}
		peer, err := exec.LookPath(words[0])
		if err != nil {
			t.Skip("nothing to compare with:", err)
		}
		for _, text := range texts {
			cmd := exec.CommandContext(t.Context(), peer, words[1:]...)
			cmd.Env = []string{"LC_ALL=C.UTF-8"}
			cmd.Stdin = strings.NewReader(text)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
				t.Fatalf("%s: %v", line, err)
			}
			out, msg, code := through(t, text, line)
			if out != stdout.String() || code != cmd.ProcessState.ExitCode() || code == CodeUsage && msg == "" {
				t.Errorf("%s on %.80q:\n got %q, code %d, stderr %q\nwant %q, code %d, stderr %q",
					line, text, out, code, msg, &stdout, cmd.ProcessState.ExitCode(), &stderr)
			}
		}
	}
}

var texts = []string{
	"", "a\nb", "\n\na\nb\nc\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13", "one two\tthree\n  four\né ü 日本\r\n🙂\n",
}

func TestR13_CountsAreThoseOfGNU(t *testing.T) {
	for text, want := range map[string]string{"a\nb\nc\n": "3\n", "a\nb": "1\n", "": "0\n"} {
		if got, _, code := through(t, text, "wc -l"); got != want || code != 0 {
			t.Errorf("wc -l of %q = %q, code %d, want %q", text, got, code, want)
		}
	}
	if got, _, code := through(t, "a\nb\n", "grep x"); got != "" || code != 1 {
		t.Errorf("grep without a hit prints %q, code %d, want nothing and 1", got, code)
	}
	for line, want := range map[string]string{"head -n 0": "", "tail -n +2": "b\n", "grep -c a": "1\n", "grep -v a": "b\n"} {
		if got, _, _ := through(t, "a\nb\n", line); got != want {
			t.Errorf("%s prints %q, want %q", line, got, want)
		}
	}
}

func TestHeadTailAndWcAreThoseOfGNU(t *testing.T) {
	t.Parallel()
	sameAs(t, append(texts, strings.Repeat("x", 70_000)+"\n"+strings.Repeat("y\n", 40_000)), []string{
		"head", "head -n 0", "head -n 1", "head -2", "head -n2", "head -n -1", "head -n -3", "head --lines=-2", "head -c 3",
		"head -c -3", "head -c0", "head -n 1 -c 2", "head --bytes 4",
		"tail", "tail -n 0", "tail -n 1", "tail -2", "tail -n +2", "tail -n +0", "tail -n +1", "tail -n -2", "tail -c 3", "tail -c +3",
		"tail -c +0", "tail -c 0", "tail --lines +3", "tail -n 99999",
		"wc", "wc -l", "wc -w", "wc -c", "wc -m", "wc -lc", "wc -c -l", "wc -mlwc", "wc --lines --words",
	})
}

func TestGrepIsThatOfGNU(t *testing.T) {
	t.Parallel()
	texts := []string{"", strings.Join([]string{
		"a\nb\nab\n\nB\nfoo|bar\n", "abc\nAB ab-b\na.b*c\n1\nabab", "1\n2\nx\n4\n5\nx\n7\n8\n9\nx\nx\n12\n13\n",
		"foo foobar bar_foo -foo- foo\nfoo\n", "a{2}\naa\n(b)\na+b?\n^a$\n", "é É ß\n日本 x\n", "\\d 12 tab\there\n",
	}, "\n")}
	sameAs(t, texts, []string{
		"grep a", "grep ''", "grep -v ''", "grep -i ab", "grep -v a", "grep -c a", "grep -cv a", "grep -n a", "grep -o a", "grep -on 'ab*'",
		"grep -w ab", "grep -ow foo", "grep -w 'foo|bar'", "grep -x ab", "grep -F 'a.b*c'", "grep -Fx 'foo|bar'", "grep -Fi B",
		"grep -E 'a|b'", "grep -q a", "grep -m 1 a", "grep -m1 -A1 x", "grep -m 0 a", "grep -c -m 0 a", "grep -c -m 2 x",
		"grep -A 1 x", "grep -B 1 x", "grep -C 1 x", "grep -1 x", "grep -n -A 2 -B 1 x", "grep -C 2 -A 0 x", "grep -A0 x", "grep -o -A1 x",
		"grep -c -A1 x", "grep -v -A1 x", "grep -vo x", "grep -m 2 -C1 x", "grep -e a -e b", "grep -e 'a\nfoo'", "grep -n -- -foo", "grep -in AB",
		`grep 'a\{2\}'`, `grep 'a{2}'`, `grep -E 'a{2}'`, `grep -E 'a\{2\}'`, `grep 'a\|b'`, `grep '\(ab\)*'`, `grep 'ab\+'`, `grep 'ab\?c'`,
		`grep '*'`, `grep '^*'`, `grep '\(*a\)'`, `grep 'a^'`, `grep '$a'`, `grep '^a'`, `grep 'c$'`, `grep -E '(b)'`, `grep -E '\(b\)'`, `grep -E 'b)'`,
		`grep -E '()'`, `grep -E 'a||b'`, `grep -E '(a|)b'`, `grep -E '^(a|b)+$'`, `grep -E 'a+?b'`, `grep -E 'a{1'`, `grep -E 'a{,2}$'`, `grep -E 'x{2,}'`,
		`grep '[[:upper:]]'`, `grep '[^[:alnum:]]'`, `grep '[]]'`, `grep '[^]a]'`, `grep '[a-]'`, `grep '[\d]'`, `grep '[[.a.]]'`, `grep '[[=a=]]'`, `grep -i '[[:lower:]]'`,
		`grep '\<foo'`, `grep 'foo\>'`, `grep -o '\bfoo\b'`, `grep '\w\W'`, `grep '\s'`, `grep -o '\S*'`, `grep '\.'`, `grep -o 'é'`, `grep -oi 'é'`, `grep -o '日.'`,
		`grep -E '^*ab'`, `grep -E 'a**'`, `grep -ow 'a-*'`, `grep -ow '[a-z]*'`, `grep -w ''`, `grep -x ''`, `grep -o ''`, `grep -E -o 'a|ab|abab'`, `grep -ow '^foo'`, `grep -xw foo`,
		"grep --ignore-case --line-number --max-count=1 B", "grep -E -F 'a|b'", "grep -G -E 'a|b'", `grep '\d'`, "grep -ni ab", "grep a -n -i",
		// Mistakes that GNU refuses.
		`grep '\(a'`, `grep 'a\)'`, `grep -E '(a'`, `grep '[a'`, `grep '[[:nope:]]'`, `grep '[:alpha:]'`, `grep '[b-a]'`, `grep 'a\'`, `grep 'a\{2'`, `grep 'a\{2,1\}'`,
		`grep -E 'a{2,1}'`, `grep 'a\{x\}'`, `grep --nope a`, "grep -A x a",
	})
}

// repeatedAnchor is a pattern that repeats an anchor.
var repeatedAnchor = regexp.MustCompile(`[\^$]\\?[*+?{]`)

// Generated patterns meet generated text, in both dialects.
func TestGeneratedPatternsMatchAsInGNU(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	pick := func(pieces []string, n int) string {
		var b strings.Builder
		for range 1 + rnd.IntN(n) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		return b.String()
	}
	var text strings.Builder
	for range 300 {
		text.WriteString(pick([]string{"a", "b", "ab", " ", "-", "_", "+", "*", "(", ")", "^", "$", "é"}, 9) + "\n")
	}
	pieces := map[string][]string{
		"":    {"a", "b", ".", "*", "^", "$", `\(`, `\)`, `\|`, `\+`, `\?`, `\{1,2\}`, "[ab]", "[^a-]", "+", "(", "é", `\w`},
		"-E ": {"a", "b", ".", "*", "^", "$", "|", "+", "?", "{1,2}", "[ab]", "[^a-]", `\+`, `\(`, "(a|b)", "(b*)", "é", `\w`},
	}
	for _, dialect := range slices.Sorted(maps.Keys(pieces)) {
		for _, flags := range []string{"", "-o ", "-w ", "-x "} {
			for range 25 {
				pattern := pick(pieces[dialect], 6)
				if repeatedAnchor.MatchString(pattern) {
					continue // POSIX leaves open what it means
				}
				if _, _, code := through(t, "\n", "grep "+dialect+"-e "+Quote(pattern)); code == 0 && flags == "-w " {
					continue // which empty words GNU finds is a secret of its search
				}
				line := "grep " + dialect + flags + "-e " + Quote(pattern)
				if stdout, _, code := through(t, text.String(), line); code != CodeUsage {
					comparePattern(t, text.String(), line, stdout, code)
				}
			}
		}
	}
}

func comparePattern(t *testing.T, text, line, stdout string, code int) {
	t.Helper()
	words, err := Split(line)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	want, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("nothing to compare with:", err)
	}
	if strings.Contains(stderr.String(), "warning") {
		return // about what means nothing, where -w and -x make GNU grep stumble
	}
	if stdout != string(want) || code != cmd.ProcessState.ExitCode() {
		got, want := strings.Split(stdout, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: output line %d is %q, grep has %q", line, i+1, got[i], want[i])
				return
			}
		}
		t.Errorf("%s: %d lines of output, code %d; grep has %d, code %d", line, len(got), code, len(want), cmd.ProcessState.ExitCode())
	}
}

func TestJQIsThatOfJQ(t *testing.T) {
	t.Parallel()
	sameAs(t, []string{
		`{"a":[1,{"c":"x\ty"}],"b":"é<&>","d":{},"e":[]} [true,false,null] "s" [[1],[2]]`,
	}, []string{
		"jq -S .", "jq", "jq -S -c .", "jq -Sr .", "jq -r '.. | strings'", "jq -j '.. | strings'", "jq -s -c .", "jq -n '[inputs] | length'", "jq -nc 'input?'",
		"jq -S --tab .", "jq -S --indent 1 .", "jq -S --indent 0 .", "jq -cS --arg x 'a b' '[$x, .]'",
		`jq -cS --argjson x '{"y":[1]}' '$x.y'`, "jq '.[]?'", "jq -c 'error(\"x\")'", "jq -rn '\"a\\tb\"'", "jq -c 'map(.)?'",
		"jq -n 'halt'", "jq -n '1, halt_error(3)'",
	})
}

// Releases of jq differ here, so this is a table.
func TestJQExitCodes(t *testing.T) {
	tests := []struct {
		text, line string
		code       int
	}{
		{"1", "jq -e .", 0},
		{"1 null", "jq -e .", jqFalsy},
		{"false", "jq -e .", jqFalsy},
		{"null", "jq .", 0},
		{"", "jq -e .", jqNoOutput},
		{"1", "jq -e empty", jqNoOutput},
		{"1 null", "jq .a", jqFailed}, // a later success hides no failure
		{"{", "jq .", jqFailed},
		{"1 }", "jq .", jqFailed},
		{"1", "jq halt", 0},
		{"1", "jq halt_error", 5},
		{"1", "jq 'halt_error(7)'", 7},
	}
	for _, tt := range tests {
		if _, _, code := through(t, tt.text, tt.line); code != tt.code {
			t.Errorf("%s on %s: code %d, want %d", tt.line, tt.text, code, tt.code)
		}
	}
}

func TestJQKeepsTheDigitsOfNumbers(t *testing.T) {
	const text = "[12345678901234567890123,1.10,1e1000,-0.0,0.1]"
	if got, _, _ := through(t, text, "jq -c ."); got != text+"\n" {
		t.Errorf("jq -c . of %s = %s", text, got)
	}
}

func TestJQReachesNoEnvironment(t *testing.T) {
	t.Setenv("SECRET", "x")
	if got, _, _ := through(t, "", "jq -nc '[env, $ENV]'"); got != "[{},{}]\n" {
		t.Errorf("env = %s", got)
	}
}

func TestBytesPassUnchanged(t *testing.T) {
	text := "\xff\x00a\n\xc3(\r\n\x1b[1m\nlast"
	for _, line := range []string{"head", "tail", "tail -n +1", "head -c 99", "tail -c 99", "grep -v nothing"} {
		want := text
		if strings.HasPrefix(line, "grep") {
			want += "\n"
		}
		if got, _, code := through(t, text, line); got != want || code != 0 {
			t.Errorf("%s = %q, code %d", line, got, code)
		}
	}
}

func TestRepeatsBeyondTheEngineAreRefused(t *testing.T) {
	for _, line := range []string{`grep -E 'a{1001}'`, `grep -E '((a{100}){100}){100}'`, "grep -F '\xff'", `grep -E '(a)\1'`} {
		if out, msg, code := through(t, "a\n", line); code != CodeUsage || out != "" || msg == "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q", line, code, out, msg)
		}
	}
}

func FuzzGrep(f *testing.F) {
	f.Add("a*", "aab")
	f.Add("(a|ab)(c|bcd)", "abcd")
	f.Add("[^]a-c]+$", "x]")
	f.Add("^.{2,3}$", "日本x")
	f.Fuzz(func(t *testing.T, pattern, line string) {
		if strings.Contains(line, "\n") || strings.Contains(pattern, "\n") {
			t.Skip("a newline ends a line, and separates patterns")
		}
		for _, d := range []dialect{basic, extended, fixed} {
			g := newGrep()
			g.dialect, g.patterns = d, []string{pattern}
			m, _, err := newMatcher(g.patterns, g)
			if err != nil {
				continue
			}
			got := m.matches([]byte(line))
			for _, span := range m.spans([]byte(line)) {
				if !got || !bytes.Contains([]byte(line), span) || len(span) == 0 {
					t.Errorf("dialect %d, pattern %q: span %q of %q, which matches: %v", d, pattern, span, line, got)
				}
			}
			want := strings.Contains(line, pattern)
			if d == fixed && got != want {
				t.Errorf("fixed %q in %q = %v, want %v", pattern, line, got, want)
			}
		}
		// What the standard library takes for POSIX means the same here, but
		// for escapes in brackets, classes, and ranges by code point.
		posix, err := regexp.CompilePOSIX(pattern)
		if err != nil || strings.ContainsAny(pattern, `\[{`) {
			return
		}
		re, _, err := translate(pattern, extended)
		if err != nil {
			t.Fatalf("translate(%q): %v; package regexp takes it", pattern, err)
		}
		ours, err := regexp.Compile(re)
		if err != nil {
			t.Fatalf("translate(%q) = %q: %v", pattern, re, err)
		}
		ours.Longest()
		if got, want := ours.FindStringIndex(line), posix.FindStringIndex(line); len(got) != len(want) || len(got) > 0 && [2]int(got) != [2]int(want) {
			t.Errorf("%q, translated %q, finds %v in %q, want %v", pattern, re, got, line, want)
		}
	})
}

func BenchmarkGrep(b *testing.B) {
	text := []byte(strings.Repeat("a line of some length that does not match\n", 200_000))
	b.SetBytes(int64(len(text)))
	f := newFake()
	f.runner.Exec = func(context.Context, []string, bool) (Output, int) { return Output{Text: text}, 0 }
	s, err := Parse("say | grep -i nothing | wc -l")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f.runner.Run(b.Context(), s)
	}
}
