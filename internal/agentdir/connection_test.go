package agentdir

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"agsh.dev/agent"
)

// parsed reads the agent of a golden file that has nothing to report.
func parsed(t *testing.T, name string) (agent.Agent, Source) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	project, problems, err := Read(lay(t, a), Config{Getenv: func(name string) string {
		return map[string]string{"PATH": "/usr/bin:/bin", "TOKEN": "secret"}[name]
	}})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, render(problems))
	}
	t.Cleanup(func() { project.Close() })
	return project.Agents[0], project.Sources[0]
}

func TestConnectionsAreReadWhole(t *testing.T) {
	a, source := parsed(t, "connections_clean")
	lib := filepath.Join(source.Dir, "lib")
	want := []agent.Connection{
		{
			Name: "files", Description: "Files.", Command: filepath.Join(lib, "server"), Args: []string{"--root", "/tmp"},
			Env: map[string]string{"TOKEN": "secret"}, Cwd: lib, Allow: []string{"read_*", "list"}, Deny: []string{"*_all"},
			Prefix: "f_", Rename: map[string]string{"list": "ls"},
			Approval: map[string]agent.ApprovalMode{"write_*": agent.Always, "*": agent.Once}, NoRoots: true,
			ConnectTimeout: 500 * time.Millisecond, Timeout: 90 * time.Second, TotalTimeout: 5 * time.Minute,
		},
		{
			Name: "search", Cwd: source.Dir, URL: "https://example.com/mcp?key=secret",
			Headers: map[string]string{"Authorization": "Bearer secret"},
		},
	}
	if diff := cmp.Diff(want, a.Connections); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]agent.Connection{{Name: "vault", Command: "sh", Cwd: source.Dir}}, a.HostConnections); diff != "" {
		t.Errorf("host connections (-want +got):\n%s", diff)
	}
	files := []string{"host-connections/vault.yaml", "lib/server", "mcp-connections/files.yaml", "mcp-connections/search.yaml"}
	if diff := cmp.Diff(files, source.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestToolsOfOneFileAreReadWhole(t *testing.T) {
	a, source := parsed(t, "yaml_tools_clean")
	commands := []agent.Command{
		{
			Definition: agent.Definition{
				Name: "log", Description: "The log.", Title: "Show the log",
				Input:  json.RawMessage(`{"type":"object","properties":{"paths":{"type":"array","items":{"type":"string"}}}}`),
				Output: json.RawMessage(`{"type":"object"}`), Effect: agent.Read,
				NeedsApproval: agent.Approval{When: map[string]string{"paths": "*secret*"}}, Timeout: 10 * time.Second,
				Display: &agent.Display{Kind: "read", Detail: "paths"},
			},
			Argv: []string{"echo", "log", "--format={{x}}", "{paths}"}, Env: []string{"TOKEN"},
			Retry: agent.Retry{Attempts: 2, On: []int{1}},
		},
		{
			Definition: agent.Definition{Name: "own", Description: "A program of the agent.", Input: json.RawMessage(`{"type":"object"}`)},
			Argv:       []string{filepath.Join(source.Dir, "lib", "run")},
		},
	}
	if diff := cmp.Diff(commands, a.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	requests := []agent.Request{
		{
			Definition: agent.Definition{
				Name: "base", Description: "Where is a variable.",
				Input: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"q":{"type":"string"}}}`),
			},
			URL: "https://example.com/v2/items/{id}?x={q}",
		},
		{
			Definition: agent.Definition{Name: "host", Description: "The host is a variable.", Input: json.RawMessage(`{"type":"object"}`)},
			URL:        "https://api.example.com:443/status",
		},
		{
			Definition: agent.Definition{
				Name: "item", Description: "An item.", Effect: agent.Read, NeedsApproval: agent.Approval{Mode: agent.Once},
				Input: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"q":{"type":"string"},"more":{"type":"string"}}}`),
			},
			URL:     "https://example.com/items/{id}?x={q}",
			Query:   []agent.Parameter{{Name: "b", Value: "{more}"}, {Name: "a", Value: "fixed"}},
			Headers: map[string]string{"Authorization": "Bearer secret"},
		},
		{
			Definition: agent.Definition{
				Name: "order", Description: "An order.", Input: json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"}}}`),
			},
			Method: "POST", URL: "http://localhost:8080/orders", Body: "form", AllowPrivate: true,
		},
	}
	if diff := cmp.Diff(requests, a.Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestSkillsAndScriptsAreReadWhole(t *testing.T) {
	a, source := parsed(t, "skills_clean")
	skills := filepath.Join(source.Dir, "skills")
	want := []agent.Skill{
		{Name: "deep", Description: "Made of several files.\n", Dir: filepath.Join(skills, "deep"), File: "SKILL.md"},
		{Name: "flat", Description: "One file.", Dir: skills, File: "flat.md"},
	}
	if diff := cmp.Diff(want, a.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	if want := filepath.Join(source.Dir, "scripts"); a.Scripts != want {
		t.Errorf("scripts = %q, want %q", a.Scripts, want)
	}
	files := []string{
		"instructions.md", "scripts/__init__.py", "scripts/deploy.sh", "skills/deep/SKILL.md", "skills/deep/reference/more.md", "skills/flat.md",
	}
	if diff := cmp.Diff(files, source.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestASkillDescriptionHasALimit(t *testing.T) {
	for length, want := range map[int]int{maxSkillDescription: 0, maxSkillDescription + 1: 1} {
		_, problems := read(t, "-- agent/instructions.md --\n-- agent/skills/x.md --\n---\nname: x\ndescription: "+strings.Repeat("é", length)+"\n---\n")
		if errors, _ := Count(problems); errors != want {
			t.Errorf("%d characters: %d errors, want %d\n%s", length, errors, want, render(problems))
		}
	}
}

func TestWithoutAnEnvironmentVariablesStay(t *testing.T) {
	project, problems := read(t, "-- agent/mcp-connections/x.yaml --\nurl: ${SERVER}/mcp\nheaders: {A: \"${TOKEN}\"}\n")
	got := project.Agents[0].Connections
	if len(problems) > 0 || len(got) != 1 || got[0].URL != "${SERVER}/mcp" || got[0].Headers["A"] != "${TOKEN}" {
		t.Errorf("connections %+v, problems %s", got, render(problems))
	}
}

func TestSubstitute(t *testing.T) {
	env := map[string]string{"A": "one", "B": "${A}", "EMPTY": ""}
	for s, want := range map[string]string{
		"":                         "",
		"$A ${A}${A}":              "$A oneone",
		"$${A}":                    "$one",
		"${B}":                     "${A}", // values are not looked at again
		"${NONE:-}|${NONE:-x:-y}":  "|x:-y",
		"${EMPTY:-d} ${A:-d}":      "d one",
		"${NONE} ${EMPTY} ${NONE}": "unset NONE EMPTY",
		"${A":                      "malformed",
		"${}":                      "malformed",
		"${1}":                     "malformed",
		"${A-d}":                   "malformed",
	} {
		got, unset, malformed := substitute(s, func(name string) string { return env[name] })
		if malformed != "" {
			got = "malformed"
		} else if len(unset) > 0 {
			got = "unset " + strings.Join(unset, " ")
		}
		if got != want {
			t.Errorf("substitute(%q) = %q, want %q", s, got, want)
		}
	}
}

// Text without variables stays as it is, and so does all text that is not
// looked up.
func FuzzSubstitute(f *testing.F) {
	f.Add("a ${A} ${B:-c} ${")
	f.Add("$${}}${A:-${B}}")
	f.Fuzz(func(t *testing.T, s string) {
		if got, unset, _ := substitute(s, nil); got != s || len(unset) > 0 {
			t.Errorf("substitute(%q) without an environment = %q, %v", s, got, unset)
		}
		got, _, malformed := substitute(s, func(string) string { return "" })
		if !strings.Contains(s, "${") && (got != s || malformed != "") {
			t.Errorf("substitute(%q) = %q, %s", s, got, malformed)
		}
	})
}

// Whatever a file of a connection or a tool says, reading ends, and problems
// stand inside the file.
func FuzzYAMLFiles(f *testing.F) {
	f.Add("command: sh\nargs: ['${A}']\ntools: {allow: [a], deny: [b]}\nadvertise: {prefix: p, rename: {a: b}}\napproval: {a: once}\n")
	f.Add("url: https://${H}/mcp\nheaders: {A: '${B:-c}'}\ntype: http\ntimeout: 1\ntotalTimeout: 2\nroots: none\n")
	f.Add("mcpServers: {a: {}}\n")
	f.Add("command: [a, '{b}', '{{c}}']\ninput: {type: object, properties: {b: {}}}\n")
	f.Add("http: {url: '${A:-http://b}/{a}'}\ninput: {type: object, properties: {a: }}\n")
	f.Add("http: {url: 'https://h/{a}?{b}', query: {c: '{d}'}, headers: {e: '{f}'}, body: none}\ninput: {type: object, properties: {a: , b: 1}}\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		r := &agentReader{folder: &folder{files: map[string]bool{}}, dir: dir}
		r.cfg.Getenv = func(string) string { return "" }
		d := document{folder: r.folder, file: "x"}
		if n := d.parse([]byte(text)); n != nil {
			(&connectionReader{agentReader: r, document: d, out: agent.Connection{Cwd: r.dir}}).read(n)
			d.pasted(n)
			r.commandTool(d, n, "x")
			r.requestTool(d, n, "x")
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2
		for _, p := range r.problems {
			if p.Line > lines {
				t.Errorf("a problem on line %d of %d: %s", p.Line, lines, p)
			}
		}
	})
}
