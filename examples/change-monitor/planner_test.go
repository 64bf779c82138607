//go:build unix

package changemonitor_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/internal/requesttool"
	"agsh.dev/internal/scripttool"
)

// through makes a program's run of a tool of the runtime: an error is what a
// caller is told.
func through(t *testing.T, f agent.Func, workspace string) func(args string) (stdout, stderr string, err error) {
	ctx := agent.WithCall(t.Context(), agent.Call{ID: "call_1", Agent: "planner", Session: "ses_1", Workspace: workspace})
	return func(args string) (string, string, error) {
		res, err := f.Run(ctx, json.RawMessage(args))
		if err != nil {
			return "", err.Error(), err
		}
		var text strings.Builder
		for _, block := range res.Content {
			text.WriteString(block.Text)
		}
		if res.IsError {
			return "", text.String(), exec.ErrNotFound // any error
		}
		return text.String(), "", nil
	}
}

func TestCommits(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	commands := readAgent(t, r.dir, "planner", nil).Commands
	marker := filepath.Join(t.TempDir(), "was-run")
	for _, setting := range []string{"core.pager", "pager.log", "diff.external", "core.fsmonitor", "gpg.program"} {
		git(t, r.dir, "config", setting, "touch "+marker+"; false")
	}
	commits := scripttool.NewCommand(commands[0], scripttool.Config{Getenv: os.Getenv})
	check(t, []call{
		{name: "all", args: `{}`, want: []string{"d31b2fc  2026-03-23  Mara Lindqvist  Merge branch 'key-changes'\n", "84e5018  2026-02-16"}, not: []string{"\x1b", "|"}},
		{name: "count", args: `{"count":1}`, want: []string{"d31b2fc"}, not: []string{"a60cdd0"}},
		{name: "range", args: `{"range":"v1.3.0..main"}`, want: []string{"c979acc"}, not: []string{"22df1c4"}},
		{name: "author", args: `{"author":"Tomás"}`, want: []string{"44a958e"}, not: []string{"Mara"}},
		{name: "grep is text", args: `{"grep":"POLL.sh"}`, want: []string{"1b97acc"}, not: []string{"a60cdd0"}},
		{name: "grep is no pattern", args: `{"grep":"p.*l"}`, not: []string{"1b97acc"}},
		{name: "files", args: `{"range":"v1.3.0..a60cdd0","files":"name-only","count":1}`, want: []string{"deploy/alerts.yaml"}},
		{name: "paths", args: `{"paths":["docs","schema"]}`, want: []string{"22df1c4", "060ca06"}, not: []string{"c979acc"}},
		{name: "a glob is a name", args: `{"paths":["docs/*"]}`, not: []string{"060ca06"}},
		{name: "an option as a path is a name", args: `{"paths":["--output=` + marker + `"]}`, not: []string{"d31b2fc"}},
		{name: "an option as a range", args: `{"range":"--output=` + marker + `"}`, refuse: "option"},
		{name: "unknown range", args: `{"range":"v9"}`, refuse: "v9"},
	}, through(t, commits, r.workspace))
	r.mustHold(t)
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program that the clone names was run")
	}
}

