package view_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/term/text"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]+m")

func FuzzText(f *testing.F) {
	for _, s := range []string{
		`[{"k":"勿删","s":"up"},{"k":"e\u0301x","s":"down"},{"k":"abc","s":"🙂"}]`,
		`[{"name":"foo"},{"bar":1},{"name":null,"bar":[]},{}]`,
		`{"a":"two\nlines\tx","b":[1,{"c":[{"d":"a b c d e f g h i j k"}]}],"":"` + "\u202e" + `"}`,
		`{"error":{"message":"x\ny","code":[1,2]}}`,
		`[[[[[[[[[[[[[[[[[[[[{"deep":1}]]]]]]]]]]]]]]]]]]]]`,
		`["\ufe0f","\u0301","\u200d🙂","a\u0000b"]`,
		"\x1b[2J\r\n\xff", `{"a":1,"a":2}`, "  - x", "",
	} {
		f.Add(s, "", 20)
		f.Add("x", s, 7)
		f.Add("     1|a: "+s, "", 20)
	}
	f.Fuzz(func(t *testing.T, said, structured string, width int) {
		r := view.Result{Blocks: []view.Block{{Type: "text", Text: said}}, Structured: json.RawMessage(structured)}
		width = view.MinWidth + int(uint(width)%100)
		if raw := view.JSON(r); !json.Valid(raw) || strings.ContainsFunc(string(raw), text.IsControl) || strings.Contains(string(raw), "\n") {
			t.Errorf("JSON of %q, %q = %q", said, structured, raw)
		}
		for _, shape := range []view.Shape{view.None, view.LS, view.Read} {
			plain := view.Text(r, view.Options{Width: width, Shape: shape})
			if text.Escape(plain) != plain {
				t.Errorf("Text of %q, %q in shape %q has a raw control: %q", said, structured, shape, plain)
			}
			if plain != "" && !strings.HasSuffix(plain, "\n") {
				t.Errorf("Text of %q, %q in shape %q does not end its line: %q", said, structured, shape, plain)
			}
			if color := view.Text(r, view.Options{Width: width, Shape: shape, Color: true, Name: "a.yaml"}); sgr.ReplaceAllString(color, "") != plain {
				t.Errorf("colour changes Text of %q, %q: %q, plain %q", said, structured, color, plain)
			}
		}
		if json.Valid([]byte(said)) {
			checkValue(t, said, width)
		}
		if json.Valid([]byte(structured)) {
			checkValue(t, structured, width)
		}
	})
}

// checkValue checks the layout of one JSON value: within the width, and with
// everything that is to be seen in it.
func checkValue(t *testing.T, raw string, width int) {
	t.Helper()
	r := view.Result{Structured: json.RawMessage(raw)}
	out := view.Text(r, view.Options{Width: width})
	for line := range strings.SplitSeq(out, "\n") {
		if w := text.Width(line); w > width {
			t.Errorf("Text of %q at width %d has a line of %d cells: %q", raw, width, w, line)
		}
	}
	var v any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	for _, o := range []view.Options{{}, {Width: width}} {
		shown := letters(view.Text(r, o))
		missing := map[rune]int{}
		count(v, missing)
		for _, c := range shown {
			missing[c]--
		}
		for c, n := range missing {
			if n > 0 {
				t.Errorf("Text of %q at width %d shows %q %d times too few:\n%s", raw, o.Width, c, n, view.Text(r, o))
			}
		}
	}
}

// count adds up the letters that must be seen of v. Columns show a key once
// for many records, so keys are left out.
func count(v any, n map[rune]int) {
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			count(item, n)
		}
	case []any:
		for _, item := range v {
			count(item, n)
		}
	case string:
		for _, c := range letters(text.Escape(v)) {
			n[c]++
		}
	case json.Number:
		for _, c := range letters(v.String()) {
			n[c]++
		}
	}
}

// letters keeps the letters and digits of s. What a value says in other
// characters may be seen escaped, in one of several ways.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, s)
}
