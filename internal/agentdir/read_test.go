package agentdir

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

func read(t *testing.T, files string) (*Project, []Problem) {
	t.Helper()
	project, problems, err := Read(lay(t, txtar.Parse([]byte(files))), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { project.Close() })
	return project, problems
}

func TestAnAgentIsReadWhole(t *testing.T) {
	a, err := txtar.ParseFile("testdata/clean.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := lay(t, a)
	project, _, err := Read(dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer project.Close()
	tools := filepath.Join(dir, "agent", "tools")
	want := []agent.Agent{{
		Name: "helper", Description: "Helps.", Instructions: "Help.\n",
		Model:   &agent.Model{Provider: "openai", Name: "some/model"},
		Natives: []string{"Read", "LS", "Grep", "Glob"},
		Executables: []agent.Executable{
			{
				Definition: agent.Definition{
					Name: "greet", Title: "Greet someone", Description: "Greet.",
					Input:  json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
					Output: json.RawMessage(`{"type":"object"}`),
					Effect: agent.Read, NeedsApproval: agent.Approval{When: map[string]string{"name": "a*"}},
					Timeout: 90 * time.Second, Display: &agent.Display{Kind: "other", Detail: "name"},
				},
				Path: filepath.Join(tools, "greet.sh"), Env: []string{"TOKEN"},
				Retry: agent.Retry{Attempts: 3, On: []int{75}},
			},
			{
				Definition: agent.Definition{Name: "shared", Description: "Share.", Input: json.RawMessage(`{"type":"object"}`)},
				Path:       filepath.Join(tools, "shared.sh"),
			},
			{
				Definition: agent.Definition{
					Name: "side", Description: "Beside.",
					Input: json.RawMessage(`{"type":"object"}`), Output: json.RawMessage(`{"type":"object"}`),
				},
				Path: filepath.Join(tools, "side"),
			},
		},
	}}
	if diff := cmp.Diff(want, project.Agents, cmpopts.IgnoreFields(agent.Agent{}, "Root", "ConfigHash")); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	got, err := project.Agents[0].Root.Read(context.Background(), "/notes.md")
	if err != nil || string(got) != "hello" {
		t.Errorf("root has /notes.md = %q, %v", got, err)
	}
	wantFiles := []string{
		"agent.yaml", "instructions.md", "lib/shared.sh", "tools/greet.sh", "tools/lib/more.sh",
		"tools/shared.sh", "tools/side", "tools/side.tool.yaml",
	}
	if diff := cmp.Diff([]Source{{Dir: filepath.Join(dir, "agent"), Files: wantFiles}}, project.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestNamesOfAgents(t *testing.T) {
	tests := []struct{ name, files, want string }{
		{"agent/ has the project's name", "-- agent/instructions.md --\n", "project"},
		{"agent/ is named in agent.yaml", "-- agent/agent.yaml --\nname: x\n", "x"},
		{"the project is the agent", "-- agent.yaml --\n", "project"},
		{"the project is the agent and named", "-- agent.yaml --\nname: y\n", "y"},
		{"agents/ have their folders' names", "-- agents/b/agent.yaml --\n-- agents/a/agent.yaml --\nname: a\n", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			project, problems := read(t, tt.files)
			var names []string
			for _, a := range project.Agents {
				names = append(names, a.Name)
			}
			if got := strings.Join(names, " "); got != tt.want || len(problems) > 0 {
				t.Errorf("agents = %q, want %q; problems:\n%s", got, tt.want, render(problems))
			}
		})
	}
}

func TestNoAllowlistIsNotAnEmptyOne(t *testing.T) {
	for yaml, want := range map[string][]string{"": nil, "tools: []": {}, "tools: [LS, ls]": {"LS"}} {
		project, _ := read(t, "-- agent.yaml --\n"+yaml+"\n")
		if diff := cmp.Diff(want, project.Agents[0].Natives); diff != "" {
			t.Errorf("natives of %q (-want +got):\n%s", yaml, diff)
		}
	}
}

func TestInstructionsAreJoinedInTheOrderOfTheirNames(t *testing.T) {
	project, problems := read(t, "-- agent/instructions/2.md --\ntwo\n\n-- agent/instructions/1.md --\none\n")
	if got := project.Agents[0].Instructions; got != "one\n\ntwo\n" || len(problems) > 0 {
		t.Errorf("instructions = %q, problems %v", got, problems)
	}
}

func TestAToolWithoutInputTakesNone(t *testing.T) {
	project, problems := read(t, "-- agent/tools/x --\n#!/bin/sh\n# ---\n# description: x\n# ---\n")
	want := `{"type":"object","properties":{},"additionalProperties":false}`
	if got := string(project.Agents[0].Executables[0].Input); got != want {
		t.Errorf("input = %s, want %s", got, want)
	}
	if errors, warnings := Count(problems); errors != 0 || warnings != 1 {
		t.Errorf("Count = %d, %d, want 0, 1", errors, warnings)
	}
}

func TestConfigHashIsOfPathsAndContents(t *testing.T) {
	hash := func(files string) string {
		project, _ := read(t, files)
		return project.Agents[0].ConfigHash
	}
	base := "-- agent/agent.yaml --\nname: x\n-- agent/lib/a --\none\n"
	if first, second := hash(base), hash(base); first != second {
		t.Error("the same files have two hashes")
	}
	if hash(base) != hash(base+"-- agent/README.md --\nmore\n-- agent/_x --\n") {
		t.Error("ignored files change the hash")
	}
	for name, other := range map[string]string{
		"content": strings.Replace(base, "one", "two", 1),
		"path":    strings.Replace(base, "lib/a", "lib/b", 1),
		"a file":  base + "-- agent/instructions.md --\n",
	} {
		if hash(base) == hash(other) {
			t.Errorf("another %s leaves the hash as it was", name)
		}
	}
}

func TestAFolderThatCannotBeReadIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "x"), filepath.Join(t.TempDir(), "none")} {
		if _, _, err := Read(dir, Config{}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("Read(%s) = %v, want an error that names it", dir, err)
		}
	}
}

