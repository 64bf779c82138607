//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// checkout is what the demo sees of a module. Its go command only copies, its
// agsh does what its arguments say, its agent-sdk and its tracker answer no
// request: their URLs are their process ids.
var checkout = map[string]string{
	"bin/go": `#!/bin/sh
root=$(dirname "$0")/..
case $* in
"list -m -f {{.Dir}} agsh.dev") echo "$root" ;;
"build -o "*" ./cmd/agsh ./cmd/agent-sdk ./examples/change-monitor/mcp") mkdir "$3" && cp cmd/* "$3" ;;
*) exit 2 ;;
esac
`,
	"cmd/agsh": `#!/bin/sh
echo "$AGENT_SHELL_TARGET"
case $* in
"wait for the end")
	# Nothing in the background: a signal could miss it while it starts.
	trap 'exit 9' TERM
	while :; do sleep 0.05; done
	;;
die) kill -KILL $$ ;;
esac
echo "args=$* stdin=$(cat) token=$AGENT_SHELL_BEARER_TOKEN"
echo to stderr >&2
exit 5
`,
	"cmd/agent-sdk": `#!/bin/sh
case "$AGENT_SDK_BEARER_TOKEN $*" in
" serve --dir "*) ;;
*) exit 1 ;;
esac
[ "$TRACKER_TOKEN" = "$(cat "$(dirname "$CHANGE_MONITOR_MCP")/token")" ] || exit 1
echo "executor $TRACKER_URL/$$"
echo "planner $TRACKER_URL/planner/$$"
sleep 600 &
wait
`,
	"cmd/mcp": `#!/bin/sh
case "$*" in
"--set tracker --http 127.0.0.1:"*) ;;
*) exit 1 ;;
esac
echo "$TRACKER_TOKEN" >"$(dirname "$0")/token"
echo "tracker http://127.0.0.1/$$"
exec sleep 600
`,
	"examples/change-monitor/agents/executor/agent.yaml": "",
	"examples/change-monitor/agents/planner/agent.yaml":  "",
	"examples/change-monitor/setup":                      "#!/bin/sh\necho noise\ntouch \"$(dirname \"$0\")/unpacked\"\n",
}

// A trial is one run of the demo in a checkout of its own.
type trial struct {
	*exec.Cmd
	tmp    string
	stderr strings.Builder
}

// newTrial prepares a run; changed replaces files of the checkout.
func newTrial(t *testing.T, demo string, changed map[string]string, args ...string) *trial {
	t.Helper()
	dir := t.TempDir()
	for _, files := range []map[string]string{checkout, changed} {
		for name, content := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	tr := &trial{Cmd: exec.Command(demo, args...), tmp: t.TempDir()}
	tr.Dir = filepath.Join(dir, "examples") // not the root of the module
	tr.Env = append(os.Environ(), "TMPDIR="+tr.tmp, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
		"AGENT_SHELL_TARGET=http://elsewhere", "AGENT_SHELL_BEARER_TOKEN=secret", "AGENT_SDK_BEARER_TOKEN=secret")
	tr.Stderr = &tr.stderr
	return tr
}

// mustLeaveNothing fails the test if files are left, or the servers that
// target is made of.
func (tr *trial) mustLeaveNothing(t *testing.T, target string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tr.tmp, "agsh-demo-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v (%v)", left, err)
	}
	if target == "" {
		return
	}
	for _, pid := range []string{path.Base(target), strings.Split(target, "/")[3]} {
		pid, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatalf("target %q has no process ids", target)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the server %d of %s still runs (%v)", pid, target, err)
		}
	}
}

