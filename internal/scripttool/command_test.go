//go:build unix

package scripttool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/internal/placeholder"
)

// printer is a command that prints each of its words between brackets.
func printer(t *testing.T, words ...string) agent.Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "printer")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat\n[ $# = 0 ] || printf '[%s]' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return agent.Command{
		Definition: agent.Definition{Name: "printer", Effect: agent.Read, Input: json.RawMessage(`{"properties":{
			"n":{"type":"integer"},"maybe":{"type":["number","null"]},"list":{"type":"array","items":{"type":"number"}},
			"s":{"type":"string"},"any":true}}`)},
		Argv: append([]string{path}, words...),
	}
}

func TestCommandWords(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		args  string
		want  string // what is printed, or a part of the error
	}{
		{"no words", nil, `{"s":"x"}`, ""},
		{"no shell reads them", []string{"$HOME", "*", "a b", "{s}"}, `{"s":"; echo $(id) 'x"}`, "[$HOME][*][a b][; echo $(id) 'x]"},
		{"braces", []string{"{{s}}", "{{{s}}}"}, `{"s":"x"}`, "[{s}][{x}]"},
		{"an array is many words", []string{"a", "{s}", "b"}, `{"s":["x","","y z"]}`, "[a][x][][y z][b]"},
		{"an empty array is none", []string{"a", "{s}", "b"}, `{"s":[]}`, "[a][b]"},
		{"an absent argument is none", []string{"a", "{s}", "b"}, `{}`, "[a][b]"},
		{"null is absent", []string{"a", "{s}", "b"}, `{"s":null}`, "[a][b]"},
		{"a longer word with an absent argument is left out", []string{"a", "--s={s}:{n}"}, `{"s":"x"}`, "[a]"},
		{"an empty text is an empty word", []string{"{s}"}, `{"s":""}`, "[]"},
		{"numbers keep their digits", []string{"{n}", "x{n}"}, `{"n":12345678901234567890.10}`, "[12345678901234567890.10][x12345678901234567890.10]"},
		{"booleans", []string{"{s}"}, `{"s":false}`, "[false]"},
		{"an object is JSON", []string{"{s}", "d={s}"}, `{"s":{"b": 1.0, "a":"<"}}`, `[{"b":1.0,"a":"<"}][d={"b":1.0,"a":"<"}]`},
		{"an array in a longer word is JSON", []string{"d={s}"}, `{"s":[1, "x"]}`, `[d=[1,"x"]]`},
		{"lines stay in their word", []string{"{s}"}, `{"s":"a\nb\r"}`, "[a\nb\r]"},

		{"an option from a value", []string{"{s}"}, `{"s":"-rf"}`, `argument s: the program would take "-rf" for an option`},
		{"the author's way out is said", []string{"{s}"}, `{"s":"-rf"}`, "write it as --flag={s}"},
		{"an option from an element", []string{"{s}"}, `{"s":["a","--x"]}`, `argument s: the program would take "--x"`},
		{"a dash alone", []string{"{s}"}, `{"s":"-"}`, "for an option"},
		{"an option from a leading value", []string{"{s}.txt"}, `{"s":"-x"}`, "for an option"},
		{"an option from the second value", []string{"{s}{any}"}, `{"s":"","any":"-x"}`, "argument s"},
		{"an option from the author's own dash", []string{"{s}-x"}, `{"s":""}`, "argument s"},
		{"-- from a value guards nothing", []string{"{s}", "{any}"}, `{"s":"--","any":"-x"}`, "argument s"},
		{"after --", []string{"-v", "--", "{s}"}, `{"s":["-rf","--"]}`, "[-v][--][-rf][--]"},
		{"before --", []string{"{s}", "--"}, `{"s":"-rf"}`, "for an option"},
		{"within a word", []string{"--s={s}"}, `{"s":"-rf"}`, "[--s=-rf]"},
		{"a negative number", []string{"{n}", "{maybe}", "{list}"}, `{"n":-1,"maybe":-2,"list":[-3,4]}`, "[-1][-2][-3][4]"},
		{"a negative number of no type", []string{"{any}"}, `{"any":-1}`, "for an option"},
		{"a text where a number belongs", []string{"{n}"}, `{"n":"-1"}`, "for an option"},
		{"NUL", []string{"x{s}"}, `{"s":"a\u0000b"}`, "argument s: a command line cannot hold the character NUL"},
		{"NUL in an element", []string{"{s}"}, `{"s":["a\u0000b"]}`, "argument s: a command line cannot hold the character NUL"},

		{"a broken template", []string{"a", "{s"}, `{}`, `word 3 of its command, "{s": a { has no } after it`},
		{"too long", []string{"{s}"}, `{"s":"` + strings.Repeat("x", 4<<20) + `"}`, "1 arguments have 4194304 bytes, more than the system takes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := NewCommand(printer(t, tt.words...), config()).Run(callIn(t.Context(), t.TempDir()), json.RawMessage(tt.args))
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "tool printer") || tt.want == "" {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if got := texts(res); len(got) != 1 || got[0] != tt.want {
				t.Errorf("printed %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheProgramOfACommandIsTheAuthors(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "hello"), []byte("#!/bin/sh\necho hello from \"$PATH\""), 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := config()
	path := "relative:" + bin + ":/usr/bin:/bin"
	cfg.Getenv = func(name string) string { return map[string]string{"PATH": path}[name] }
	for program, want := range map[string]string{
		"hello":                     "hello from " + path + "\n",
		filepath.Join(bin, "hello"): "hello from " + path + "\n",
		"no-such-program":           "its program no-such-program is not on PATH (" + path + ")",
		"./hello":                   "its program ./hello is neither an absolute path nor a bare name",
		"/no/such/hello":            "the file is gone",
		"{x}":                       "a call cannot choose the program",
		"":                          "names no program",
	} {
		c := agent.Command{Definition: agent.Definition{Name: "t"}, Argv: []string{program}}
		res, err := NewCommand(c, cfg).Run(callIn(t.Context(), t.TempDir()), json.RawMessage(`{"x":"hello"}`))
		got := strings.Join(texts(res), "")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", program, got, want)
		}
	}
}

func TestACommandRunsAsAnExecutableDoes(t *testing.T) {
	dir := t.TempDir()
	script := "read line && exit 9; echo run >>\"$TMPDIR/runs\"; echo \"{\\\"at\\\":\\\"$PWD\\\",\\\"v\\\":\\\"$TOKEN$SECRET\\\"}\"; exit 4"
	c := agent.Command{
		Definition: agent.Definition{Name: "t", Effect: agent.Read}, Argv: []string{"sh", "-c", strings.NewReplacer("{", "{{", "}", "}}").Replace(script)},
		Env: []string{"TOKEN"}, Retry: agent.Retry{Attempts: 3, On: []int{4}},
	}
	cfg := config()
	cfg.TempDir = dir
	cfg.Getenv = func(name string) string { return map[string]string{"TOKEN": "t", "SECRET": "s"}[name] }
	workspace := t.TempDir()
	f := NewCommand(c, cfg)
	if f.Timeout != agent.DefaultTimeout {
		t.Errorf("timeout %s", f.Timeout)
	}
	res, err := f.Run(callIn(t.Context(), workspace), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"at":"` + workspace + `","v":"t"}`; string(res.Structured) != want || !res.IsError {
		t.Errorf("structured %s, error %v, want %s", res.Structured, res.IsError, want)
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "runs")); string(runs) != "run\nrun\nrun\n" {
		t.Errorf("runs %q", runs)
	}
}

// Whatever a call sends, the author's words stay: those without placeholders
// in place and whole, the others with their literal text, and none of a value
// begins with a dash before the author's --.
func FuzzCommandWords(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":"-x","b":[]}`, `{"a":["1","-2"],"b":{"k":null}}`, `{"a":-1,"b":-1}`, `{"a":"","b":"-"}`} {
		f.Add(s)
	}
	l, err := parseLine(agent.Command{
		Definition: agent.Definition{Input: json.RawMessage(`{"properties":{"b":{"type":"number"}}}`)},
		Argv:       []string{"p", "first", "{a}", "mid", "pre{a}:{b}", "{b}", "--", "{a}", "last"},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		args, err := placeholder.ReadArguments(json.RawMessage(in))
		if err != nil {
			return
		}
		words, err := l.expand(args)
		if err != nil {
			return
		}
		a, _ := args.Get("a")
		b, _ := args.Get("b")
		as := len(placeholder.Elements(a))
		bs := len(placeholder.Elements(b))
		if a == nil {
			as = 0
		}
		if b == nil {
			bs = 0
		}
		joined := 0
		if a != nil && b != nil {
			joined = 1
		}
		if want := 4 + 2*as + bs + joined; len(words) != want {
			t.Fatalf("%s made %d words, want %d: %q", in, len(words), want, words)
		}
		options := 2 + as + joined + bs
		fixed := []string{words[0], words[1+as], words[options], words[len(words)-1]}
		if diff := cmp.Diff([]string{"first", "mid", "--", "last"}, fixed); diff != "" {
			t.Errorf("%s: %s in %q", in, diff, words)
		}
		if joined == 1 && !strings.HasPrefix(words[2+as], "pre") {
			t.Errorf("%s: %q lost its literal text", in, words[2+as])
		}
		for i, w := range words[:options] {
			if strings.HasPrefix(w, "-") && (i < 2+as || !json.Valid([]byte(w))) {
				t.Errorf("%s: the value %q became an option", in, w)
			}
		}
	})
}