// A file that is refused for its size is not read for the hash either.
func TestAHugeManifestIsNotRead(t *testing.T) {
	project, _ := read(t, "-- agent/agent.yaml --\nname: x\n")
	file := filepath.Join(project.Dir, "agent", "agent.yaml")
	if err := os.Truncate(file, 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	project, problems, err := Read(project.Dir, Config{})
	if err != nil || len(problems) != 1 || problems[0].Code != FileTooBig {
		t.Errorf("Read = %v, %v; want one %s", problems, err, FileTooBig)
	}
	if len(project.Sources[0].Files) != 0 {
		t.Errorf("the agent is made of %q", project.Sources[0].Files)
	}
}

func TestAnEmptyNameOfAFolderIsRefused(t *testing.T) {
	if _, _, err := Read("", Config{}); err == nil || !strings.Contains(err.Error(), "--dir is empty") {
		t.Errorf("Read of no name = %v", err)
	}
}

func TestAnAgentFolderThatIsALinkOutIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(dir, "agent")); err != nil {
		t.Fatal(err)
	}
	project, problems, err := Read(dir, Config{})
	if err != nil || len(project.Agents) != 0 || len(problems) != 1 || problems[0].Code != LinkOutside {
		t.Errorf("Read = %v, %v, %v; want one %s", project, problems, err, LinkOutside)
	}
}

func TestProblemTextCannotSteerATerminal(t *testing.T) {
	p := Problem{Path: "a\x1b[2J", Line: 1, Severity: Error, Code: EntryUnknown, Message: "b\nc\x07", Fix: "d\re"}
	if got := p.String(); strings.ContainsAny(got, "\x1b\x07\r") || strings.Count(got, "\n") != 1 {
		t.Errorf("String() = %q", got)
	}
}

func TestJSONKeepsOrderAndNumbers(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{"{z: 1, a: 2, m: {y: 3, b: 4}}", `{"z":1,"a":2,"m":{"y":3,"b":4}}`},
		{"[12345678901234567890, 1.10, 1e3, 1E+2, -0, -0.0]", `[12345678901234567890,1.10,1e3,1E+2,-0,-0.0]`},
		{"[0x1F, 0o17, 0b101, 1_000, +5, .5, 1., -.5, 1.e3, 007.5]", `[31,15,5,1000,5,0.5,1,-0.5,1e3,7.5]`},
		{"[true, False, null, ~, yes]", `[true,false,null,null,"yes"]`},
		{`["a<b>&\"", 2024-01-02, "1"]`, `["a<b>&\"","2024-01-02","1"]`},
		{"{1: a, true: b}", `{"1":"a","true":"b"}`},
		{"{}", `{}`},
		{"[]", `[]`},
	}
	for _, tt := range tests {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(tt.yaml), &doc); err != nil {
			t.Fatal(err)
		}
		got, err := toJSON(doc.Content[0])
		if err != nil || string(got) != tt.want {
			t.Errorf("toJSON(%s) = %s, %v, want %s", tt.yaml, got, err, tt.want)
		}
	}
}