func buildDemo(t *testing.T) string {
	t.Helper()
	demo := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command("go", "build", "-o", demo, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return demo
}

func TestDemo(t *testing.T) {
	t.Parallel()
	demo := buildDemo(t)

	t.Run("agsh gets arguments and streams, and its exit code is ours", func(t *testing.T) {
		t.Parallel()
		tr := newTrial(t, demo, nil, "read", "--limit", "2")
		tr.Stdin = strings.NewReader("ls /repo")
		out, _ := tr.Output()
		target, rest, _ := strings.Cut(string(out), "\n")
		if want := "args=read --limit 2 stdin=ls /repo token=\n"; rest != want || tr.ProcessState.ExitCode() != 5 {
			t.Errorf("got %q and exit code %d, want %q and 5", rest, tr.ProcessState.ExitCode(), want)
		}
		if got := tr.stderr.String(); got != "to stderr\n" {
			t.Errorf("stderr = %q, want that of agsh alone", got)
		}
		tr.mustLeaveNothing(t, target)
		if _, err := os.Stat(filepath.Join(tr.Dir, "change-monitor", "unpacked")); err != nil {
			t.Error("setup was not run in the example")
		}
	})

	for name, args := range map[string][]string{
		"another agent is named first":       {"--agent", "planner", "help", "--agent"},
		"another agent is named in one word": {"--agent=planner", "help", "--agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, demo, nil, args...)
			out, _ := tr.Output()
			target, rest, _ := strings.Cut(string(out), "\n")
			if !strings.Contains(target, "/planner/") || !strings.HasPrefix(rest, "args=help --agent stdin=") {
				t.Errorf("target %q, then %q", target, rest)
			}
			tr.mustLeaveNothing(t, target)
		})
	}

	// Both signals go to the demo alone: a terminal would send Ctrl-C to agsh too.
	t.Run("Ctrl-C while agsh runs is not ours", func(t *testing.T) {
		t.Parallel()
		tr := newTrial(t, demo, nil)
		script, err := tr.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		target, code := tr.signalled(t, syscall.SIGINT, func() { script.Close() })
		if code != 5 {
			t.Errorf("exit code = %d, want agsh's own 5", code)
		}
		tr.mustLeaveNothing(t, target)
	})
	t.Run("SIGTERM ends all", func(t *testing.T) {
		t.Parallel()
		tr := newTrial(t, demo, nil, "wait", "for", "the", "end")
		target, code := tr.signalled(t, syscall.SIGTERM, func() {})
		if code != 128+int(syscall.SIGTERM) {
			t.Errorf("exit code = %d, want 143", code)
		}
		tr.mustLeaveNothing(t, target)
	})
	t.Run("agsh dies", func(t *testing.T) {
		t.Parallel()
		tr := newTrial(t, demo, nil, "die")
		out, _ := tr.Output()
		if code := tr.ProcessState.ExitCode(); code != 128+int(syscall.SIGKILL) {
			t.Errorf("exit code = %d, want 137", code)
		}
		tr.mustLeaveNothing(t, strings.TrimSpace(string(out)))
	})

	for name, tt := range map[string]struct {
		changed map[string]string
		want    []string
		args    []string
	}{
		"no such agent":            {nil, []string{`demo: --agent: the example has no agent "../x"; it has executor, planner`}, []string{"--agent", "../x"}},
		"no agent is named":        {nil, []string{"demo: --agent has no value"}, []string{"--agent"}},
		"the tracker does not run": {map[string]string{"cmd/mcp": "#!/bin/sh\necho no port >&2\nexit 1\n"}, []string{"demo: start the tracker: the server ended before it was ready", "no port"}, nil},
		"another module":           {map[string]string{"bin/go": "#!/bin/sh\nexit 1\n"}, []string{"not inside the module agsh.dev"}, nil},
		"a program does not build": {map[string]string{"bin/go": strings.Replace(checkout["bin/go"], "mkdir", "echo undefined: nothing >&2; exit 1;", 1)}, []string{"undefined: nothing", "demo: build the programs"}, nil},
		"setup fails":              {map[string]string{"examples/change-monitor/setup": "#!/bin/sh\necho git is missing >&2\nexit 1\n"}, []string{"git is missing", "demo: unpack the example"}, nil},
		"the server refuses":       {map[string]string{"cmd/agent-sdk": "#!/bin/sh\necho agent.yaml:3: bad >&2\nexit 1\n"}, []string{"demo: the server ended before it was ready: exit status 1", "agent.yaml:3: bad"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, demo, tt.changed, tt.args...)
			out, _ := tr.Output()
			if code := tr.ProcessState.ExitCode(); code != 1 || len(out) > 0 {
				t.Errorf("exit code = %d, stdout = %q, want 1 and nothing", code, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(tr.stderr.String(), want) {
					t.Errorf("stderr lacks %q:\n%s", want, tr.stderr.String())
				}
			}
			tr.mustLeaveNothing(t, "")
		})
	}
}

// signalled starts the demo, sends the signal once agsh has told its target,
// calls then and returns the target and the exit code.
func (tr *trial) signalled(t *testing.T, sig syscall.Signal, then func()) (target string, code int) {
	t.Helper()
	stdout, err := tr.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(stdout)
	target, err = in.ReadString('\n')
	if err != nil {
		t.Errorf("agsh did not start: %v", err)
	}
	if err := tr.Process.Signal(sig); err != nil {
		t.Error(err)
	}
	then()
	_, _ = in.WriteTo(io.Discard)
	_ = tr.Wait()
	return strings.TrimSpace(target), tr.ProcessState.ExitCode()
}
