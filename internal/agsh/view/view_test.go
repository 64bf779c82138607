package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/term/theme"
)

func TestTextOfEachKindOfResult(t *testing.T) {
	image := view.Block{Type: "image", MimeType: "image/png", Data: strings.Repeat("AAAA", 4096)}
	tests := []struct {
		name string
		in   view.Result
		want string
	}{
		{"nothing", view.Result{}, ""},
		{"empty text", said(""), ""},
		{"text with its newline", said("a\n"), "a\n"},
		{"text with many newlines", said("a\n\n"), "a\n\n"},
		{"text without a newline", said("a\r\nb"), "a\r\nb\n"},
		{"texts", said("a", "b"), "a\nb\n"},
		{"empty list", said(" [ ] "), "(empty list)\n"},
		{"empty object", said("{}"), "(empty object)\n"},
		{"structured scalar", view.Result{Structured: json.RawMessage("42")}, "42\n"},
		{"structured null is none", view.Result{Structured: json.RawMessage(" null ")}, ""},
		{"structured that is not JSON", view.Result{Structured: json.RawMessage("oops")}, "oops\n"},
		{"image", view.Result{Blocks: []view.Block{image}}, "[image image/png 12 KB]\n"},
		{"small image", view.Result{Blocks: []view.Block{{Type: "image", Data: "QQ=="}}}, "[image 1 B]\n"},
		{"image between texts", view.Result{Blocks: []view.Block{{Text: "a"}, image, {Text: "b"}}}, "a\n[image image/png 12 KB]\nb\n"},
		{"image with structured", view.Result{Blocks: []view.Block{image}, Structured: json.RawMessage(`{"a":1}`)}, "a:  1\n\n[image image/png 12 KB]\n"},
		{"image with a caption", view.Result{Blocks: []view.Block{{Type: "image", Text: "chart", Data: "QUE="}}}, "[image 2 B] chart\n"},
		{"unknown kind with text", view.Result{Blocks: []view.Block{{Type: "resource", Text: "body"}}}, "body\n"},
		{"digits survive", said(`{"n":12345678901234567890.10e-2}`), "n:  12345678901234567890.10e-2\n"},
		{"keys keep their order", said(`{"b":1,"a":2,"b":3}`), "b:  1\na:  2\nb:  3\n"},
		{"a key given twice is no column", said(`[{"a":1,"a":2},{"a":3}]`), "a:  1\na:  2\n\na:  3\n"},
		{"records of which one is empty", said(`[{"a":1},{}]`), "a\n1\n\n"},
		{"records of nothing", said(`[{},{}]`), "- {}\n- {}\n"},
		{"error", said(`{"error":"no such file"}`), "Error: no such file\n"},
		{"error number", said(`{"error":42}`), "Error: 42\n"},
		{"error object", said(`{"error":{"code":7}}`), "Error:\n  code:  7\n"},
		{"no error", said(`{"error":null}`), "error:  null\n"},
		{"error among others", said(`{"error":"x","ok":true}`), "error:  x\nok:     true\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := view.Text(tt.in, view.Options{}); got != tt.want {
				t.Errorf("Text = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStructuredIsShownWhenTheTextIsItsJSON(t *testing.T) {
	tests := []struct {
		name, text, structured string
		same                   bool
	}{
		{"spacing", "{\n  \"a\": [1, 2]\n}", `{"a":[1,2]}`, true},
		{"order of keys", `{"b":1,"a":2}`, `{"a":2,"b":1}`, true},
		{"order of items", `[1,2]`, `[2,1]`, false},
		{"escapes", `{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{"number forms", `[1.0,1e2,-0,0.5e-1]`, `[1,100,0,0.05]`, true},
		{"digits beyond a float", `[9007199254740993]`, `[9007199254740992]`, false},
		{"many digits", `[0.1000000000000000000001]`, `[0.1]`, false},
		{"sign", `[-1]`, `[1]`, false},
		{"huge exponents are not computed", `[1e999999999]`, `[10e999999998]`, true},
		{"exponents beyond use", `[1e99999999999]`, `[1e99999999998]`, false},
		{"string and number", `["1"]`, `[1]`, false},
		{"null and false", `[null]`, `[false]`, false},
		{"other key", `{"a":1}`, `{"b":1}`, false},
		{"more", `{"a":1,"b":2}`, `{"a":1}`, false},
		{"scalar", ` 42 `, `42`, true},
		{"blank text", " \n", `{"a":1}`, true},
		{"wrapped text", "hello", `{"result":"hello"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := said(tt.text)
			r.Structured = json.RawMessage(tt.structured)
			alone := view.Result{Structured: json.RawMessage(tt.structured)}
			if got := string(view.JSON(r)); (got == tt.structured) != tt.same {
				t.Errorf("JSON of %s beside %s = %s", tt.text, tt.structured, got)
			}
			if got := view.Text(r, view.Options{}); tt.same && got != view.Text(alone, view.Options{}) {
				t.Errorf("Text of %s beside %s = %q", tt.text, tt.structured, got)
			}
			if got := view.Text(r, view.Options{}); !tt.same && got != view.Text(said(tt.text), view.Options{}) {
				t.Errorf("Text of %s beside %s = %q", tt.text, tt.structured, got)
			}
		})
	}
}

func TestJSONOfEachKindOfResult(t *testing.T) {
	tests := []struct {
		name string
		in   view.Result
		want string
	}{
		{"nothing", view.Result{}, `[]`},
		{"empty text", said(""), `""`},
		{"text", said("a <b> & \"c\"\n"), `"a <b> & \"c\"\n"`},
		{"object as text", said(" {\"b\": 1.0,\n\"a\": \"<\"}\n"), `{"b":1.0,"a":"<"}`},
		{"structured", view.Result{Structured: json.RawMessage("{\"b\": 1e2, \"a\": 1}\n")}, `{"b":1e2,"a":1}`},
		{"structured null", view.Result{Structured: json.RawMessage("null")}, `[]`},
		{"structured that is not JSON", view.Result{Structured: json.RawMessage("oops")}, `"oops"`},
		{
			"image",
			view.Result{Blocks: []view.Block{{Type: "image", Data: "AA==", MimeType: "image/png"}}},
			`[{"type":"image","data":"AA==","mimeType":"image/png"}]`,
		},
		{
			"image with structured",
			view.Result{Blocks: []view.Block{{Type: "image", Data: "AA=="}}, Structured: json.RawMessage("1")},
			`{"content":[{"type":"image","data":"AA=="}],"structuredContent":1}`,
		},
		{"unknown kind", view.Result{Blocks: []view.Block{{Type: "resource", Text: "body"}}}, `[{"type":"resource","text":"body"}]`},
		{"empty block beside another", said("", "a"), `[{"type":"text","text":""},{"type":"text","text":"a"}]`},
		{"controls", said("\u009b\x7f\u2028é"), `"\u009b\u007f\u2028é"`},
		{"broken UTF-8", view.Result{Structured: json.RawMessage("[\"a\xff\"]")}, "[\"a\ufffd\"]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(view.JSON(tt.in)); got != tt.want {
				t.Errorf("JSON = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestIsErrorObject(t *testing.T) {
	both := said("it broke")
	both.Structured = json.RawMessage(`{"error":"x"}`)
	same := said(`{ "error": "x" }`)
	same.Structured = json.RawMessage(`{"error":"x"}`)
	tests := []struct {
		name string
		in   view.Result
		want bool
	}{
		{"text", said(`{"error":"x"}`), true},
		{"structured", view.Result{Structured: json.RawMessage(`{"error":{"code":1}}`)}, true},
		{"text that is the structured value", same, true},
		{"text that says more", both, false},
		{"more keys", said(`{"error":"x","id":1}`), false},
		{"null", said(`{"error":null}`), false},
		{"false", said(`{"error":false}`), false},
		{"empty", said(`{"error":""}`), false},
		{"true", said(`{"error":true}`), true},
		{"list", said(`[{"error":"x"}]`), false},
		{"two blocks", said(`{"error":"x"}`, "y"), false},
		{"nothing", view.Result{}, false},
	}
	for _, tt := range tests {
		if got := view.IsErrorObject(tt.in); got != tt.want {
			t.Errorf("IsErrorObject of %s = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestShapes(t *testing.T) {
	failed := said("/repo:\n  - a")
	failed.IsError = true
	tests := []struct {
		name  string
		shape view.Shape
		in    view.Result
		want  string
	}{
		{"ls", view.LS, said("/repo/\n  - src/\n  - a  b.txt\n"), "src/\na  b.txt\n"},
		{"ls without a final newline", view.LS, said("/repo/\n  - src/"), "src/\n"},
		{"ls of a tree", view.LS, said("/repo/\n  - src/\n    - main.go"), "/repo/\n  - src/\n    - main.go\n"},
		{"ls of a message", view.LS, said("no such directory: /x"), "no such directory: /x\n"},
		{"ls that failed", view.LS, failed, "/repo:\n  - a\n"},
		{"ls of JSON", view.LS, said(`["a"]`), "[\"a\"]\n"},
		{"ls with an error", view.LS, said(`{"error":"denied"}`), "Error: denied\n"},
		{"ls structured", view.LS, view.Result{Structured: json.RawMessage(`["a","b"]`)}, "a\nb\n"},
		{"read", view.Read, said("     1|a|b\n     2|\n     3|  c"), "a|b\n\n  c\n"},
		{"read with a final newline", view.Read, said("     9|{}\n    10|\r\n"), "{}\n\r\n"},
		{"read of many lines", view.Read, said("999999|a\n1000000|b"), "a\nb\n"},
		{"read with a jump", view.Read, said("     1|a\n     3|b"), "     1|a\n     3|b\n"},
		{"read with a note", view.Read, said("     1|a\nmore"), "     1|a\nmore\n"},
		{"read of JSON", view.Read, said(`{"a":1}`), "{\"a\":1}\n"},
		{"read with narrow numbers", view.Read, said("1|a"), "1|a\n"},
		{"grep", view.Grep, said("a.go:1:x\n[1]"), "a.go:1:x\n[1]\n"},
		{"grep of JSON", view.Grep, said("[1]"), "[1]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := view.Text(tt.in, view.Options{Shape: tt.shape, Width: 4 * 20}); got != tt.want {
				t.Errorf("Text = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFileText(t *testing.T) {
	failed := said("     1|a")
	failed.IsError = true
	tests := []struct {
		in   view.Result
		want string
		ok   bool
	}{
		{said("     1|{\n     2|}"), "{\n}", true},
		{said("     1|"), "", true},
		{said("     5|a\r\n     6|b\n"), "a\r\nb\n", true},
		{said("a"), "", false},
		{said(""), "", false},
		{said("    -1|a"), "", false},
		{said("  1   |a"), "", false},
		{said("     1|a", "     2|b"), "", false},
		{failed, "", false},
		{view.Result{Structured: json.RawMessage(`"     1|a"`)}, "", false},
		{view.Result{Blocks: []view.Block{{Type: "image", Data: "AA=="}}}, "", false},
	}
	for _, tt := range tests {
		if got, ok := view.FileText(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("FileText(%+v) = %q, %v, want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

// What a tool says about its result is no line of it.
func TestNotesAreBesideTheData(t *testing.T) {
	note := view.Block{Text: "[more matches: go on with offset 2]\n"}
	tests := []struct {
		name  string
		r     view.Result
		shape view.Shape
		text  string
		notes []string
	}{
		{"after a result", view.Result{Blocks: []view.Block{{Text: "/a:1:x\n"}, note}}, view.Grep, "/a:1:x\n", []string{"more matches: go on with offset 2"}},
		{"alone with an empty result", view.Result{Blocks: []view.Block{{}, note}}, view.Grep, "", []string{"more matches: go on with offset 2"}},
		{"the first text is the result", view.Result{Blocks: []view.Block{note}}, view.Grep, note.Text, nil},
		{"of a tool nobody knows", view.Result{Blocks: []view.Block{{Text: "x"}, note}}, view.None, "x\n" + note.Text, nil},
		{"lines", view.Result{Blocks: []view.Block{{Text: "x"}, {Text: "[a]\n[b]"}}}, view.Glob, "x\n[a]\n[b]\n", nil},
		{"a list", view.Result{Blocks: []view.Block{{Text: "x"}, {Text: `["a"]`}}}, view.Glob, "x\n[\"a\"]\n", nil},
		{"control characters", view.Result{Blocks: []view.Block{{Text: "x"}, {Text: "[\x1b]"}}}, view.Glob, "x\n", []string{`\x1b`}},
	}
	for _, tt := range tests {
		if got := view.Text(tt.r, view.Options{Shape: tt.shape}); got != tt.text {
			t.Errorf("%s: text %q, want %q", tt.name, got, tt.text)
		}
		if diff := cmp.Diff(tt.notes, view.Notes(tt.r, tt.shape)); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", tt.name, diff)
		}
	}
}

// No word is broken while its column could have room for it: a wide column
// gives way to one with long words.
func TestAWordIsNotBrokenWhileThereIsRoom(t *testing.T) {
	r := view.Result{Structured: json.RawMessage(`[{"files":"internal/keydiff/keydiff_test.go, internal/watch/watch_test.go","how":"Compare every changed value with the documents, and look at what reads it."}]`)}
	got := view.Text(r, view.Options{Width: 60})
	for _, word := range []string{"internal/keydiff/keydiff_test.go,", "internal/watch/watch_test.go", "documents,"} {
		if !strings.Contains(got, word) {
			t.Errorf("%q is broken:\n%s", word, got)
		}
	}
}

func TestBlocksThatAreNoText(t *testing.T) {
	tests := []struct {
		name string
		in   view.Block
		want string
	}{
		{"image", view.Block{Type: "image", MimeType: "image/png", Data: "AAAA"}, "[image image/png 3 B]\n"},
		{"audio", view.Block{Type: "audio", MimeType: "audio/wav", Data: "AA=="}, "[audio audio/wav 1 B]\n"},
		{"resource with text", view.Block{Type: "resource", URI: "file:///a", MimeType: "text/plain", Text: "a\nb"}, "a\nb\n"},
		{"resource with bytes", view.Block{Type: "resource", URI: "file:///a.pdf", MimeType: "application/pdf", Data: "AAAA"}, "[resource file:///a.pdf application/pdf 3 B]\n"},
		{"empty resource", view.Block{Type: "resource", URI: "file:///a"}, "[resource file:///a]\n"},
		{"link", view.Block{Type: "resource_link", Name: "a", URI: "file:///a"}, "[link a file:///a]\n"},
		{"hostile link", view.Block{Type: "resource_link", Name: "a\x1b[2J\n", URI: "x"}, `[link a\x1b[2J\n x]` + "\n"},
	}
	for _, tt := range tests {
		if got := view.Text(view.Result{Blocks: []view.Block{tt.in}}, view.Options{}); got != tt.want {
			t.Errorf("%s: Text = %q, want %q", tt.name, got, tt.want)
		}
	}
	link := view.Result{Blocks: []view.Block{{Type: "resource_link", Name: "a", URI: "file:///a"}}}
	if got, want := string(view.JSON(link)), `[{"type":"resource_link","uri":"file:///a","name":"a"}]`; got != want {
		t.Errorf("JSON of a link = %s, want %s", got, want)
	}
}

func TestAFileIsColouredByItsName(t *testing.T) {
	file := said("     1|if true; then # \x1b[2J\n     2|fi\n")
	failed := file
	failed.IsError = true
	o := view.Options{Shape: view.Read, Name: "/a/run.sh", Color: true}
	want := "\x1b[35mif\x1b[0m true; \x1b[35mthen\x1b[0m \x1b[2m# \\x1b[2J\x1b[0m\n\x1b[35mfi\x1b[0m\n"
	if got := view.Text(file, o); sgr.ReplaceAllString(got, "") != sgr.ReplaceAllString(want, "") || got == sgr.ReplaceAllString(got, "") {
		t.Errorf("Text of a script = %q, want %q", got, want)
	}
	for name, plain := range map[string]view.Options{
		"no colour":     {Shape: view.Read, Name: "/a/run.sh", Theme: theme.New(16)},
		"another shape": {Shape: view.Grep, Name: "/a/run.sh", Color: true},
		"no name":       {Shape: view.Read, Color: true},
	} {
		if got := view.Text(file, plain); sgr.MatchString(got) {
			t.Errorf("%s: Text = %q", name, got)
		}
	}
	if got := view.Text(failed, o); sgr.MatchString(got) {
		t.Errorf("Text of an error = %q", got)
	}
	o.Theme = theme.New(256)
	if got := view.Text(file, o); !strings.Contains(got, "\x1b[38;5;") {
		t.Errorf("Text with 256 colours = %q", got)
	}
}

// A list beside other values reads as words with commas, unless that could be
// read as another list: then it is JSON.
func TestAListInACellIsReadable(t *testing.T) {
	tests := []struct{ list, want string }{
		{`["service:api","team:edge"]`, "service:api, team:edge"},
		{`["a b","c"]`, "a b, c"},
		{`["one"]`, "one"},
		{`[1,2.50,12345678901234567890]`, "1, 2.50, 12345678901234567890"},
		{`[true,null]`, "true, null"},
		{`["a\u001b[2J","b"]`, `a\x1b[2J, b`},
		{`["a, b","c"]`, `["a, b","c"]`},
		{`["a\nb","c"]`, `["a\nb","c"]`},
		{`["",""]`, `["",""]`},
		{`[" a","b"]`, `[" a","b"]`},
		{`["1",1]`, `["1",1]`},
		{`[["a"],["b"]]`, `[["a"],["b"]]`},
		{`[{"a":1}]`, `[{"a":1}]`},
		{`[]`, `[]`},
	}
	for _, tt := range tests {
		r := view.Result{Structured: json.RawMessage(`[{"id":7,"tags":` + tt.list + `}]`)}
		if got, want := view.Text(r, view.Options{}), "id  tags\n7   "+tt.want+"\n"; got != want {
			t.Errorf("%s in a table = %q, want %q", tt.list, got, want)
		}
		// A key that is there twice keeps it from being a table.
		r.Structured = json.RawMessage(`[{"id":7,"id":8,"tags":` + tt.list + `}]`)
		if got, want := view.Text(r, view.Options{}), "id:    7\nid:    8\ntags:  "+tt.want+"\n"; got != want {
			t.Errorf("%s beside its key = %q, want %q", tt.list, got, want)
		}
	}
}

func TestAnImageThatIsStructuredToo(t *testing.T) {
	image := view.Block{Type: "image", Data: "AAAA", MimeType: "image/png"}
	for _, test := range []struct{ structured, text, json string }{
		{
			`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`,
			"[image image/png 3 B]\n", `[{"type":"image","data":"AAAA","mimeType":"image/png"}]`,
		},
		{
			`{"content":[{"type":"image","mimeType":"image/png","data":"BBBB"}]}`,
			"content:\n  type   mimeType   data\n  image  image/png  BBBB\n\n[image image/png 3 B]\n",
			`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"content":[{"type":"image","mimeType":"image/png","data":"BBBB"}]}}`,
		},
	} {
		r := view.Result{Blocks: []view.Block{image}, Structured: []byte(test.structured)}
		if got := view.Text(r, view.Options{}); got != test.text {
			t.Errorf("%s is shown as %q, want %q", test.structured, got, test.text)
		}
		if got := string(view.JSON(r)); got != test.json {
			t.Errorf("%s is %s, want %s", test.structured, got, test.json)
		}
	}
}
