package sdkcli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agsh.dev/agent"
	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agent-sdk": func() { os.Exit(Run(context.Background(), term.OS(), os.Args)) },
	})
}

// The scripts show what people see. They run with -update to be rewritten.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: os.Getenv("UPDATE") != "", RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": exits},
	})
}

// exits runs agent-sdk and checks its exit code: code 2 validate x.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("agent-sdk", args[1:]...)
	got := "0"
	if err != nil {
		_, got, _ = strings.Cut(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("agent-sdk %s: exit code %s, want %s (%v)", strings.Join(args[1:], " "), got, args[0], err)
	}
}

func TestTheAgentOfInitWorks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "2 my agent!")
	tm, out, errs := term.Test("")
	if code := Run(t.Context(), tm, []string{"agent-sdk", "init", dir}); code != 0 {
		t.Fatalf("init: exit code %d: %s", code, errs)
	}
	if want := "agent-sdk validate --dir '" + dir + "'\n"; !strings.Contains(out.String(), want) {
		t.Errorf("init printed %q, want %q in it", out, want)
	}
	project, problems, err := agentdir.Read(dir, agentdir.Config{Getenv: os.Getenv})
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, %v", problems, err)
	}
	defer project.Close()
	if got := project.Agents[0].Name; got != "my-agent" {
		t.Errorf("name = %q, want my-agent", got)
	}
	if _, err := project.Agents[0].Root.Read(t.Context(), "/agent/agent.yaml"); err != nil {
		t.Errorf("the file tools do not see the project: %v", err)
	}
	greet := scripttool.New(project.Agents[0].Executables[0], scripttool.Config{Getenv: os.Getenv})
	ctx := agent.WithCall(t.Context(), agent.Call{Workspace: t.TempDir()})
	for args, want := range map[string]string{
		`{}`:                                  `{"greeting":"Hello, world!"}`,
		`{"name":"Ada"}`:                      `{"greeting":"Hello, Ada!"}`,
		`{ "name" : "Zoë \"%s\" \\ O'Neil" }`: `{"greeting":"Hello, Zoë \"%s\" \\ O'Neil!"}`,
		"{\n  \"name\": \"\\\"name\\\":\\\"\"\n}": `{"greeting":"Hello, \"name\":\"!"}`,
	} {
		res, err := greet.Run(ctx, json.RawMessage(args))
		if err != nil || string(res.Structured) != want {
			t.Errorf("greet %s = %s, %v, want %s", args, res.Structured, err, want)
		}
	}
}

func TestSlug(t *testing.T) {
	for folder, want := range map[string]string{
		"hello": "hello", "my agent": "my-agent", "9-lives": "lives", "é": "agent", "_x_": "x", "a.b": "a-b",
		strings.Repeat("a", 70): strings.Repeat("a", 64),
	} {
		if got := slug(folder); got != want {
			t.Errorf("slug(%q) = %q, want %q", folder, got, want)
		}
	}
}

// What init prints can be pasted into a shell, and steers no terminal.

// What init says to do next works where it was said.
func TestInitNamesTheProgramsAsTheyWereCalled(t *testing.T) {
	for program, want := range map[string]string{
		"agent-sdk":     "\n  agsh --target http://127.0.0.1:39400/x help\n",
		"bin/agent-sdk": "\n  bin/agsh --target",
		"./agent-sdk":   "\n  ./agsh --target",
		"/a b/sdk":      "\n  '/a b/agsh' --target",
	} {
		t.Chdir(t.TempDir())
		tm, out, errs := term.Test("")
		if code := Run(t.Context(), tm, []string{program, "init", "x"}); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		for _, want := range []string{"\n  " + text.ShellWord(program) + " serve --dir x\n", want} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("init by %s printed %q, want %q in it", program, out, want)
			}
		}
	}
}

// A reader that has gone is no failure of the command.
func TestAClosedPipeIsNoFailure(t *testing.T) {
	for err, want := range map[error]int{syscall.EPIPE: 0, syscall.ENOSPC: 1} {
		tm, _, _ := term.Test("")
		tm.Out = brokenWriter{err}
		if code := Run(t.Context(), tm, []string{"agent-sdk", "version"}); code != want {
			t.Errorf("%v: exit code %d, want %d", err, code, want)
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestExitCodes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		told bool // to stop
		err  error
		want int
	}{
		{"done", false, nil, 0},
		{"done although told to stop", true, nil, 0},
		{"failed", false, &exitError{exitFailed, errors.New("x")}, 1},
		{"what cobra refuses", false, errors.New("unknown flag"), 2},
		{"interrupted", true, &exitError{exitFailed, context.Canceled}, 130},
	}
	for _, tt := range tests {
		ctx := t.Context()
		if tt.told {
			ctx = ended
		}
		if got := exitCode(ctx, tt.err); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestColourIsForTerminalsThatWantIt(t *testing.T) {
	dir := t.TempDir()
	for env, want := range map[string]bool{"CLICOLOR_FORCE=1": true, "X=1": false} {
		tm, out, _ := term.Test("", env)
		Run(t.Context(), tm, []string{"agent-sdk", "validate", "--dir", dir})
		if got := strings.Contains(out.String(), "\x1b[31merror[no_agent]\x1b[0m"); got != want {
			t.Errorf("with %s: coloured %v, want %v: %q", env, got, want, out)
		}
	}
}

func TestHelpNamesEveryVariable(t *testing.T) {
	tm, out, _ := term.Test("")
	if code := Run(t.Context(), tm, []string{"agent-sdk", "--help"}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, v := range environment {
		if !strings.Contains(out.String(), v.name) {
			t.Errorf("help does not name %s", v.name)
		}
	}
}