func TestMergeKeysGiveWay(t *testing.T) {
	project, problems := read(t, "-- agent.yaml --\nroot:\n  temp: {<<: [{/a: merged, /b: first}, {/b: second}], /a: own}\n")
	if len(problems) > 0 {
		t.Fatal(render(problems))
	}
	for path, want := range map[string]string{"/a": "own", "/b": "first"} {
		got, err := project.Agents[0].Root.Read(t.Context(), path)
		if err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestNear(t *testing.T) {
	words := []string{"tools", "skills", "agent.yaml"}
	for word, want := range map[string]string{"tool": "tools", "Tools": "tools", "agent.yml": "agent.yaml", "otols": "tools", "x": "", "workspace": ""} {
		if got := near(word, words); got != want {
			t.Errorf("near(%q) = %q, want %q", word, got, want)
		}
	}
}

// The list in the manual is the list in the code.
func TestErrorsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "## Problems reported by validate\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var want strings.Builder
	for _, c := range Codes {
		want.WriteString("| `" + string(c.Code) + "` | " + string(c.Severity) + " | " + c.Meaning + " |\n")
	}
	_, got, _ := strings.Cut(section, "| --- | --- | --- |\n")
	if diff := cmp.Diff(want.String(), strings.TrimRight(got, "\n")+"\n"); diff != "" {
		t.Errorf("docs/errors.md (-code +manual):\n%s", diff)
	}
}

// Whatever a manifest says, reading ends, problems stand inside the file, and
// the schemas of what was accepted are JSON.
func FuzzManifest(f *testing.F) {
	f.Add("description: x\ninput: {type: object, properties: {a: {type: string}}}\n")
	f.Add("a: &a [*a]\n")
	f.Add("a: &a {<<: *a}\n")
	f.Add("input: {type: object, properties: {a: {maximum: 0x_1}}}\nneedsApproval: {when: {a: b}}\n")
	f.Add("input: {type: object, $id: , default: {a: 1}, properties: {a: {$ref: '#/a', default: }}, required: [b, 1]}\n")
	f.Add("input: {type: object, $schema: 'http://json-schema.org/draft-07/schema#', $id: 'a#b', items: [{default: 1}], properties: [x], dependencies: {}}\n")
	f.Add("retry: {attempts: 1, on: [1]}\ntimeout: .5\ndisplay: {kind: read}\n--- \n")
	f.Fuzz(func(t *testing.T, text string) {
		r := &agentReader{folder: &folder{files: map[string]bool{}}}
		var e agent.Executable
		r.manifest(document{folder: r.folder, file: "x"}, []byte(text), &e)
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2
		for _, p := range r.problems {
			if p.Line > lines {
				t.Errorf("a problem on line %d of %d: %s", p.Line, lines, p)
			}
		}
		for _, raw := range []json.RawMessage{e.Input, e.Output} {
			if len(raw) > 0 && !json.Valid(raw) {
				t.Errorf("schema %s is not JSON", raw)
			}
		}
	})
}

func TestPathsArePastedWhereReadWasCalled(t *testing.T) {
	dir := lay(t, txtar.Parse([]byte("-- agent/tools/a b --\nx\n")))
	t.Chdir(filepath.Dir(dir))
	for _, name := range []string{"project", "./project", dir} {
		_, problems, err := Read(name, Config{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(problems, func(p Problem) bool { return p.Code == ExecBitMissing })
		if i < 0 {
			t.Fatal(render(problems))
		}
		path := filepath.Join(name, "agent", "tools", "a b")
		if p := problems[i]; p.Path != path || p.Fix != "chmod +x '"+path+"'" || p.File != "agent/tools/a b" {
			t.Errorf("in %s: %+v", name, p)
		}
	}
}

func TestAToolInGoNeedsTheGoCommand(t *testing.T) {
	dir := lay(t, txtar.Parse([]byte("-- agent/tools/x.go --\n//go:build ignore\n\n// ---\n// description: x\n// input: {type: object}\n// ---\npackage main\n")))
	bin := t.TempDir()
	read := func() string {
		_, problems, err := Read(dir, Config{Getenv: func(string) string { return bin }})
		if err != nil {
			t.Fatal(err)
		}
		return render(problems)
	}
	if got := read(); !strings.Contains(got, "warning[interpreter_missing]: the go command, which builds it, is not on PATH") {
		t.Errorf("without go: %q", got)
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != "" {
		t.Errorf("with go: %q", got)
	}
}

// Whatever the line, looking for slips ends, and finds places in it.
func FuzzSlips(f *testing.F) {
	f.Add("a: {b: 'c: d', e: \"f\\\": g\", h: i: j} # k: l")
	f.Add("\t- - x: @y: `")
	f.Add("-:\"::é: ,]}")
	f.Fuzz(func(t *testing.T, line string) {
		for _, s := range slips {
			if offset, message, _ := s.find(line); offset < 0 || offset > len(line) || message == "" && offset != 0 {
				t.Errorf("%s: a slip at %d of %q", s.says, offset, line)
			}
		}
	})
}
