//go:build unix

package changemonitor_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/agsh/view"
)

const tools = "agents/executor/tools"

// copied is the example in a folder of the test's own, without the tree.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"setup", "repo.bundle"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "agents"), os.DirFS("agents")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// unpacked is a copy that is set up.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := copied(t)
	if out, err := exec.Command(filepath.Join(dir, "setup")).CombinedOutput(); err != nil {
		t.Fatalf("setup: %v\n%s", err, out)
	}
	return dir
}

// git runs git in the unpacked repository of the example in dir.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", filepath.Join(dir, "tree", "repo")}, args...)...)
	cmd.Env = append(os.Environ(), "HOME=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// A runner runs tools as the runtime does.
type runner struct {
	dir       string // of the example
	workspace string // of the session; its content is as hostile as a model can make it
}

func newRunner(t *testing.T) runner {
	t.Helper()
	r := runner{dir: unpacked(t), workspace: t.TempDir()}
	files := map[string]string{
		".gitconfig":             "[diff]\n\texternal = touch external-was-run; false\n\tnoprefix = true\n[core]\n\tpager = touch pager-was-run\n",
		".config/git/attributes": "* -diff\n",
	}
	for name, content := range files {
		path := filepath.Join(r.workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run calls the program with args on standard input; argv0 is what it is
// called, "" for its own name.
func (r runner) run(program, argv0, args string) (stdout, stderr string, err error) {
	cmd := exec.Command(program)
	if argv0 != "" {
		cmd.Args[0] = argv0
	}
	cmd.Dir = r.workspace
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.workspace, "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"AGENT_NAME=executor", "AGENT_SESSION_ID=ses_1", "AGENT_CALL_ID=call_1",
	}
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(args), &out, &said
	err = cmd.Run()
	return out.String(), said.String(), err
}

func (r runner) tool(name, args string) (stdout, stderr string, err error) {
	return r.run(filepath.Join(r.dir, tools, name), "", args)
}

// mustHold fails the test unless the workspace holds exactly what newRunner
// put there and the files named: nothing that an argument smuggled in.
func (r runner) mustHold(t *testing.T, files ...string) {
	t.Helper()
	want := append([]string{".config/git/attributes", ".gitconfig"}, files...)
	var got []string
	err := fs.WalkDir(os.DirFS(r.workspace), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of the workspace (-want +got):\n%s", diff)
	}
}

// A call is one run of a tool and what has to come of it.
type call struct {
	name   string
	args   string
	want   []string // all in standard output, if the call succeeds
	not    []string // none of them in standard output
	refuse string   // in standard error, if the call fails
}

func check(t *testing.T, calls []call, run func(args string) (stdout, stderr string, err error)) {
	t.Helper()
	for _, tt := range calls {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, err := run(tt.args)
			if tt.refuse != "" {
				if err == nil || stdout != "" || !strings.Contains(stderr, tt.refuse) {
					t.Fatalf("error = %v, stdout = %q, stderr = %q, want a refusal that says %q", err, stdout, stderr, tt.refuse)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			for _, s := range tt.want {
				if !strings.Contains(stdout, s) {
					t.Errorf("output lacks %q:\n%s", s, stdout)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(stdout, s) {
					t.Errorf("output has %q:\n%s", s, stdout)
				}
			}
		})
	}
}

func TestTheProjectIsValid(t *testing.T) {
	t.Parallel()
	project, problems, err := agentdir.Read(unpacked(t), agentdir.Config{Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	defer project.Close()
	for _, p := range problems {
		t.Error(p)
	}
	got := map[string]map[string]agent.Effect{}
	for _, a := range project.Agents {
		effects := map[string]agent.Effect{}
		for _, tool := range a.Executables {
			effects[tool.Name] = tool.Effect
		}
		for _, tool := range a.Commands {
			effects[tool.Name] = tool.Effect
		}
		for _, tool := range a.Requests {
			effects[tool.Name] = tool.Effect
		}
		got[a.Name] = effects
	}
	want := map[string]map[string]agent.Effect{
		"executor": {
			"diff": agent.Read, "plan_checks": agent.Read,
			"report_change_issue": agent.Write, "report_change_succeeded": agent.Write,
		},
		"planner": {"commits": agent.Read, "release_status": agent.Read, "write_plan": agent.Write},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("effects of the tools (-want +got):\n%s", diff)
	}
}

// readAgent is one agent of the example in dir.
func readAgent(t *testing.T, dir, name string, getenv func(string) string) agent.Agent {
	t.Helper()
	project, problems, err := agentdir.Read(dir, agentdir.Config{Getenv: getenv})
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, %v", problems, err)
	}
	t.Cleanup(func() { project.Close() })
	i := slices.IndexFunc(project.Agents, func(a agent.Agent) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("the example has no agent %s", name)
	}
	return project.Agents[i]
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	if os.Geteuid() == 0 { // a clone of another user, which git distrusts
		if out, err := exec.Command("chown", "-R", "12345", filepath.Join(r.dir, "tree")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	marker := filepath.Join(t.TempDir(), "x")
	check(t, []call{
		{name: "last merge", args: `{}`, want: []string{"diff --git a/config.json b/config.json", `+  "interval": "5s",`, "+func Redact("}, not: []string{"\x1b", "poll.sh"}},
		{name: "null is absent", args: `{"path":null,"base":null,"head":null,"stat":null,"context":null}`, want: []string{"+func Redact("}},
		{name: "stat", args: ` { "stat" : true } `, want: []string{"20 files changed", "internal/keydiff/redact.go"}, not: []string{"@@"}},
		{name: "file as the agent sees it", args: `{"path":"/repo/config.json"}`, want: []string{"config.json"}, not: []string{"README"}},
		{name: "folder", args: `{"path":"docs/","stat":true}`, want: []string{"2 files changed"}},
		{name: "escaped", args: `{"p\u0061th":"\/repo\/./docs"}`, want: []string{"docs/operations.md"}},
		{name: "whole tree", args: `{"path":"/repo/","stat":true}`, want: []string{"20 files changed"}},
		{name: "no context", args: `{"path":"config.json","context":0}`, want: []string{"@@ -3,2 +3,2 @@"}, not: []string{`"name"`}},
		{name: "range of tags", args: `{"base":"v1.0.0","head":"v1.3.0"}`, want: []string{"rename from internal/digest/digest.go", "deleted file"}},
		{name: "one commit", args: `{"head":"v1.3.0","stat":true}`, want: []string{"schema/config.schema.json"}, not: []string{"keydiff"}},
		{name: "since", args: `{"base":"HEAD~1","stat":true}`, want: []string{"20 files changed"}},
		{name: "nothing", args: `{"path":"go.mod"}`, want: []string{"no changes in "}},
		{name: "same commit", args: `{"base":"HEAD","head":"HEAD"}`, want: []string{"no changes in "}},

		{name: "option as base", args: `{"base":"--output=` + marker + `"}`, refuse: "base: no commit is called '--output="},
		{name: "option as head", args: `{"head":"--output=` + marker + `"}`, refuse: "head: no commit is called"},
		{name: "option as path", args: `{"path":"--output=` + marker + `"}`, refuse: "there is no '--output="},
		{name: "unknown ref", args: `{"base":"v9"}`, refuse: "base: no commit is called 'v9'"},
		{name: "range as ref", args: `{"base":"v1.0.0..v1.3.0"}`, refuse: "base: no commit"},
		{name: "first commit", args: `{"head":"v1.0.0~2"}`, refuse: "say which base"},
		{name: "substitution", args: `{"base":"$(touch substituted)","path":"` + "`touch substituted`" + `"}`, refuse: "$(touch substituted)"},
		{name: "quote and command", args: `{"path":"'; touch injected; '"}`, refuse: "there is no ''; touch injected; ''"},
		{name: "newline", args: `{"path":"docs\n; touch injected"}`, refuse: "there is no"},
		{name: "glob is a name", args: `{"path":"docs/*"}`, refuse: "there is no 'docs/*'"},
		{name: "pathspec magic is a name", args: `{"path":":(exclude)docs"}`, refuse: "there is no"},
		{name: "unicode", args: `{"path":"docs/\u00fc\ud83d\ude00.md"}`, refuse: "there is no 'docs/ü😀.md'"},
		{name: "way out", args: `{"path":"docs/../../.."}`, refuse: "outside the repository"},
		{name: "way out from the root", args: `{"path":"/repo/../etc"}`, refuse: "outside the repository"},
		{name: "another root", args: `{"path":"/etc/passwd"}`, refuse: "outside the repository"},
		{name: "context out of bounds", args: `{"context":-1}`, refuse: "not between 0 and 1000"},
		{name: "huge context", args: `{"context":99999999999999999999}`, refuse: "not between 0 and 1000"},
		{name: "wrong type", args: `{"stat":"true"}`, refuse: "'stat' has to be boolean"},
		{name: "unknown argument", args: `{"output":"x"}`, refuse: "there is no argument 'output'"},
		{name: "no object", args: `[]`, refuse: "not a JSON object"},
		{name: "nothing at all", args: ``, refuse: "not a JSON object"},
	}, func(args string) (string, string, error) { return r.tool("diff", args) })
	r.mustHold(t)
	if _, err := os.Stat(marker); err == nil {
		t.Errorf("%s was written", marker)
	}
}

func TestToolsRunNothingThatTheCloneNames(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	plan := planChecks(t, r)
	marker := filepath.Join(t.TempDir(), "was-run")
	for _, setting := range []string{"diff.external", "diff.own.command", "diff.own.textconv", "core.pager", "core.fsmonitor", "gpg.program"} {
		git(t, r.dir, "config", setting, "touch "+marker+"-"+setting+"; false")
	}
	git(t, r.dir, "config", "log.showSignature", "true")
	if err := os.MkdirAll(filepath.Join(r.dir, "tree/repo/.git/info"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "tree/repo/.git/info/attributes"), []byte("* diff=own\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`{}`, `{"stat":true}`} {
		stdout, stderr, err := r.tool("diff", args)
		if err != nil || !strings.Contains(stdout, "config.json") {
			t.Errorf("diff %s = %q, %q, %v", args, stdout, stderr, err)
		}
	}
	if stdout, stderr, err := plan(`{}`); err != nil || !strings.Contains(stdout, "config.json") {
		t.Errorf("plan_checks = %q, %q, %v", stdout, stderr, err)
	}
	if run, _ := filepath.Glob(marker + "*"); len(run) > 0 {
		t.Errorf("programs were run: %v", run)
	}
}

// hostile is text that a careless script would run, cut or misquote.
var hostile = []string{
	`plain`, `"quoted"`, `it's`, `'; touch injected; '`, "two\nlines\n", `$(touch injected)`, "`touch injected`",
	`back\slash\n`, "tab\tbell\a", "ünï 😀  end", `%s %d %n`, `-n`, `*`, `</tmp/x> & | ;`, "trailing \n\n",
}

func TestReportSucceeded(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	for i, text := range hostile {
		args, _ := json.Marshal(map[string]string{"change": "v1.3.0..main", "summary": text})
		stdout, stderr, err := r.tool("report_change_succeeded", string(args))
		if err != nil {
			t.Fatalf("summary %q: %v\n%s", text, err, stderr)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("summary %q: answer %q: %v", text, stdout, err)
		}
		want := map[string]any{
			"recorded": true, "file": "reports.jsonl", "reports": float64(i + 1),
			"outcome": "succeeded", "change": "v1.3.0..main", "summary": text,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	}
	r.mustHold(t, "reports.jsonl")
	for i, rec := range reports(t, r) {
		if rec["summary"] != hostile[i] || rec["outcome"] != "succeeded" || rec["at"] == "" {
			t.Errorf("report %d = %v, want the summary %q", i, rec, hostile[i])
		}
	}
}

func TestReportIssueKeepsTheEvidence(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	args, _ := json.Marshal(map[string]any{"change": "HEAD", "severity": "high", "title": `"maxKeys" is not used`, "evidence": hostile})
	if _, stderr, err := r.tool("report_change_issue", string(args)); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	got := reports(t, r)
	if len(got) != 1 || got[0]["severity"] != "high" || got[0]["title"] != `"maxKeys" is not used` {
		t.Fatalf("reports = %v", got)
	}
	want := make([]any, len(hostile))
	for i, s := range hostile {
		want[i] = s
	}
	if diff := cmp.Diff(want, got[0]["evidence"]); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	r.mustHold(t, "reports.jsonl")
}

func TestReportsRefuse(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	check(t, []call{
		{name: "no arguments", args: `{}`, refuse: "change: it is missing"},
		{name: "no summary", args: `{"change":"HEAD"}`, refuse: "summary: it is missing"},
		{name: "blank summary", args: `{"change":"HEAD","summary":" \n"}`, refuse: "summary: it is missing or empty"},
		{name: "long summary", args: `{"change":"HEAD","summary":"` + strings.Repeat("x", 16001) + `"}`, refuse: "longer than 16000 bytes"},
		{name: "option as change", args: `{"change":"--help","summary":"x"}`, refuse: "is not a commit or range"},
		{name: "command as change", args: `{"change":"a;b","summary":"x"}`, refuse: "is not a commit or range"},
		{name: "two lines as change", args: `{"change":"a\nb","summary":"x"}`, refuse: "is not a commit or range"},
		{name: "NUL", args: `{"change":"HEAD","summary":"a\u0000b"}`, refuse: "NUL"},
		{name: "given twice", args: `{"change":"HEAD","change":"HEAD","summary":"x"}`, refuse: "given twice"},
		{name: "half of it", args: `{"change":"HEAD","summary":"x`, refuse: "does not end"},
	}, func(args string) (string, string, error) { return r.tool("report_change_succeeded", args) })
	issue := func(rest string) string { return `{"change":"HEAD","title":"x",` + rest + `}` }
	check(t, []call{
		{name: "no severity", args: issue(`"evidence":["x"]`), refuse: "severity: '' is not one of low"},
		{name: "unknown severity", args: issue(`"severity":"bad","evidence":["x"]`), refuse: "severity: 'bad' is not one of low"},
		{name: "no evidence", args: issue(`"severity":"low"`), refuse: "evidence: it is missing"},
		{name: "empty evidence", args: issue(`"severity":"low","evidence":[ ]`), refuse: "evidence: it is missing or empty"},
		{name: "evidence of numbers", args: issue(`"severity":"low","evidence":["x",1]`), refuse: "'evidence' has to be an array of strings"},
		{name: "nested evidence", args: issue(`"severity":"low","evidence":[["x"]]`), refuse: "'evidence' has to be an array of strings"},
		{name: "evidence as text", args: issue(`"severity":"low","evidence":"x"`), refuse: "'evidence' has to be an array of strings"},
	}, func(args string) (string, string, error) { return r.tool("report_change_issue", args) })
	r.mustHold(t)
}

func TestReportsDoNotFollowALink(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(r.workspace, "reports.jsonl")); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := r.tool("report_change_succeeded", `{"change":"HEAD","summary":"x"}`)
	if err == nil || !strings.Contains(stderr, "is a link") {
		t.Errorf("error = %v, stderr = %q, want a refusal", err, stderr)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the report was written through the link")
	}
}

func reports(t *testing.T, r runner) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.workspace, "reports.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for line := range strings.Lines(string(data)) {
		var rec map[string]any
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, rec)
	}
	return all
}

// planChecks builds the tool as the runtime does: without the paths it was
// compiled from, and started under the name of its source.
func planChecks(t *testing.T, r runner) func(args string) (stdout, stderr string, err error) {
	t.Helper()
	source := filepath.Join(r.dir, tools, "plan_checks.go")
	program := filepath.Join(t.TempDir(), "plan_checks")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, filepath.Base(source))
	build.Dir = filepath.Dir(source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(args string) (string, string, error) { return r.run(program, source, args) }
}

func TestPlanChecks(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	plan := planChecks(t, r)
	marker := filepath.Join(t.TempDir(), "x")
	check(t, []call{
		{name: "floor", args: `{"policy":{"floor":"high"}}`, want: []string{`"check":"operations"`, `"check":"compatibility"`}, not: []string{`"check":"documents"`}},
		{name: "large change", args: `{"policy":{"maxLines":1,"floor":"medium"}}`, want: []string{`"risk":"medium","check":"documents"`, "more than 1"}},
		{name: "own rule", args: `{"policy":{"rules":[{"match":"internal/**","check":"review","risk":"high"}]}}`, want: []string{`"risk":"high","check":"review"`}, not: []string{`"check":"tests"`}},
		{name: "star stays in a folder", args: `{"policy":{"rules":[{"match":"internal/*","check":"review","risk":"high"}]}}`, not: []string{`"check":"review"`}},
		{name: "a rule is no pattern language", args: `{"policy":{"rules":[{"match":"(.+)|[","check":"review","risk":"high"}]}}`, not: []string{`"check":"review"`}},
		{name: "deleted file", args: `{"range":{"base":"v1.0.0","head":"v1.3.0"}}`, want: []string{"scripts/poll.sh", "1 deleted"}},
		{name: "owner", args: `{"owner":"Zoë \"Z\" <z>"}`, want: []string{`"owner":"Zoë \"Z\" <z>"`}},
		{name: "nobody", args: `{"owner":null}`, not: []string{"owner"}},
		{name: "no change", args: `{"range":{"base":"HEAD","head":"HEAD"}}`, want: []string{`"files":0,"lines":0,"plan":[],"changes":[]`}},

		{name: "option as base", args: `{"range":{"base":"--output=` + marker + `"}}`, refuse: "range.base: no commit is called"},
		{name: "option as head", args: `{"range":{"head":"-x"}}`, refuse: "range.head: no commit is called"},
		{name: "substitution", args: `{"range":{"head":"$(touch injected)"}}`, refuse: "range.head: no commit is called"},
		{name: "NUL", args: `{"range":{"head":"HEAD\u0000"}}`, refuse: "no commit is called"},
		{name: "bounds", args: `{"policy":{"maxLines":0}}`, refuse: "policy.maxLines: 0 is not between"},
		{name: "unknown floor", args: `{"policy":{"floor":"none"}}`, refuse: `policy.floor: "none" is not one of low, medium, high`},
		{name: "unknown check", args: `{"policy":{"rules":[{"match":"a","check":"x","risk":"low"}]}}`, refuse: `policy.rules[0].check: there is no check "x"`},
		{name: "rule without a glob", args: `{"policy":{"rules":[{"check":"code","risk":"low"}]}}`, refuse: "policy.rules[0].match"},
		{name: "unknown argument", args: `{"rang":{}}`, refuse: `unknown field "rang"`},
		{name: "two objects", args: `{}{}`, refuse: "more after the JSON object"},
	}, plan)
	r.mustHold(t)
	if _, err := os.Stat(marker); err == nil {
		t.Errorf("%s was written", marker)
	}
}

// The go command does not look at the tool by itself: it is no part of a
// package.
func TestPlanChecksIsVetted(t *testing.T) {
	t.Parallel()
	vet := exec.Command("go", "vet", "plan_checks.go")
	vet.Dir = tools
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A terminal of 100 columns shows every row of the plan on a line.
func TestPlanChecksIsReadAtAGlance(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := planChecks(t, newRunner(t))("{}")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if shown := view.Text(view.Result{Structured: []byte(stdout)}, view.Options{Width: 100}); strings.Contains(shown, "─") {
		t.Errorf("rows take more than a line:\n%s", shown)
	}
}

func TestPlanChecksCoversEveryFileOnce(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	stdout, stderr, err := planChecks(t, r)(`{"range":{"base":"v1.0.0","head":"HEAD"},"policy":{"maxLines":100000}}`)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var answer struct {
		Files   int
		Plan    []struct{ Risk string }
		Changes []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatal(err)
	}
	var got, order []string
	for _, task := range answer.Plan {
		order = append(order, task.Risk)
	}
	for _, change := range answer.Changes {
		got = append(got, change.Path)
	}
	slices.Sort(got)
	want := strings.Split(git(t, r.dir, "diff", "--no-renames", "--name-only", "v1.0.0", "HEAD"), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if answer.Files != len(want) {
		t.Errorf("files = %d, want %d", answer.Files, len(want))
	}
	if order = slices.Compact(order); !slices.Equal(order, []string{"high", "medium", "low"}) {
		t.Errorf("risks come in the order %v", order)
	}
}
