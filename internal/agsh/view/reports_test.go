package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/term/text"
)

// said is a result of text blocks.
func said(texts ...string) view.Result {
	var r view.Result
	for _, t := range texts {
		r.Blocks = append(r.Blocks, view.Block{Type: "text", Text: t})
	}
	return r
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestR14_MachineOutputIsOneWholeValue(t *testing.T) {
	const nested = `{"results":[{"a":{"b":{"c":[1]}}}]}`
	for name, r := range map[string]view.Result{
		"text":       said(nested),
		"structured": {Structured: json.RawMessage(nested)},
		"error":      {Structured: json.RawMessage(nested), IsError: true},
	} {
		if got := string(view.JSON(r)); got != nested {
			t.Errorf("JSON of %s = %s, want %s", name, got, nested)
		}
	}
}

func TestR15_ColumnsAreTheUnionOfKeys(t *testing.T) {
	got := view.Text(said(`[{"name":"foo"},{"bar":1},{"name":null,"bar":[]}]`), view.Options{})
	want := "" +
		"name  bar\n" +
		"foo\n" +
		"      1\n" +
		"      []\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestR16_WidthIsCountedInCells(t *testing.T) {
	r := said(`[{"k":"勿删","s":"up"},{"k":"e\u0301x","s":"down"},{"k":"abc","s":"🙂"}]`)
	for _, width := range []int{8, 20} {
		out := view.Text(r, view.Options{Width: width})
		starts := map[int]bool{}
		for _, line := range lines(out) {
			if w := text.Width(line); w > width {
				t.Errorf("at width %d the line %q has %d cells", width, line, w)
			}
			for _, cell := range []string{"up", "down", "🙂"} {
				if before, _, ok := strings.Cut(line, cell); ok {
					starts[text.Width(before)] = true
				}
			}
		}
		if len(starts) != 1 {
			t.Errorf("at width %d the cells of s start at %v, want one column:\n%s", width, starts, out)
		}
	}
}

func TestR17_OneRecordIsOneRow(t *testing.T) {
	const records = `[{"id":1,"v":"apple\nbanana\tx"},{"id":2,"v":"ok"}]`
	want := []string{"id  v", `1   apple\nbanana\tx`, "2   ok"}
	for _, o := range []view.Options{{}, {Width: 80}} {
		if diff := cmp.Diff(want, lines(view.Text(said(records), o))); diff != "" {
			t.Errorf("with %+v (-want +got):\n%s", o, diff)
		}
	}
	want = []string{"id:  1", "v:", "  apple", "  banana  x"}
	if diff := cmp.Diff(want, lines(view.Text(said(`{"id":1,"v":"apple\nbanana\tx"}`), view.Options{}))); diff != "" {
		t.Errorf("as properties (-want +got):\n%s", diff)
	}
}

func TestR18_EveryBlockIsShownInOrder(t *testing.T) {
	r := said(`{"id":1}`, `{"id":2}`, "plain")
	if got, want := view.Text(r, view.Options{}), "id:  1\n\nid:  2\n\nplain\n"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	want := `[{"type":"text","text":"{\"id\":1}"},{"type":"text","text":"{\"id\":2}"},{"type":"text","text":"plain"}]`
	if got := string(view.JSON(r)); got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
}

func TestR19_TextIsShownUnlessItIsTheStructuredValue(t *testing.T) {
	r := said("# Page\nwords")
	r.Structured = json.RawMessage(`{"share_id": "x"}`)
	if got, want := view.Text(r, view.Options{}), "# Page\nwords\n"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	want := `{"content":[{"type":"text","text":"# Page\nwords"}],"structuredContent":{"share_id":"x"}}`
	if got := string(view.JSON(r)); got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
}

func TestR19_OnlyWholeObjectsAndListsAreParsed(t *testing.T) {
	if got, want := view.Text(said(`{"a":[1]}`), view.Options{}), "a:\n  - 1\n"; got != want {
		t.Errorf("Text of an object = %q, want %q", got, want)
	}
	for _, plain := range []string{"42", "null", `"x"`, "{broken", "[1,2] trailing", "true", "[INFO] up [ok]"} {
		if got := view.Text(said(plain), view.Options{Width: 5}); got != plain+"\n" {
			t.Errorf("Text of %q = %q, want it byte for byte", plain, got)
		}
		var s string
		if err := json.Unmarshal(view.JSON(said(plain)), &s); err != nil || s != plain {
			t.Errorf("JSON of %q = %s, want it as a string", plain, view.JSON(said(plain)))
		}
	}
}

func TestR75_NothingSteersTheTerminal(t *testing.T) {
	const evil = "\x1b[2J \x1b]0;x\a \x1b]8;;http://evil.test\a \u009b2J \u202e"
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	q := string(quoted)
	results := map[string]view.Result{
		"text":     said(evil),
		"cell":     said(`[{"v":` + q + `}]`),
		"key":      said(`{` + q + `:1}`),
		"column":   said(`[{` + q + `:1}]`),
		"property": said(`{"v":` + q + `}`),
		"lines":    said(`{"v":` + strings.TrimSuffix(q, `"`) + `\nx"}`),
		"nested":   said(`[{"v":{"w":` + q + `}}]`),
		"list":     said(`[` + q + `]`),
		"error":    said(`{"error":` + q + `}`),
		"image":    {Blocks: []view.Block{{Type: "image", MimeType: evil, Data: "AAAA"}}},
		"kind":     {Blocks: []view.Block{{Type: evil}}},
	}
	for name, r := range results {
		for _, shape := range []view.Shape{view.None, view.LS, view.Read, view.Grep} {
			got := view.Text(r, view.Options{Shape: shape})
			if strings.ContainsFunc(got, text.IsControl) {
				t.Errorf("Text of %s in shape %q has a raw control: %q", name, shape, got)
			}
			if !strings.Contains(got, "1b[2J") || !strings.Contains(got, `\u202e`) {
				t.Errorf("Text of %s in shape %q = %q, which hides the controls", name, shape, got)
			}
		}
		raw := view.JSON(r)
		if strings.ContainsFunc(string(raw), text.IsControl) || !strings.Contains(string(raw), `\u001b[2J`) {
			t.Errorf("JSON of %s = %s, want its controls as \\u escapes", name, raw)
		}
	}
	var back string
	if err := json.Unmarshal(view.JSON(said(evil)), &back); err != nil || back != evil {
		t.Errorf("JSON of the text reads back as %q, %v", back, err)
	}
}

func TestAnErrorIsNeverSilent(t *testing.T) {
	for name, r := range map[string]view.Result{
		"no blocks": {IsError: true}, "an empty text": {IsError: true, Blocks: []view.Block{{Type: "text"}}},
		"blank texts": {IsError: true, Blocks: []view.Block{{Type: "text", Text: "\n"}, {Type: "text", Text: " "}}},
	} {
		if got := view.Text(r, view.Options{}); !strings.HasSuffix(got, "Error: the tool failed and gave no reason\n") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := view.Text(view.Result{}, view.Options{}); got != "" {
		t.Errorf("nothing at all: got %q", got)
	}
}

func TestAnErrorObjectIsFoundByItsName(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{`{"error":"x"}`, true},
		{" {\n\"error\" : {}}", true},
		{`{"\u0065rror":1}`, true},
		{`{"\u0065\u0072\u0072\u006f\u0072":1}`, true},
		{`{"error":null}`, false},
		{`{"error":"x","b":1}`, false},
		{`{"a":1,"error":"x"}`, false},
		{`{"errors":"x"}`, false},
		{`{"a\\":1}`, false},
		{`[{"error":"x"}]`, false},
		{`{}`, false},
		{`{`, false},
	}
	for _, tt := range tests {
		if got := view.IsErrorObject(said(tt.in)); got != tt.want {
			t.Errorf("text %s: got %v, want %v", tt.in, got, tt.want)
		}
		if got := view.IsErrorObject(view.Result{Structured: json.RawMessage(tt.in)}); got != tt.want && tt.in != "{" {
			t.Errorf("structured %s: got %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestR17_ARecordOfSeveralLinesIsSetApart(t *testing.T) {
	r := said(`[{"id":1,"v":"a"},{"id":2,"v":"a long text of words"},{"id":3,"v":"b"},{"id":4,"v":"c"}]`)
	want := "" +
		"id  v\n" +
		"──  ────────────────\n" +
		"1   a\n" +
		"──  ────────────────\n" +
		"2   a long text of\n" +
		"    words\n" +
		"──  ────────────────\n" +
		"3   b\n" +
		"4   c\n"
	if diff := cmp.Diff(want, view.Text(r, view.Options{Width: 20})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
