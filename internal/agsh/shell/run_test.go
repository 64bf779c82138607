package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fake runs scripts over a few commands and keeps what was called.
type fake struct {
	calls          [][]string
	stdout, stderr bytes.Buffer
	outputs        map[string]string // of commands by name
	codes          map[string]int
	values         map[string]string // JSON values of results
	runner         Runner
}

func newFake() *fake {
	f := &fake{
		outputs: map[string]string{},
		codes:   map[string]int{},
		values:  map[string]string{},
	}
	f.runner = Runner{
		Exec: func(_ context.Context, words []string, _ bool) (Output, int) {
			f.calls = append(f.calls, words)
			out := Output{Text: []byte(f.outputs[words[0]]), Exit: words[0] == "exit"}
			if v, ok := f.values[words[0]]; ok {
				out.JSON = func() (json.RawMessage, error) { return json.RawMessage(v), nil }
			}
			return out, f.codes[words[0]]
		},
		IsCommand: func(_ context.Context, name string) bool {
			return slices.Contains([]string{"ls", "read", "grep", "say"}, name)
		},
		Stdout: &f.stdout,
		Stderr: &f.stderr,
	}
	return f
}

func (f *fake) run(t *testing.T, src string) int {
	t.Helper()
	s, err := Parse(src)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return f.runner.Run(t.Context(), s)
}

func TestR10_OperatorsInsideQuotesAreText(t *testing.T) {
	f := newFake()
	f.outputs["read"] = "bar\nfoo|bar\n"
	code := f.run(t, `read /a.txt | grep "foo|bar"
		grep 'a && b; c' /src
		create --data '{"path": "a b", "n": 1}'`)
	want := [][]string{{"read", "/a.txt"}, {"grep", "a && b; c", "/src"}, {"create", "--data", `{"path": "a b", "n": 1}`}}
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if code != 0 || f.stdout.String() != "foo|bar\n" {
		t.Errorf("code %d, stdout %q, want 0 and foo|bar", code, &f.stdout)
	}
}

