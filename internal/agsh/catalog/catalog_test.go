package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/manpage"
)

// A source is a namespace in memory that keeps what it was asked.
type source struct {
	tools  []api.ToolDetail
	etag   string
	bind   api.Binding
	asked  []string
	broken error
}

func (s *source) Info(context.Context) (api.Info, error) { return api.Info{}, s.broken }

func (s *source) Tools(_ context.Context, b api.Binding) (api.ToolList, error) {
	s.asked, s.bind = append(s.asked, "list"), b
	list := api.ToolList{ETag: s.etag}
	for _, d := range s.tools {
		list.Tools = append(list.Tools, api.ToolEntry{Name: d.Name, Title: d.Title})
	}
	return list, s.broken
}

func (s *source) Tool(_ context.Context, name string, fold bool, b api.Binding) (api.ToolDetail, error) {
	s.asked, s.bind = append(s.asked, name), b
	var found []api.ToolDetail
	for _, d := range s.tools {
		d.ETag = s.etag
		switch {
		case s.broken != nil:
			return d, s.broken
		case d.Name == name:
			return d, nil
		case fold && strings.EqualFold(d.Name, name):
			found = append(found, d)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return api.ToolDetail{}, api.Errorf(api.CodeToolNotFound, "no tool %s", name)
}

func tool(name string) api.ToolDetail {
	return api.ToolDetail{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
}

func TestLookupFindsTheOnlyToolOfThatNameIgnoringCase(t *testing.T) {
	src := &source{tools: []api.ToolDetail{tool("LS"), tool("Twin"), tool("TWIN"), tool("help")}}
	for _, listed := range []bool{false, true} {
		c := New(src, api.Binding{})
		if listed {
			if _, err := c.List(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for typed, want := range map[string]string{"ls": "LS", "Ls": "LS", "LS": "LS", "Twin": "Twin", "TWIN": "TWIN", "twin": "", "": "", "l": "", "HELP": "help"} {
			cmd, err := c.Lookup(t.Context(), typed)
			unknown, ok := errors.AsType[*UnknownError](err)
			switch {
			case want != "" && (err != nil || cmd.Detail.Name != want):
				t.Errorf("listed %v: Lookup(%q) = %v, %v, want %s", listed, typed, cmd, err, want)
			case want == "" && (!ok || unknown.Name != typed):
				t.Errorf("listed %v: Lookup(%q) = %v, %v, want that it is unknown", listed, typed, cmd, err)
			}
		}
	}
}

func TestLookupAsksOncePerTool(t *testing.T) {
	src := &source{tools: []api.ToolDetail{tool("LS")}, etag: "1"}
	c := New(src, api.Binding{Session: "ses_1"})
	if _, err := c.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"ls", "LS", "Ls"} {
		if _, err := c.Lookup(t.Context(), typed); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"list", "ls"}, src.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if src.bind != (api.Binding{Session: "ses_1"}) {
		t.Errorf("asked for %+v", src.bind)
	}
}

func TestANewVersionOfTheNamespaceIsListedAgain(t *testing.T) {
	ctx := t.Context()
	src := &source{tools: []api.ToolDetail{tool("LS"), tool("exit")}, etag: "1"}
	c := New(src, api.Binding{})
	if !c.Has(ctx, "ls") || !c.HasExact(ctx, "exit") || c.HasExact(ctx, "ls") || c.Has(ctx, "head") {
		t.Fatal("the first listing is not what it is")
	}
	if _, err := c.Lookup(ctx, "ls"); err != nil {
		t.Fatal(err)
	}
	src.tools, src.etag = []api.ToolDetail{tool("LS"), tool("head")}, "2"
	c.Seen("1")
	c.Seen("")
	if c.Has(ctx, "head") {
		t.Error("listed again for the version that is known")
	}
	c.Seen("2")
	if !c.Has(ctx, "head") || c.HasExact(ctx, "exit") || !c.Has(ctx, "ls") {
		t.Error("the new listing does not count")
	}
	src.asked = nil
	if _, err := c.Lookup(ctx, "ls"); err != nil || len(src.asked) != 1 {
		t.Errorf("a command of the old namespace is used still: asked %q, %v", src.asked, err)
	}

	// What was known counts while the server cannot answer.
	c.Seen("3")
	src.broken = errors.New("down")
	if !c.Has(ctx, "head") {
		t.Error("a listing that cannot be renewed is forgotten")
	}
	if _, err := c.List(ctx); err == nil {
		t.Error("List hides that the server cannot answer")
	}
}

func TestR21_AnUnknownCommandHasNearMatches(t *testing.T) {
	src := &source{tools: []api.ToolDetail{tool("create_monitor"), tool("list_monitors"), tool("LS"), tool("Read")}}
	for typed, want := range map[string]string{
		"create_monitr":           "unknown command: create_monitr; did you mean create_monitor?",
		"monitor":                 "unknown command: monitor; did you mean one of list_monitors, create_monitor?",
		"laz":                     "unknown command: laz; help lists the commands",
		"":                        "unknown command: ''; help lists the commands",
		"reed":                    "unknown command: reed; did you mean Read?",
		strings.Repeat("x", 1000): "unknown command: " + strings.Repeat("x", 79) + "…; help lists the commands",
	} {
		_, err := New(src, api.Binding{}).Lookup(t.Context(), typed)
		if err == nil || err.Error() != want {
			t.Errorf("Lookup(%.20q): %v, want %s", typed, err, want)
		}
	}
}

func TestAnAnswerAboutAnotherToolIsRefused(t *testing.T) {
	liar := liar{&source{}}
	if cmd, err := New(liar, api.Binding{}).Lookup(t.Context(), "read"); err == nil {
		t.Errorf("read became %s", cmd.Detail.Name)
	}
}

type liar struct{ *source }

func (liar) Tool(context.Context, string, bool, api.Binding) (api.ToolDetail, error) {
	return tool("delete_everything"), nil
}

// A field with ! is required.
func TestCuratedShapesBindToTheLiveSchema(t *testing.T) {
	tests := []struct{ name, fields, want, view string }{
		{"Read", "path! offset limit", "Read [options...] <path>", "read"},
		{"read", "file_path!", "read <path>", "read"},
		{"READ", "filePath target_file", "READ [options...] <path>", "read"},
		{"read", "target_file!", "read <path>", "read"},
		{"read", "file!", "read [options...]", ""},
		{"LS", "path! ignore_globs", "LS [options...] [path]", "ls"},
		{"ls", "target_directory", "ls [path]", "ls"},
		{"ls", "dir", "ls [path]", "ls"},
		{"ls", "folder", "ls [options...]", ""},
		{"Grep", "pattern! path -i", "Grep [options...] <pattern> [path]", "grep"},
		{"grep", "query! dir", "grep <pattern> [path]", "grep"},
		{"grep", "pattern!", "grep [options...]", ""}, // half a shape is none
		{"Glob", "pattern! dir", "Glob <pattern> [dir]", "glob"},
		{"glob", "glob_pattern! target_directory", "glob <pattern> [dir]", "glob"},
		{"glob", "glob_pattern! path!", "glob <pattern> <dir>", "glob"},
		{"diff", "path", "diff [path]", ""},
		{"diff", "path!", "diff <path>", ""},
		{"Write", "path! contents!", "Write [options...] <path>", ""},
		{"StrReplace", "file_path! old_string! new_string!", "StrReplace [options...] <path>", ""},
		{"Delete", "path!", "Delete <path>", ""},
		{"SemanticSearch", "query! num_results", "SemanticSearch [options...] <query>", ""},
		{"reader", "path!", "reader [options...]", ""},
	}
	for _, tt := range tests {
		schema := struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required,omitempty"`
		}{"object", map[string]any{}, nil}
		for f := range strings.FieldsSeq(tt.fields) {
			name, required := strings.CutSuffix(f, "!")
			schema.Properties[name] = map[string]string{"type": "string"}
			if required {
				schema.Required = append(schema.Required, name)
			}
		}
		input, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		cmd, err := NewCommand(api.ToolDetail{Name: tt.name, InputSchema: input})
		if err != nil {
			t.Errorf("%s with %s: %v", tt.name, tt.fields, err)
			continue
		}
		if got := cmd.Page().Synopsis; got != tt.want || string(cmd.Shape) != tt.view {
			t.Errorf("%s with %s is %q shown as %q, want %q as %q", tt.name, tt.fields, got, cmd.Shape, tt.want, tt.view)
		}
		// An operand is only an operand, never a flag too.
		for _, f := range cmd.Args.Flags() {
			for _, o := range cmd.Args.Operands() {
				if f.Property == o.Field {
					t.Errorf("%s: %s is a flag and an operand", tt.name, f.Property)
				}
			}
		}
	}
}

func TestIndexGroupsBySource(t *testing.T) {
	list := api.ToolList{
		Tools: []api.ToolEntry{
			{Name: "zeta", Source: api.Source{Kind: "connection", Connection: "hub", Connector: "datadog"}},
			{Name: "beta"},
			{Name: "Alpha", Title: "First"},
			{Name: "gamma", Source: api.Source{Kind: "connection", Connection: "files"}},
			{Name: "eta", Source: api.Source{Kind: "connection", Connection: "other", Connector: "datadog"}},
		},
		Unavailable: []api.Unavailable{{Connection: "jira", Error: "refused"}},
	}
	index := Index(api.Info{Name: "agent"}, list)
	var got []string
	for _, g := range index.Groups {
		got = append(got, g.Header+":")
		for _, r := range g.Rows {
			got = append(got, r.Name)
		}
	}
	want := []string{"COMMANDS:", "Alpha", "beta", "DATADOG:", "eta", "zeta", "FILES:", "gamma"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if len(index.Unavailable) != 1 || index.Unavailable[0].Name != "jira" {
		t.Errorf("unavailable: %v", index.Unavailable)
	}
}

// What the schema asks of a value is told, and told as it is: facts are no
// markdown.
func TestHelpTellsTheLimitsOfValues(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"a range", `{"type":"integer","minimum":1,"maximum":100000,"default":400}`, "1 to 100000. Default: 400."},
		{"one end", `{"type":"number","minimum":0.5}`, "At least 0.5."},
		{"open ends", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1e3,"multipleOf":5}`, "More than 0, less than 1e3, a multiple of 5."},
		{"a length", `{"type":"string","minLength":1,"maxLength":200}`, "1 to 200 characters."},
		{"a least length", `{"type":"string","minLength":1}`, "At least 1 character."},
		{"one length", `{"type":"string","minLength":2,"maxLength":2}`, "2 characters."},
		{"a pattern", `{"type":"string","pattern":"^*[a-z]*_<b>_&amp;$"}`, `Matching "^*[a-z]*_<b>_&amp;$".`},
		{"a format", `{"type":"string","format":"date-time"}`, "Format date-time."},
		{
			"a list", `{"type":"array","minItems":1,"maxItems":50,"uniqueItems":true,"items":{"type":"string","maxLength":9}}`,
			"Repeat it for each element. 1 to 50 elements, none twice. At most 9 characters.",
		},
		{"a reference", `{"$ref":"#/$defs/x"}`, "At most 7."},
		{"all of", `{"allOf":[{"$ref":"#/$defs/x"},{"minimum":3}]}`, "At most 7, at least 3."},
		{"or null", `{"anyOf":[{"type":"integer","maximum":8},{"type":"null"}]}`, "At most 8."},
		{"alternatives", `{"anyOf":[{"type":"integer","maximum":8},{"type":"string"}]}`, ""},
		{"malformed", `{"type":"integer","minimum":"1","maxLength":[],"pattern":7,"uniqueItems":"x"}`, ""},
		{"markdown", `{"type":"string","enum":["*a*","_b c_"],"default":"*a*"}`, "One of: *a*, _b c_. Default: *a*."},
	}
	for _, tt := range tests {
		input := json.RawMessage(`{"type":"object","properties":{"x":` + tt.schema + `},"$defs":{"x":{"type":"integer","maximum":7}}}`)
		cmd, err := NewCommand(api.ToolDetail{Name: "tool", InputSchema: input})
		if err != nil {
			t.Fatal(err)
		}
		if got := cmd.Page().Options[0].Facts; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if page := manpage.Render(cmd.Page(), manpage.Options{}); !strings.Contains(page, tt.want) {
			t.Errorf("%s: the page loses %q:\n%s", tt.name, tt.want, page)
		}
	}
}

// The fields of an object that is given as JSON stand below it.
func TestHelpTellsTheFieldsOfElements(t *testing.T) {
	input := json.RawMessage(`{"type":"object","properties":{"rules":{"type":"array","description":"Rules of *your* own.","maxItems":50,"items":{"$ref":"#/$defs/rule"}}},
		"$defs":{"rule":{"type":"object","required":["match","risk"],"properties":{
			"match":{"type":"string","minLength":1,"description":"Glob of paths: ` + "`*`" + ` within a folder, and ` + "`**`" + ` across folders."},
			"risk":{"type":"string","enum":["low","high"],"default":"low"},
			"tags":{"type":"array","maxItems":3,"items":{"type":"string"}},
			"more":{"type":"object","properties":{"deep":{"type":"string"}}}}}}}`)
	cmd, err := NewCommand(api.ToolDetail{Name: "plan", InputSchema: input})
	if err != nil {
		t.Fatal(err)
	}
	want := `NAME
    plan

SYNOPSIS
    plan [options...]

OPTIONS
    --rules <json>
        Rules of your own.

        Repeat it for each element. At most 50 elements. The fields of the object:

        match <string> Required. At least 1 character.
            Glob of paths: * within a folder, and ** across folders.
        risk <string> Required. One of: low, high. Default: low.
        tags <array of string> At most 3 elements.
        more <object>
`
	if diff := cmp.Diff(want, manpage.Render(cmd.Page(), manpage.Options{})); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}
