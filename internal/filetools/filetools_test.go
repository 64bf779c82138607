package filetools_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/internal/filetools"
	"agsh.dev/vfs"
)

// run calls one tool on tree; a failure is shown as "error: " and its text,
// blocks that are not text as JSON, and what separates two blocks as a bar.
func run(t *testing.T, tree vfs.FileSystem, name, args string) string {
	t.Helper()
	tools, err := filetools.Tools(tree, []string{name})
	if err != nil || len(tools) != 1 {
		t.Fatalf("Tools(%s) = %d tools, %v", name, len(tools), err)
	}
	res, err := tools[0].Run(t.Context(), json.RawMessage(args))
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for i, c := range res.Content {
		if i > 0 {
			b.WriteByte('|')
		}
		if c.Type == "text" {
			b.WriteString(c.Text)
			continue
		}
		if err := json.NewEncoder(&b).Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

type example struct{ name, args, want string }

func check(t *testing.T, tree vfs.FileSystem, tool string, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			if diff := cmp.Diff(e.want, run(t, tree, tool, e.args)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", tool, e.args, diff)
			}
		})
	}
}

// R47: a newline at the end is not a line, and the end of a file is said.
func TestR47_readCountsLines(t *testing.T) {
	tree := vfs.Temp(map[string]string{"/nl": "l1\nl2\nl3\n", "/none": "l1\nl2\nl3", "/empty": "", "/one": "l1\n"})
	for _, p := range []string{"/nl", "/none"} {
		check(t, tree, "Read", []example{
			{p + " from the last line", `{"path":"` + p + `","offset":-1}`, "     3|l3\n"},
			{p + " from the last but one", `{"path":"` + p + `","offset":-2}`, "     2|l2\n     3|l3\n"},
			{p + " from before the start", `{"path":"` + p + `","offset":-9}`, "     1|l1\n     2|l2\n     3|l3\n"},
			{p + " just past the end", `{"path":"` + p + `","offset":4}`, "error: read " + p + ": offset 4 is past the end: the file has 3 lines"},
			{p + " far past the end", `{"path":"` + p + `","offset":1200}`, "error: read " + p + ": offset 1200 is past the end: the file has 3 lines"},
			{p + " without a limit", `{"path":"` + p + `","limit":0}`, "     1|l1\n     2|l2\n     3|l3\n"},
			{p + " with both", `{"path":"` + p + `","offset":2,"limit":1}`, "     2|l2\n"},
		})
	}
	check(t, tree, "Read", []example{
		{"empty", `{"path":"/empty","offset":7}`, ""},
		{"one line", `{"path":"/one","offset":2}`, "error: read /one: offset 2 is past the end: the file has 1 line"},
	})
}