func TestR11_QuotesAndOperatorsWithoutSpaces(t *testing.T) {
	for in, want := range map[string][]string{
		`say --text "he said \"hi\""`: {"say", "--text", `he said "hi"`},
		`say --text ab'c d'"e"`:       {"say", "--text", "abc de"},
		`say --text ''`:               {"say", "--text", ""},
	} {
		if got, err := Split(in); err != nil || !cmp.Equal(got, want) {
			t.Errorf("Split(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := Parse("say --text \"oops"); err == nil {
		t.Error("an open quote parses")
	}
	f := newFake()
	f.outputs["ls"] = "a\nb\n"
	if code := f.run(t, "ls /|head -n 1;ls /x&&wc -l"); code != CodeUsage {
		t.Errorf("code %d, want %d of wc, which has no input", code, CodeUsage)
	}
	if diff := cmp.Diff([][]string{{"ls", "/"}, {"ls", "/x"}}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got, want := f.stdout.String(), "a\na\nb\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
}

func TestR12_AStageThatStopsReadingEndsThePipelineQuietly(t *testing.T) {
	big := strings.Repeat("a line of some length\n", 200_000)
	for _, line := range []string{
		"read /big.log | head -n 3",
		"read /big.log | grep line | head -n 3",
		"read /big.log | tail -n +2 | grep -n line | head -n 3",
		`read /big.log | jq -nr 'repeat("a line of some length")' | head -n 3`,
	} {
		f := newFake()
		f.outputs["read"] = big
		code := f.run(t, line)
		if code != 0 || f.stderr.Len() > 0 || strings.Count(f.stdout.String(), "\n") != 3 {
			t.Errorf("%s: code %d, stderr %q, stdout %.100q; want 0, nothing and three lines", line, code, &f.stderr, &f.stdout)
		}
	}
}

func TestR12_AClosedStdoutEndsTheScriptQuietly(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for _, line := range []string{"ls; say", "ls | head; say", "ls | tail | grep a; say"} {
		f := newFake()
		f.outputs["ls"] = strings.Repeat("a\n", 200_000)
		f.runner.Stdout = w
		code := f.run(t, line)
		if code != 0 || f.stderr.Len() > 0 || len(f.calls) != 1 {
			t.Errorf("%s: code %d, stderr %q, %d calls; want 0, nothing and 1", line, code, &f.stderr, len(f.calls))
		}
	}
}

func TestExitCodeOfAPipeline(t *testing.T) {
	tests := []struct {
		line   string
		code   int
		stdout string
	}{
		{"", 0, ""},
		{"ls", 0, "ab\n"},
		{"ls | grep a", 0, "ab\n"},
		{"ls | grep x", 1, ""},
		{"ls | grep x | wc -l", 0, "0\n"},
		{"ls | grep x || ls", 0, "ab\n"},
		{"ls | grep x && ls", 1, ""},
		{"ls && ls | wc -c", 0, "ab\n3\n"},
		{"fails", 1, ""},
		{"fails | wc -l", 1, ""}, // no output, so nothing to count
		{"partly", 1, "part\n"},
		{"partly | tr", 2, ""},
		{"partly | wc -l", 1, "1\n"},
		{"fails || ls", 0, "ab\n"},
		{"fails && ls || ls | wc -l", 0, "1\n"},
		{"ls || ls && fails", 1, "ab\n"},
		{"fails; ls", 0, "ab\n"},
		{"ls; exit; ls", 0, "ab\n"},
		{"fails || exit; ls", 1, ""},
	}
	for _, tt := range tests {
		f := newFake()
		f.outputs["ls"], f.codes["fails"] = "ab\n", 1
		f.outputs["partly"], f.codes["partly"] = "part\n", 1
		if code := f.run(t, tt.line); code != tt.code || f.stdout.String() != tt.stdout {
			t.Errorf("%s: code %d, stdout %q, want %d, %q", tt.line, code, &f.stdout, tt.code, tt.stdout)
		}
	}
}

func TestStopOnErrorIsThatOfSh(t *testing.T) {
	for line, want := range map[string]string{
		"ls; fails; ls":         "ls fails",
		"fails && ls; ls":       "fails ls", // a condition is no failure
		"fails || ls; ls":       "fails ls ls",
		"ls && fails; ls":       "ls fails",
		"ls | grep x; ls":       "ls",
		"ls | grpe x; ls":       "",
		"fails || fails; ls":    "fails fails",
		"ls\nls | head\nls":     "ls ls ls",
		"ls | grep x || ls; ls": "ls ls ls",
	} {
		f := newFake()
		f.codes["fails"] = 1
		f.runner.StopOnError = true
		f.run(t, line)
		var got []string
		for _, c := range f.calls {
			got = append(got, c[0])
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("-e %q called %q, want %q", line, got, want)
		}
	}
}

func TestAMistypedStageCallsNothing(t *testing.T) {
	for line, msg := range map[string]string{
		"say | grpe x":             "grpe: there is no such filter; after a | come head, tail, wc, grep and jq\n",
		"say | read /a":            "read: a command can only come first in a pipeline; after a | come the filters head, tail, wc, grep and jq\n",
		"head -n 1":                "head: it filters what a command prints, as in: command | head [-n N | -N | -c N]\n",
		"say | head -q":            "head: there is no option -q here; there are -n N, -N, -c N\n",
		"say | wc --files0-from":   "wc: there is no option --files0-from here; there are -l, -w, -m, -c\n",
		"say | wc --lines=3":       "wc: --lines takes no value\n",
		"say | tail -f":            "tail: there is no option -f here; there are -n [+]N, -N, -c [+]N\n",
		"say | tail -n":            "tail: -n needs a value: -n [+]N\n",
		"say | head -n 5x":         "head: \"5x\" is not a number of lines or bytes; write digits only\n",
		"say | head /a.txt":        "head: \"/a.txt\" is one argument too many: it reads the command before the |, and there are no files here\n",
		"say | wc -l | grep -P x":  "grep: there is no option -P here; there are -E, -F, -G, -e PATTERN, -i, -v, -w, -x, -c, -n, -o, -q, -m N, -A N, -B N, -C N, -N\n",
		"say | grep":               "grep: a pattern is missing: grep [options...] <pattern>\n",
		`say | grep '\(a\)\1'`:     "grep: the pattern \"\\\\(a\\\\)\\\\1\": \\1 refers back to a group, which this grep cannot do\n",
		"say | jq .a[":             "jq: the program \".a[\": unexpected EOF\n",
		"say | jq '$x'":            "jq: the program \"$x\": variable not defined: $x\n",
		"say | jq --argjson a { .": "jq: --argjson a: \"{\" is not JSON: unexpected EOF\n",
	} {
		f := newFake()
		code := f.run(t, line)
		if code != CodeUsage || len(f.calls) > 0 || f.stderr.String() != msg {
			t.Errorf("%s: code %d, calls %q, stderr %q\nwant %d, none, %q", line, code, f.calls, &f.stderr, CodeUsage, msg)
		}
	}
}

func TestACommandIsNeverShadowedByAFilter(t *testing.T) {
	f := newFake()
	f.outputs["grep"] = "src/a.go:1:x\n"
	if code := f.run(t, "grep -i x /src | grep a.go"); code != 0 || len(f.calls) != 1 || f.stdout.String() != "src/a.go:1:x\n" {
		t.Errorf("code %d, calls %q, stdout %q", code, f.calls, &f.stdout)
	}
}

func TestExecLearnsWhetherItsOutputGoesOn(t *testing.T) {
	var piped []bool
	r := Runner{
		Exec: func(_ context.Context, _ []string, p bool) (Output, int) {
			piped = append(piped, p)
			return Output{}, 0
		},
		Stdout: io.Discard, Stderr: io.Discard,
	}
	s, err := Parse("a; a | wc")
	if err != nil {
		t.Fatal(err)
	}
	r.Run(t.Context(), s)
	if diff := cmp.Diff([]bool{false, true}, piped); diff != "" {
		t.Errorf("piped (-want +got):\n%s", diff)
	}
}

func TestJQReadsTheValueAndOthersTheText(t *testing.T) {
	f := newFake()
	f.outputs["ls"], f.values["ls"] = "a  1\n", `[{"name":"a","n":12345678901234567890}]`
	f.outputs["read"] = `{"version":1.10} {"version":2}`
	f.run(t, "ls | jq -c '.[]'; ls | wc -l; ls | grep a; ls | jq '.[].n' | grep 789; read /x | jq .version")
	want := "{\"n\":12345678901234567890,\"name\":\"a\"}\n1\na  1\n12345678901234567890\n1.10\n2\n"
	if got := f.stdout.String(); got != want || f.stderr.Len() > 0 {
		t.Errorf("stdout %q, stderr %q, want %q", got, &f.stderr, want)
	}
}

func TestAResultThatHasNoJSONValueIsReported(t *testing.T) {
	r := newFake()
	r.runner.Exec = func(context.Context, []string, bool) (Output, int) {
		return Output{Text: []byte("x"), JSON: func() (json.RawMessage, error) { return nil, errors.New("the file is not JSON") }}, 0
	}
	if code := r.run(t, "read /x | jq ."); code != jqFailed || r.stderr.String() != "jq: the file is not JSON\n" {
		t.Errorf("code %d, stderr %q", code, &r.stderr)
	}
}

func TestCancellingACallEndsTheScript(t *testing.T) {
	for _, line := range []string{"say; say", "say | wc -l", "say && say", "say || say"} {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake()
		f.runner.Exec = func(_ context.Context, words []string, _ bool) (Output, int) {
			f.calls = append(f.calls, words)
			cancel()
			return Output{Text: []byte("x")}, 0
		}
		s, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		code := f.runner.Run(ctx, s)
		if code != CodeInterrupted || len(f.calls) != 1 || f.stdout.Len() > 0 || f.stderr.Len() > 0 {
			t.Errorf("%s: code %d, %d calls, stdout %q, stderr %q", line, code, len(f.calls), &f.stdout, &f.stderr)
		}
	}
}

// A busyWriter cancels when the first bytes arrive.
type busyWriter struct{ cancel func() }

func (b busyWriter) Write(p []byte) (int, error) {
	b.cancel()
	return len(p), nil
}

func TestCancellingStopsFiltersThatRun(t *testing.T) {
	for _, line := range []string{"say | jq -n 'repeat(1)'", "say | jq -n 'repeat(1)' | grep 1 | tail -n +2"} {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake()
		f.outputs["say"] = "x"
		f.runner.Stdout = busyWriter{cancel}
		s, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if code := f.runner.Run(ctx, s); code != CodeInterrupted || f.stderr.Len() > 0 {
			t.Errorf("%s: code %d, stderr %q", line, code, &f.stderr)
		}
	}
}

func TestFilteredWrapsOnlyWhatFiltersPrint(t *testing.T) {
	f := newFake()
	f.outputs["say"] = "x\n"
	f.runner.Filtered = func(w io.Writer) io.WriteCloser { return &upper{w: w} }
	f.run(t, "say; say | head | grep x; say | head")
	if got := f.stdout.String(); got != "x\nX\n.X\n." {
		t.Errorf("stdout %q", got)
	}
}

// An upper writer holds back a dot until it is closed.
type upper struct{ w io.Writer }

func (u *upper) Write(p []byte) (int, error) { return u.w.Write(bytes.ToUpper(p)) }

func (u *upper) Close() error {
	_, err := io.WriteString(u.w, ".")
	return err
}

func TestExitGivesBackTheCodeBeforeIt(t *testing.T) {
	f := newFake()
	f.codes["fail"] = 3
	f.outputs["say"] = "x"
	for src, want := range map[string]int{"fail; exit; say": 3, "fail; say; exit": 0, "exit": 7, "": 7, "fail || exit": 3, "fail; exit | head": 3} {
		f.calls = nil
		f.runner.Last = 7
		if code := f.run(t, src); code != want {
			t.Errorf("%q: code %d, want %d; ran %q", src, code, want, f.calls)
		}
	}
}

func TestAFullDiskIsReported(t *testing.T) {
	f := newFake()
	f.outputs["say"] = "x\n"
	f.runner.Stdout = brokenWriter{}
	for _, line := range []string{"say; say", "say | head; say"} {
		f.stderr.Reset()
		f.calls = nil
		if code := f.run(t, line); code != 1 || f.stderr.String() != "Error: write the output: disk full\n" || len(f.calls) != 1 {
			t.Errorf("%s: code %d, stderr %q, %d calls", line, code, &f.stderr, len(f.calls))
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFiltersDescribeThemselves(t *testing.T) {
	var got strings.Builder
	for _, f := range Filters() {
		fmt.Fprintf(&got, "%s: %s; %s; %d options\n", f.Name, f.Title, f.Synopsis, len(f.Options))
	}
	const want = `head: Print the first lines; head [-n N | -N | -c N]; 3 options
tail: Print the last lines; tail [-n N | -n +N | -N | -c N]; 3 options
wc: Count lines, words and bytes; wc [-l] [-w] [-m] [-c]; 4 options
grep: Print the lines that match a pattern; grep [options...] <pattern>; 17 options
jq: Select and reshape JSON; jq [options...] <program>; 11 options
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("Filters (-want +got):\n%s", diff)
	}
}