func TestReleaseStatus(t *testing.T) {
	t.Parallel()
	status := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Get("service") != "confwatch" {
			http.Error(w, "there is no such service", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"candidate":"1.4.0"}`))
	}))
	t.Cleanup(status.Close)
	env := map[string]string{"PATH": os.Getenv("PATH"), "TRACKER_STATUS_URL": status.URL}
	request := readAgent(t, unpacked(t), "planner", func(name string) string { return env[name] }).Requests[0]
	tool := requesttool.New(request, requesttool.Config{})
	check(t, []call{
		{name: "known", args: `{"service":"confwatch"}`, want: []string{`"candidate":"1.4.0"`}},
		{name: "not a part of the URL", args: `{"service":"confwatch&x=#/../"}`, refuse: "404"},
	}, through(t, tool, t.TempDir()))
}

func TestWritePlan(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	source := readAgent(t, r.dir, "planner", nil).Executables[0]
	write := through(t, scripttool.New(source, scripttool.Config{Getenv: os.Getenv, CacheDir: t.TempDir()}), r.workspace)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(r.workspace, "plan.md")); err != nil {
		t.Fatal(err)
	}
	const rest = `"summary":"Reads *six* times\n# as often","rollback":{"when":"errors","how":"install 1.3.0"}`
	check(t, []call{
		{name: "whole", args: `{"change":"v1.3.0..main",` + rest + `,"owner":"Mara","window":{"after":"canary"},"checks":[{"what":"Reads","source":"datadog","query":"confwatch.reads","expect":"480 a minute"},{"what":"Calls","source":"pagerduty","expect":"none"}]}`, want: []string{`"checks":2`, `"files":["plan.json","plan.md"]`}},
		{name: "no checks", args: `{"change":"HEAD",` + rest + `,"checks":[]}`, refuse: "checks: there is none"},
		{name: "unknown argument", args: `{"chang":"HEAD"}`, refuse: `unknown field "chang"`},
	}, write)
	r.mustHold(t, "plan.json", "plan.md")
	got, err := os.ReadFile(filepath.Join(r.workspace, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Monitoring plan: v1.3.0..main

Reads \*six\* times \# as often

From the canary on, for 24 h. Carried out by Mara.

- [ ] Reads (datadog: confwatch.reads). Expected: 480 a minute
- [ ] Calls (pagerduty). Expected: none

Go back when: errors

How: install 1.3.0
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("plan.md (-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("the plan was written through a link")
	}
}

func TestThePlannersConnections(t *testing.T) {
	t.Parallel()
	dir := unpacked(t)
	env := map[string]string{"PATH": os.Getenv("PATH")}
	getenv := func(name string) string { return env[name] }
	byDefault := readAgent(t, dir, "planner", getenv).Connections
	if len(byDefault) != 2 || byDefault[0].Command != filepath.Join(dir, "agents/planner/lib/server") || byDefault[1].URL != "http://127.0.0.1:39411/mcp" {
		t.Fatalf("without variables: %+v", byDefault)
	}
	if got := readAgent(t, dir, "planner", getenv).Requests; len(got) != 1 || got[0].URL != "http://127.0.0.1:39411/status" {
		t.Errorf("without variables: %+v", got)
	}
	env["TRACKER_STATUS_URL"] = "http://127.0.0.1:1/status"
	if got := readAgent(t, dir, "planner", getenv).Requests; len(got) != 1 || got[0].URL != "http://127.0.0.1:1/status" {
		t.Errorf("with variables: %+v", got)
	}
	env["CHANGE_MONITOR_MCP"], env["TRACKER_URL"], env["TRACKER_TOKEN"] = "/bin/sh", "http://127.0.0.1:1/mcp", "sesame"
	set := readAgent(t, dir, "planner", getenv).Connections
	if set[0].Command != "/bin/sh" || set[1].URL != "http://127.0.0.1:1/mcp" || set[1].Headers["Authorization"] != "Bearer sesame" {
		t.Errorf("with variables: %+v", set)
	}
	if set[0].Approval["datadog_create_*"] != agent.Always {
		t.Errorf("creating a monitor asks %q", set[0].Approval)
	}
}

// Without a built server, its source is run; without that, a person is told.
func TestTheServerRunsFromItsSource(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("agents/planner/lib/server", "--set", "none").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `there is no set "none"`) {
		t.Errorf("%v: %s", err, out)
	}
	out, err = exec.Command(filepath.Join(copied(t), "agents/planner/lib/server"), "--set", "monitors").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Set CHANGE_MONITOR_MCP") {
		t.Errorf("in a copy: %v: %s", err, out)
	}
}

func TestWritePlanIsVetted(t *testing.T) {
	t.Parallel()
	vet := exec.Command("go", "vet", "write_plan.go")
	vet.Dir = "agents/planner/tools"
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
