//go:build unix

package changemonitor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// awks are the programs that may be called awk somewhere.
var awks = [][]string{{"awk"}, {"mawk"}, {"gawk"}, {"gawk", "--posix"}, {"original-awk"}, {"busybox", "awk"}}

// readWith reads the string argument "text" of input as the shell tools do,
// with the given awk.
func readWith(awk []string, input []byte) (text string, ok bool, err error) {
	const script = `
		here=$1; shift; awk="$*"
		awk() { command $awk "$@"; }
		. "$here/lib/arguments.sh"
		arguments text=string
		printf '%s.' "$text"`
	cmd := exec.Command("sh", append([]string{"-c", script, "sh", tools}, awk...)...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	out, err := cmd.Output()
	if _, refused := err.(*exec.ExitError); refused {
		return "", false, nil
	}
	text, whole := strings.CutSuffix(string(out), ".")
	return text, whole, err
}

func TestArgumentsOnEveryAwk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		want        string // of text
		refuse      bool
	}{
		{name: "absent", input: `{}`},
		{name: "null", input: `{"text":null}`},
		{name: "all escapes", input: `{"text":"\"\\\/\b\f\n\r\t"}`, want: "\"\\/\b\f\n\r\t"},
		{name: "escaped controls", input: `{"text":"\u0001\u001b\u007f"}`, want: "\x01\x1b\x7f"},
		{name: "every length of UTF-8", input: `{"text":"\u0041\u00e9\u20AC\ud83d\uDE00"}`, want: "Aé€😀"},
		{name: "raw UTF-8", input: `{"text":"é€😀"}`, want: "é€😀"},
		{name: "half a pair", input: `{"text":"\ud83dx\ude00\ud83d\u0041"}`, want: "\ufffdx\ufffd\ufffdA"},
		{name: "white space", input: " {\n\t\"text\" :\r\n\"x\" } \n", want: "x"},
		{name: "single quotes", input: `{"text":"'a''b'"}`, want: "'a''b'"},
		{name: "trailing newlines", input: `{"text":"a\n\n"}`, want: "a\n\n"},
		{name: "long", input: `{"text":"` + strings.Repeat(`0123456789\n`, 3000) + `"}`, want: strings.Repeat("0123456789\n", 3000)},
		{name: "escape at a chunk's end", input: `{"text":"` + strings.Repeat("x", 255) + `\u00e9"}`, want: strings.Repeat("x", 255) + "é"},

		{name: "NUL", input: `{"text":"\u0000"}`, refuse: true},
		{name: "raw control", input: "{\"text\":\"a\nb\"}", refuse: true},
		{name: "unknown escape", input: `{"text":"\x41"}`, refuse: true},
		{name: "short \\u", input: `{"text":"\u12"}`, refuse: true},
		{name: "trailing comma", input: `{"text":"x",}`, refuse: true},
		{name: "two values", input: `{"text":"x"} {}`, refuse: true},
		{name: "no colon", input: `{"text" "x"}`, refuse: true},
		{name: "bare name", input: `{text:"x"}`, refuse: true},
		{name: "number", input: `{"text":1}`, refuse: true},
		{name: "object", input: `{"text":{"text":"x"}}`, refuse: true},
		{name: "unknown name", input: `{"PATH":"x"}`, refuse: true},
		{name: "code as a name", input: `{"text=$(touch x)":"x"}`, refuse: true},
		{name: "deep", input: `{"text":` + strings.Repeat("[", 5000), refuse: true},
		{name: "cut off", input: `{"text":"x"`, refuse: true},
	}
	for _, awk := range awks {
		if _, err := exec.LookPath(awk[0]); err != nil {
			continue // the machine has another one; "awk" itself is always tried
		}
		for _, tt := range tests {
			t.Run(filepath.Join(strings.Join(awk, " "), tt.name), func(t *testing.T) {
				t.Parallel()
				got, ok, err := readWith(awk, []byte(tt.input))
				if err != nil {
					t.Fatal(err)
				}
				if ok == tt.refuse || got != tt.want {
					t.Errorf("got %.80q (accepted: %v), want %.80q (accepted: %v)", got, ok, tt.want, !tt.refuse)
				}
			})
		}
	}
}

// What encoding/json accepts the shell tools accept, with the same text; what
// it refuses they refuse.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"text":"\u00e9'\\"}`, `{"text":null}`, `{"text":"x"}}`, `{"text":"`, `{}`, `{"text" : "$(x)" }`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if !utf8.Valid(input) || bytes.ContainsRune(input, 0) {
			t.Skip("the runtime sends JSON that it has decoded")
		}
		var members map[string]*string
		valid := json.Unmarshal(input, &members) == nil && members != nil
		for name := range members {
			valid = valid && name == "text"
		}
		want := ""
		if text := members["text"]; text != nil {
			want = *text
			valid = valid && !strings.ContainsRune(want, 0)
		}
		if valid && bytes.Count(input, []byte(":")) > 1 {
			t.Skip("it may name text twice, which only the tools refuse")
		}
		got, ok, err := readWith([]string{"awk"}, input)
		if err != nil {
			t.Fatal(err)
		}
		if ok != valid || valid && got != want {
			t.Errorf("input %q: got %q (accepted: %v), want %q (accepted: %v)", input, got, ok, want, valid)
		}
	})
}