func TestRead(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tree := vfs.Temp(map[string]string{
		"/crlf": "a\r\nb\r\n", "/blank": "\n\nx", "/img": png, "/bin": "\x7fELF\x00", "/latin1": "caf\xe9", "/nul": strings.Repeat("x", 9000) + "\x00",
		"/long": strings.Repeat("y\n", 1_000_000),
	})
	check(t, tree, "Read", []example{
		{"lines keep their carriage returns", `{"path":"/crlf"}`, "     1|a\r\n     2|b\r\n"},
		{"blank lines count", `{"path":"/blank"}`, "     1|\n     2|\n     3|x\n"},
		{"big numbers widen the column", `{"path":"/long","offset":999999}`, "999999|y\n1000000|y\n"},
		{"an image", `{"path":"/img"}`, `{"type":"image","data":"` + base64.StdEncoding.EncodeToString([]byte(png)) + `","mimeType":"image/png"}` + "\n"},
		{"binary", `{"path":"/bin"}`, "error: read /bin: binary file: neither UTF-8 text nor a jpeg, png, gif or webp image"},
		{"invalid UTF-8 is binary", `{"path":"/latin1"}`, "error: read /latin1: binary file: neither UTF-8 text nor a jpeg, png, gif or webp image"},
		{"missing", `{"path":"/x/../nope"}`, "error: not found: /nope"},
		{"a directory", `{"path":"/"}`, "error: read /: is a directory"},
	})
	tools, err := filetools.Tools(tree, []string{"Read"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := tools[0].Run(t.Context(), json.RawMessage(`{"path":"/nul"}`))
	if err != nil {
		t.Fatal(err)
	}
	var back []event.Block
	if b, err := json.Marshal(res.Content); err != nil || json.Unmarshal(b, &back) != nil || !cmp.Equal(back, res.Content) {
		t.Errorf("a NUL byte does not survive JSON: %v", err)
	}
}

func TestLS(t *testing.T) {
	tree := vfs.Temp(map[string]string{"/b.txt": "", "/a/x.ts": "", "/a/x.test.ts": "", "/a/node_modules/y": "", "/a-b": "", "/.env": ""})
	check(t, tree, "LS", []example{
		{"the root", `{"path":"/"}`, "/\n  - .env\n  - a/\n  - a-b\n  - b.txt\n"},
		{"any form of a path", `{"path":"./a/"}`, "/a/\n  - node_modules/\n  - x.test.ts\n  - x.ts\n"},
		{"ignored names", `{"path":"/a","ignore_globs":["*.test.ts","node_modules/**"]}`, "/a/\n  - x.ts\n"},
		{"ignored paths", `{"path":"/a","ignore_globs":["**/node_modules/**","/a/x.ts"]}`, "/a/\n  - x.test.ts\n"},
		{"ignored directories", `{"path":"/","ignore_globs":["*/"]}`, "/\n  - .env\n  - a-b\n  - b.txt\n"},
		{"a bad glob", `{"path":"/a","ignore_globs":["[a"]}`, "error: ignore_globs: invalid glob pattern: [a"},
		{"missing", `{"path":"/nope"}`, "error: not found: /nope"},
		{"a file", `{"path":"/b.txt"}`, "error: list /b.txt: not a directory; Read shows files"},
	})
}

func TestGlob(t *testing.T) {
	tree := vfs.Temp(map[string]string{"/src/a.txt": "", "/src/n/b.txt": "", "/src/n/c.ts": "", "/src/.h/a.txt": ""})
	check(t, tree, "Glob", []example{
		{"below a directory", `{"pattern":"**/{a,b}.txt","dir":"/src"}`, "/src/.h/a.txt\n/src/a.txt\n/src/n/b.txt\n"},
		{"everywhere", `{"pattern":"*/*/c.ts"}`, "/src/n/c.ts\n"},
		{"directories have a slash", `{"pattern":"*","dir":"/src"}`, "/src/.h/\n/src/a.txt\n/src/n/\n"},
		{"an absolute pattern names its directory", `{"pattern":"/src/n/*.ts"}`, "/src/n/c.ts\n"},
		{"no match", `{"pattern":"*.ts","dir":"/src"}`, ""},
		{"no directory", `{"pattern":"*.ts","dir":"/nope"}`, "error: not found: /nope"},
		{"no pattern", `{"pattern":"{a","dir":"/src"}`, "error: glob /src: invalid glob pattern: {a"},
	})
}

func TestGrep(t *testing.T) {
	tree := vfs.Temp(map[string]string{
		"/a.go": "one hit\ntwo\nthree\nHIT four\nfive hit\n", "/n/b.go": "x\nhit\ny\n", "/n/c.ts": "hit\nhit\n", "/bad": "hit \xff\n",
	})
	check(t, tree, "Grep", []example{
		{"content", `{"pattern":"hit","glob":"*.go"}`, "/a.go:1:one hit\n/a.go:5:five hit\n/n/b.go:2:hit\n"},
		{"ignoring case", `{"pattern":"hit","path":"/a.go","-i":true}`, "/a.go:1:one hit\n/a.go:4:HIT four\n/a.go:5:five hit\n"},
		{"context", `{"pattern":"hit","glob":"*.go","-C":1}`, "/a.go:1:one hit\n/a.go-2-two\n--\n/a.go-4-HIT four\n/a.go:5:five hit\n--\n/n/b.go-1-x\n/n/b.go:2:hit\n/n/b.go-3-y\n"},
		{"context on one side", `{"pattern":"four","-A":1,"-B":0}`, "/a.go:4:HIT four\n/a.go-5-five hit\n"},
		{"bytes that are no UTF-8", `{"pattern":"hit","path":"/bad"}`, "/bad:1:hit \ufffd\n"},
		{"files", `{"pattern":"hit","path":"/n","output_mode":"files_with_matches"}`, "/n/b.go\n/n/c.ts\n"},
		{"counts", `{"pattern":"hit","output_mode":"count"}`, "/a.go:2\n/bad:1\n/n/b.go:1\n/n/c.ts:2\n"},
		{"a page of lines", `{"pattern":"hit","glob":"*.go","head_limit":1,"offset":1}`, "/a.go:5:five hit\n|[more matches: go on with offset 2]"},
		{"the last page of lines", `{"pattern":"hit","glob":"*.go","head_limit":5,"offset":2}`, "/n/b.go:2:hit\n"},
		{"an exact page has no note", `{"pattern":"hit","glob":"*.go","head_limit":3}`, "/a.go:1:one hit\n/a.go:5:five hit\n/n/b.go:2:hit\n"},
		{"a page with context", `{"pattern":"hit","glob":"*.go","head_limit":1,"offset":1,"-C":1}`, "/a.go-4-HIT four\n/a.go:5:five hit\n|[more matches: go on with offset 2]"},
		{"context of a match before the page", `{"pattern":"one|three","path":"/a.go","offset":1,"-C":1}`, "/a.go-2-two\n/a.go:3:three\n/a.go-4-HIT four\n"},
		{"a page of files", `{"pattern":"hit","output_mode":"files_with_matches","head_limit":2,"offset":1}`, "/bad\n/n/b.go\n|[more matches: go on with offset 3]"},
		{"the last page of files", `{"pattern":"hit","output_mode":"count","head_limit":2,"offset":2}`, "/n/b.go:1\n/n/c.ts:2\n"},
		{"past the last", `{"pattern":"hit","path":"/n","offset":9}`, "|[no more matches: offset 9 is past the last of 3]"},
		{"no match", `{"pattern":"nope"}`, ""},
		{"no path", `{"pattern":"hit","path":"/nope"}`, "error: not found: /nope"},
		{"an invalid pattern", `{"pattern":"(x"}`, "error: invalid grep pattern: (x"},
	})
}

func TestArguments(t *testing.T) {
	tree := vfs.Temp(map[string]string{"/d/f.txt": "hit\n"})
	for _, tt := range []struct{ tool, args, want string }{
		{"Read", `{"file_path":"/d/f.txt"}`, "     1|hit\n"},
		{"Read", `{"filePath":"/d/f.txt","offset":1.0}`, "     1|hit\n"},
		{"Read", `{"target_file":"/d/f.txt","limit":null}`, "     1|hit\n"},
		{"Read", `{"path":"/d/f.txt","file_path":"/x"}`, `error: Read: fields "file_path" and "path" are the same; give one`},
		{"Read", `{"path":"/d/f.txt","lines":3}`, `error: Read: unknown field "lines"; its fields are path, offset, limit`},
		{"Read", `{}`, `error: Read: field "path" is required`},
		{"Read", ``, `error: Read: field "path" is required`},
		{"Read", `{"path":null}`, `error: Read: field "path" is required`},
		{"Read", `{"path":7}`, `error: Read: field "path" is 7; it must be of type string`},
		{"Read", `{"path":"/d/f.txt","offset":1.5}`, `error: Read: field "offset" is 1.5; it must be of type integer`},
		{"Read", `{"path":"/d/f.txt","offset":1e400}`, `error: Read: field "offset" is 1e400; it must be of type integer`},
		{"Read", `{"path":"/d/f.txt","limit":-1}`, `error: Read: field "limit" is -1; it must not be negative`},
		{"LS", `{"target_directory":"/d"}`, "/d/\n  - f.txt\n"},
		{"LS", `{"dir":"/d","ignore_globs":["f*"]}`, ""},
		{"LS", `{"dir":"/d","ignore_globs":"f*"}`, `error: LS: field "ignore_globs" is "f*"; it must be of type array`},
		{"Grep", `{"query":"hit","dir":"/d"}`, "/d/f.txt:1:hit\n"},
		{"Grep", `{"pattern":"hit","-i":"yes"}`, `error: Grep: field "-i" is "yes"; it must be of type boolean`},
		{"Grep", `{"pattern":"hit","output_mode":"lines"}`, `error: Grep: field "output_mode" is "lines"; it must be one of content, files_with_matches, count`},
		{"Glob", `{"glob_pattern":"*","target_directory":"/d"}`, "/d/f.txt\n"},
	} {
		if got := run(t, tree, tt.tool, tt.args); got != tt.want {
			t.Errorf("%s %s gives %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	if got := run(t, tree, "Read", `[]`); !strings.HasPrefix(got, "error: Read: arguments are not a JSON object") {
		t.Errorf("Read [] gives %q", got)
	}
}

// What is advertised: fields in order, the required ones, no alias, and room
// for aliases.
func TestDefinitions(t *testing.T) {
	tools, err := filetools.Tools(vfs.Temp(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Read path* offset limit",
		"LS path* ignore_globs",
		"Grep pattern* path glob output_mode -i -A -B -C head_limit offset",
		"Glob pattern* dir",
	}
	var got []string
	for _, f := range tools {
		got = append(got, f.Name+" "+strings.Join(properties(t, f), " "))
		if f.Effect != agent.Read || f.Title == "" || f.Description == "" || f.Description != strings.TrimSpace(f.Description) {
			t.Errorf("%s: effect %q, title %q, description %q", f.Name, f.Effect, f.Title, f.Description)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// properties are the names in a schema, in order, the required ones with a
// star.
func properties(t *testing.T, f filetools.Tool) []string {
	t.Helper()
	var schema struct {
		Type                 string
		Properties           json.RawMessage
		Required             []string
		AdditionalProperties json.RawMessage
	}
	if err := json.Unmarshal(f.Input, &schema); err != nil || schema.Type != "object" || schema.AdditionalProperties != nil {
		t.Fatalf("%s: schema %s: %v", f.Name, f.Input, err)
	}
	var names []string
	dec := json.NewDecoder(bytes.NewReader(schema.Properties))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		key, err := dec.Token()
		var p struct{ Type, Description string }
		if err != nil || dec.Decode(&p) != nil || p.Type == "" || p.Description == "" {
			t.Fatalf("%s: property %v of %s: %v", f.Name, key, schema.Properties, err)
		}
		name, _ := key.(string)
		if slices.Contains(schema.Required, name) {
			name += "*"
		}
		names = append(names, name)
	}
	return names
}

func TestToolsByName(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  []string
	}{
		{nil, []string{"Read", "LS", "Grep", "Glob"}},
		{[]string{}, nil},
		{[]string{"Grep", "Read", "Grep"}, []string{"Read", "Grep"}},
	} {
		tools, err := filetools.Tools(vfs.Temp(nil), tt.names)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range tools {
			got = append(got, f.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Tools(%q) (-want +got):\n%s", tt.names, diff)
		}
	}
	_, err := filetools.Tools(vfs.Temp(nil), []string{"read"})
	if err == nil || err.Error() != `native tool "read" is unknown; known are Read, LS, Grep, Glob` {
		t.Errorf("Tools(read): %v", err)
	}
}

// What has an alias is checked under the field it stands for, whatever its
// value.
func TestCanonicalRenamesWhateverTheValue(t *testing.T) {
	read := tool(t, "Read")
	for args, want := range map[string]string{
		`{"file_path":"/a","offset":"2"}`: `{"offset":"2","path":"/a"}`,
		`{"file_path":7}`:                 `{"path":7}`,
		`{"path":"/a","lines":1}`:         `{"path":"/a","lines":1}`,
		`{"path":"/a","file_path":"/b"}`:  `{"path":"/a","file_path":"/b"}`,
		`{"path":"/a","limit":1e400}`:     `{"limit":1e400,"path":"/a"}`,
	} {
		if got := string(read.Canonical(json.RawMessage(args))); got != want {
			t.Errorf("Canonical(Read, %s) = %s, want %s", args, got, want)
		}
	}
}

// Every row of a listing is one name, whatever the name holds.
func TestNamesCannotForgeRows(t *testing.T) {
	tree := vfs.Temp(map[string]string{"/d/a\n  - b": "hit\n", "/d/\"q": "hit\n", "/d/é x": "hit\n", "/d/e\x1b[2J/f": ""})
	check(t, tree, "LS", []example{{"", `{"path":"/d"}`, "/d/\n  - \"\\\"q\"\n  - \"a\\n  - b\"\n  - \"e\\u001b[2J/\"\n  - é x\n"}})
	check(t, tree, "Glob", []example{{"", `{"pattern":"d/[a-z]*"}`, "\"/d/a\\n  - b\"\n\"/d/e\\u001b[2J/\"\n"}})
	check(t, tree, "Grep", []example{
		{"lines", `{"pattern":"hit"}`, "/d/\"q:1:hit\n\"/d/a\\n  - b\":1:hit\n/d/é x:1:hit\n"},
		{"counts", `{"pattern":"hit","output_mode":"count","glob":"a*"}`, "\"/d/a\\n  - b\":1\n"},
	})
}

// A file too long for an answer is cut after a whole line, and it is said.
func TestALongFileIsCutAtALine(t *testing.T) {
	const lines = 1_000_000
	tree := vfs.Temp(map[string]string{"/long": strings.Repeat("0123456789\n", lines), "/wide": strings.Repeat("x", 9<<20)})
	tools, err := filetools.Tools(tree, []string{"Read"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := tools[0].Run(t.Context(), json.RawMessage(`{"path":"/long"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := res.Content[0].Text
	if want := "     1|0123456789\n"; !strings.HasPrefix(got, want) || len(got)%len(want) != 0 || len(got) > 8<<20 {
		t.Errorf("the text has %d bytes", len(got))
	}
	if want := int64(18*lines + 1); res.Size != want {
		t.Errorf("Size = %d, want %d", res.Size, want)
	}
	if res, err = tools[0].Run(t.Context(), json.RawMessage(`{"path":"/wide"}`)); err != nil || res.Size != 0 || len(res.Content[0].Text) != 9<<20+8 {
		t.Errorf("a wide line: %d bytes, Size %d, %v", len(res.Content[0].Text), res.Size, err)
	}
}

// tool is one tool over an empty tree.
func tool(t *testing.T, name string) filetools.Tool {
	t.Helper()
	tools, err := filetools.Tools(vfs.Temp(nil), []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return tools[0]
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"file_path":"/a","offset":2.0}`, `{"path":"/a","x":1}`, `{"path":null}`, `[]`, ``, `{"limit":1e300}`, `{"path":"\ud800<"}`} {
		f.Add("Read", s)
		f.Add("Grep", s)
	}
	tools, err := filetools.Tools(vfs.Temp(nil), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		i := max(0, slices.IndexFunc(tools, func(tool filetools.Tool) bool { return tool.Name == name }))
		canonical := tools[i].Canonical
		once := canonical(json.RawMessage(args))
		if twice := canonical(once); !bytes.Equal(once, twice) {
			t.Errorf("Canonical(%s, %q) = %q, then %q", name, args, once, twice)
		}
		if json.Valid([]byte(args)) && !json.Valid(once) {
			t.Errorf("Canonical(%s, %q) = %q is not JSON", name, args, once)
		}
	})
}

// Whatever part of a file is read, it is whole lines of it under their
// numbers.
func FuzzRead(f *testing.F) {
	f.Add("a\nb\n", 1, 1)
	f.Add("a\n\nb", -2, 0)
	f.Fuzz(func(t *testing.T, content string, offset, limit int) {
		limit = max(limit, 0)
		if content == "" || strings.Contains(content, "\x00") || !utf8.ValidString(content) || vfs.ImageType([]byte(content)) != "" {
			return
		}
		args, err := json.Marshal(map[string]any{"path": "/f", "offset": offset % (1 << 50), "limit": limit % (1 << 50)})
		if err != nil {
			t.Fatal(err)
		}
		tree := vfs.Temp(map[string]string{"/f": content})
		part := run(t, tree, "Read", string(args))
		whole := run(t, tree, "Read", `{"path":"/f"}`)
		if !strings.HasPrefix(part, "error: read /f: offset ") && !strings.Contains("\n"+whole, "\n"+part) {
			t.Errorf("Read %s of %q gives %q, which is no part of %q", args, content, part, whole)
		}
	})
}

// An endless tree yields matches until its consumer stops.
type endless struct{ vfs.FileSystem }

func (e endless) Grep(context.Context, vfs.GrepQuery) iter.Seq2[vfs.GrepResult, error] {
	return func(yield func(vfs.GrepResult, error) bool) {
		n := 0
		for yield(vfs.GrepResult{Path: e.path(n / 2), Line: n%2 + 1, Text: "x", Context: n%2 == 1}, nil) {
			n++
		}
	}
}

func (e endless) Glob(context.Context, string, string) iter.Seq2[vfs.DirEntry, error] {
	return func(yield func(vfs.DirEntry, error) bool) {
		n := 0
		for yield(vfs.DirEntry{Path: e.path(n), Kind: vfs.KindFile}, nil) {
			n++
		}
	}
}

// path is long, so that few make a large result.
func (endless) path(n int) string { return "/" + strings.Repeat("x", 8<<10) + strconv.Itoa(n) }

// A search gathers no more than a result may have, and says how to go on.
func TestSearchesEndAtTheSizeOfAResult(t *testing.T) {
	for _, tt := range []struct{ tool, args, note string }{
		{"Grep", `{"pattern":"x"}`, `the result ends at 8 MiB: go on with offset \d+`},
		{"Grep", `{"pattern":"x","-A":1,"-B":1,"offset":7}`, `the result ends at 8 MiB: go on with offset \d+`},
		{"Grep", `{"pattern":"x","output_mode":"files_with_matches"}`, `the result ends at 8 MiB: go on with offset \d+`},
		{"Grep", `{"pattern":"x","output_mode":"count"}`, `the result ends at 8 MiB: go on with offset \d+`},
		{"Glob", `{"pattern":"**"}`, "the result ends at 8 MiB: narrow the pattern"},
	} {
		tools, err := filetools.Tools(endless{vfs.Temp(nil)}, []string{tt.tool})
		if err != nil {
			t.Fatal(err)
		}
		res, err := tools[0].Run(t.Context(), json.RawMessage(tt.args))
		if err != nil || len(res.Content) != 2 {
			t.Fatalf("%s %s: %d blocks, %v", tt.tool, tt.args, len(res.Content), err)
		}
		if n := len(res.Content[0].Text); n > 8<<20 || n < 7<<20 {
			t.Errorf("%s %s: %d bytes", tt.tool, tt.args, n)
		}
		if note := res.Content[1].Text; !regexp.MustCompile(tt.note).MatchString(note) {
			t.Errorf("%s %s: note %q", tt.tool, tt.args, note)
		}
	}
}

// A search that goes on where the last one ended misses nothing and repeats
// nothing.
func TestASearchGoesOnWhereItEnded(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("/%02d", i)] = strings.Repeat(fmt.Sprintf("x%02d ", i), 1<<18) + "\n"
	}
	tools, err := filetools.Tools(vfs.Temp(files), []string{"Grep"})
	if err != nil {
		t.Fatal(err)
	}
	var found strings.Builder
	for offset := "0"; offset != ""; {
		res, err := tools[0].Run(t.Context(), json.RawMessage(`{"pattern":"x","offset":`+offset+`}`))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(res.Content[0].Text) {
			found.WriteString(line[:4])
		}
		offset = ""
		if len(res.Content) > 1 {
			_, offset, _ = strings.Cut(strings.Trim(res.Content[1].Text, "[]"), "offset ")
		}
	}
	var want strings.Builder
	for i := range 20 {
		fmt.Fprintf(&want, "/%02d:", i)
	}
	if found.String() != want.String() {
		t.Errorf("found %s", found.String())
	}
}
