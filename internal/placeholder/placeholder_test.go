package placeholder_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/placeholder"
)

func TestExpand(t *testing.T) {
	args, err := placeholder.ReadArguments(json.RawMessage(
		`{"s":"a {b} \u00e9","n":12345678901234567890.10,"t":true,"o":{"k": [1, 2]},"none":null,"-i":"dash","$top":1,"f[é]":2}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ template, want, err string }{
		{"", "", ""},
		{"plain", "plain", ""},
		{"{s}", "a {b} é", ""},
		{"x{n}y", "x12345678901234567890.10y", ""},
		{"{t}{t}", "truetrue", ""},
		{"{{{o}}}", `{{"k":[1,2]}}`, ""},
		{"{-i}", "dash", ""},
		{"{$top}{f[é]}", "12", ""},
		{"a{none}", "", "argument none is missing"},
		{"a{other}", "", "argument other is missing"},
		{"{{s}}", "{s}", ""},
	} {
		parsed, err := placeholder.Parse(tt.template)
		if err != nil {
			t.Errorf("Parse(%q) = %v", tt.template, err)
			continue
		}
		got, err := parsed.Expand(args.Text)
		if got != tt.want || message(err) != tt.err {
			t.Errorf("Expand(%q) = %q, %q, want %q, %q", tt.template, got, message(err), tt.want, tt.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestParseErrorsSayWhereAndTheFix(t *testing.T) {
	for _, tt := range []struct {
		in     string
		offset int
		want   string
	}{
		{"ab}", 2, "write }}"},
		{"ab{", 2, "has no } after it"},
		{"{a{b}}", 0, "has no } after it"},
		{"{}", 0, "is no placeholder"},
		{"x{a b}", 1, "{a b} is no placeholder"},
		{`{"a":1}`, 0, "write {{"},
		{"{a/b}", 0, "is no placeholder"},
	} {
		_, err := placeholder.Parse(tt.in)
		var syntax *placeholder.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != tt.offset || !strings.Contains(syntax.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v (%+v), want %q at %d", tt.in, err, syntax, tt.want, tt.offset)
		}
	}
}

func TestNamesAreListedOnceInOrder(t *testing.T) {
	parsed, err := placeholder.Parse("{b}/{a}?{b}={{c}}")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a"}, parsed.Names()); diff != "" {
		t.Error(diff)
	}
	if name, ok := parsed.Sole(); ok {
		t.Errorf("Sole = %q", name)
	}
	if name, ok := parsed.Leading(); !ok || name != "b" {
		t.Errorf("Leading = %q, %v", name, ok)
	}
}

func TestArgumentsKeepOrderAndDigits(t *testing.T) {
	args, err := placeholder.ReadArguments(json.RawMessage(` {"z": 1.10, "a": null, "m": [ 1 ]} `))
	if err != nil {
		t.Fatal(err)
	}
	want := []placeholder.Member{{"z", json.RawMessage("1.10")}, {"a", json.RawMessage("null")}}
	if diff := cmp.Diff(want, args.Without([]string{"m"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(3, len(args.Without(nil))); diff != "" {
		t.Error("Without changed the arguments: ", diff)
	}
}

func TestArgumentsThatCouldBeReadTwoWaysAreRefused(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"a":2}`: "a is given more than once",
		`[1]`:           "not one JSON object",
		`{"a":1} {}`:    "not one JSON object",
		`{"a":`:         "not one JSON object",
		`"text"`:        "not one JSON object",
	} {
		if _, err := placeholder.ReadArguments(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadArguments(%s) = %v, want %q", in, err, want)
		}
	}
}

// Text with its braces doubled means itself, and whatever parses is made of
// its literals and the values alone.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{a}", "{{a}}", "x{a}y{b.c}", "}", "{", "{a", "{é}", "{{{a}}}"} {
		f.Add(s)
	}
	double := strings.NewReplacer("{", "{{", "}", "}}")
	f.Fuzz(func(t *testing.T, s string) {
		quoted, err := placeholder.Parse(double.Replace(s))
		if err != nil {
			t.Fatalf("Parse of doubled %q: %v", s, err)
		}
		if got, err := quoted.Expand(nil); got != s || err != nil {
			t.Errorf("doubled %q means %q, %v", s, got, err)
		}
		parsed, err := placeholder.Parse(s)
		if err != nil {
			return
		}
		again, _ := parsed.Literals(double.Replace).Expand(func(name string) (string, error) { return "{" + name + "}", nil })
		if again != s {
			t.Errorf("%q was read as %q", s, again)
		}
	})
}
