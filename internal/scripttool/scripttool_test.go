//go:build unix

package scripttool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// script writes an executable and returns it as a tool.
func script(t *testing.T, text string) agent.Executable {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool.sh")
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return agent.Executable{Definition: agent.Definition{Name: "tool", Effect: agent.Read}, Path: path}
}

func callIn(ctx context.Context, workspace string) context.Context {
	return agent.WithCall(ctx, agent.Call{ID: "call_1", Agent: "demo", Session: "ses_1", Workspace: workspace})
}

func config() Config {
	return Config{Getenv: os.Getenv, Grace: 100 * time.Millisecond, Linger: 50 * time.Millisecond}
}

// run calls the tool once, in a workspace of its own.
func run(t *testing.T, e agent.Executable, cfg Config, args string) agent.Result {
	t.Helper()
	res, err := New(e, cfg).Run(callIn(t.Context(), t.TempDir()), json.RawMessage(args))
	if err != nil {
		t.Fatalf("Run(%s) = %v", args, err)
	}
	return res
}

func texts(res agent.Result) []string {
	var out []string
	for _, b := range res.Content {
		out = append(out, b.Text)
	}
	return out
}

func TestResult(t *testing.T) {
	tests := []struct {
		name, script, args string
		want               agent.Result
	}{
		{
			"text stays as it is", "#!/bin/sh\nprintf ' a\\nb\\n\\n'", "{}",
			agent.Result{Content: []event.Block{event.Text(" a\nb\n\n")}},
		},
		{
			"nothing printed is an empty text", "#!/bin/sh\n:", "{}",
			agent.Result{Content: []event.Block{event.Text("")}},
		},
		{
			"an object is structured, byte for byte", "#!/bin/sh\ncat\necho", `{"z":12345678901234567890,"a":1.10}`,
			agent.Result{
				Content:    []event.Block{event.Text(`{"z":12345678901234567890,"a":1.10}` + "\n")},
				Structured: json.RawMessage(`{"z":12345678901234567890,"a":1.10}`),
			},
		},
		{
			"an array is structured", "#!/bin/sh\necho '[1, 2]'", "{}",
			agent.Result{Content: []event.Block{event.Text("[1, 2]\n")}, Structured: json.RawMessage("[1, 2]")},
		},
		{
			"a bare number is text", "#!/bin/sh\necho 12", "{}",
			agent.Result{Content: []event.Block{event.Text("12\n")}},
		},
		{
			"two objects are text", "#!/bin/sh\necho '{}{}'", "{}",
			agent.Result{Content: []event.Block{event.Text("{}{}\n")}},
		},
		{
			"output is kept on failure, with the end of standard error",
			"#!/bin/sh\necho '{\"done\":1}'; echo bad >&2; exit 3", "{}",
			agent.Result{
				Content:    []event.Block{event.Text("{\"done\":1}\n"), event.Text("exit status 3\nstandard error:\nbad\n")},
				Structured: json.RawMessage(`{"done":1}`), IsError: true,
			},
		},
		{
			"a silent failure says its exit code", "#!/bin/sh\nexit 7", "{}",
			agent.Result{Content: []event.Block{event.Text("exit status 7")}, IsError: true},
		},
		{
			"a signal is named", "#!/bin/sh\nkill -SEGV $$", "{}",
			agent.Result{Content: []event.Block{event.Text("ended by signal 11 (segmentation fault)")}, IsError: true},
		},
		{
			"binary output is replaced and said", "#!/bin/sh\nprintf 'a\\377\\376b'", "{}",
			agent.Result{Content: []event.Block{
				event.Text("a\uFFFDb"), event.Text("[the output was not UTF-8: 2 bytes were replaced by \uFFFD]"),
			}},
		},
		{
			"no arguments are an empty object", "#!/bin/sh\ncat", "",
			agent.Result{Content: []event.Block{event.Text("{}")}, Structured: json.RawMessage("{}")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, run(t, script(t, tt.script), config(), tt.args)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvironmentIsExactlyTheNamedVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "printenv")
	if err := os.Symlink("/usr/bin/env", path); err != nil {
		t.Fatal(err)
	}
	e := agent.Executable{Definition: agent.Definition{Name: "env"}, Path: path, Env: []string{"TOKEN", "UNSET", "HOME"}}
	cfg := config()
	cfg.TempDir = "/tmp"
	cfg.Getenv = func(name string) string {
		return map[string]string{"PATH": "/bin", "TOKEN": "t", "HOME": "/root", "SECRET": "s"}[name]
	}
	workspace := t.TempDir()
	res, err := New(e, cfg).Run(callIn(t.Context(), workspace), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "PATH=/bin\nHOME=" + workspace + "\nLANG=C.UTF-8\nTMPDIR=/tmp\n" +
		"AGENT_NAME=demo\nAGENT_SESSION_ID=ses_1\nAGENT_CALL_ID=call_1\nTOKEN=t\n"
	if diff := cmp.Diff([]string{want}, texts(res)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestRunsInTheWorkspace(t *testing.T) {
	workspace := t.TempDir()
	res, err := New(script(t, "#!/bin/sh\npwd"), config()).Run(callIn(t.Context(), workspace), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{workspace + "\n"}, texts(res)); diff != "" {
		t.Errorf("working directory (-want +got):\n%s", diff)
	}
}

func TestACallWithoutWorkspaceIsAnError(t *testing.T) {
	if _, err := New(script(t, "#!/bin/sh\n"), config()).Run(t.Context(), nil); err == nil {
		t.Error("Run outside a call succeeded")
	}
}

func TestProgramsThatCannotStartSayTheFix(t *testing.T) {
	tests := []struct {
		name, script string
		mode         os.FileMode
		want         string
	}{
		{"no exec bit", "#!/bin/sh\n", 0o644, "chmod +x"},
		{"no interpreter line", "echo hi\n", 0o755, "#!/bin/sh"},
		{"interpreter missing", "#!/no/such/interpreter\n", 0o755, "not installed"},
		{"carriage return", "#!/bin/sh\r\n", 0o755, "carriage return"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := script(t, tt.script)
			if err := os.Chmod(e.Path, tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := New(e, config()).Run(callIn(t.Context(), t.TempDir()), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
	t.Run("workspace missing", func(t *testing.T) {
		_, err := New(script(t, "#!/bin/sh\n"), config()).Run(callIn(t.Context(), "/no/such/workspace"), nil)
		if err == nil || !strings.Contains(err.Error(), "/no/such/workspace") {
			t.Errorf("error = %v, want one that names the workspace", err)
		}
	})
}

func TestInputThatIsNeverReadDoesNotMatter(t *testing.T) {
	for _, size := range []int{10, pipeSafe, pipeSafe + 1, 8 << 20} {
		args := `{"x":"` + strings.Repeat("y", size) + `"}`
		res := run(t, script(t, "#!/bin/sh\necho done"), config(), args)
		if diff := cmp.Diff([]string{"done\n"}, texts(res)); diff != "" || res.IsError {
			t.Errorf("%d bytes unread: error %v, (-want +got):\n%s", size, res.IsError, diff)
		}
		res = run(t, script(t, "#!/bin/sh\nwc -c | tr -d ' '"), config(), args)
		if diff := cmp.Diff([]string{strconv.Itoa(len(args)) + "\n"}, texts(res)); diff != "" {
			t.Errorf("%d bytes read (-want +got):\n%s", size, diff)
		}
	}
}

// groupOf reads the process group a script wrote to the workspace's file pid.
func groupOf(t *testing.T, workspace string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(workspace, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// members lists the processes of a group that are not zombies.
func members(t *testing.T, pgid int) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("no /proc to look at")
	}
	var alive []string
	for _, stat := range stats {
		b, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 2 && f[2] == strconv.Itoa(pgid) && f[0] != "Z" && f[0] != "X" {
			alive = append(alive, string(b))
		}
	}
	return alive
}

// gone fails the test unless the group ends soon: KILL is delivered, not
// instant.
func gone(t *testing.T, pgid int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Second)
	for {
		left := members(t, pgid)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes left of the group:\n%s", strings.Join(left, ""))
		}
		syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 2000})
	}
}

func TestNoProcessOutlivesItsCall(t *testing.T) {
	tests := []struct {
		name, script string
		timeout      time.Duration // 0: the tool ends by itself
		want         string        // in the last block
	}{
		{"a hang that ignores TERM", "trap '' TERM; echo before; while :; do sleep 60; done", 50 * time.Millisecond, "signal 9"},
		{"a hang that ends on TERM", "exec sleep 60", 50 * time.Millisecond, "signal 15"},
		{"a child that ignores TERM after its parent died", "(trap '' TERM; while :; do sleep 60; done) & sleep 60", 50 * time.Millisecond, "signal 15"},
		{"a double fork that holds the pipe", "(sleep 60 &) ; echo done", 0, "done\n"},
		{"a double fork that ignores TERM and holds the pipe", "(trap '' TERM; sleep 60 &) ; echo done", 0, "done\n"},
		{"a storm of sleepers", "i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; echo done", 0, "done\n"},
		{"a storm of sleepers that is cut", "i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; wait", 300 * time.Millisecond, "stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := script(t, "#!/bin/sh\necho $$ > pid\n"+tt.script)
			e.Timeout = tt.timeout
			workspace := t.TempDir()
			began := time.Now()
			res, err := New(e, config()).Run(callIn(t.Context(), workspace), nil)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("the call took %s", took)
			}
			got := texts(res)
			if !strings.Contains(got[len(got)-1], tt.want) || res.IsError != (tt.timeout > 0) {
				t.Errorf("result = %q, error %v, want %q at its end", got, res.IsError, tt.want)
			}
			gone(t, groupOf(t, workspace))
		})
	}
}

func TestAProcessThatLeftTheGroupCannotHoldTheCall(t *testing.T) {
	setsid, err := filepath.EvalSymlinks("/usr/bin/setsid")
	if err != nil {
		t.Skip("no setsid")
	}
	began := time.Now()
	res := run(t, script(t, "#!/bin/sh\n"+setsid+" sleep 3 &\necho done"), config(), "{}")
	if diff := cmp.Diff([]string{"done\n"}, texts(res)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the call took %s", took)
	}
}

func TestAChildThatPrintsAfterItsParentIsHeard(t *testing.T) {
	cfg := config()
	cfg.Linger = 5 * time.Second
	res := run(t, script(t, "#!/bin/sh\n(sleep 0.05; echo late) &\necho early"), cfg, "{}")
	if diff := cmp.Diff([]string{"early\nlate\n"}, texts(res)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestTheGroupHasItsGraceToCleanUp(t *testing.T) {
	cfg := config()
	cfg.Grace = time.Second
	e := script(t, "#!/bin/sh\n"+
		"(trap 'sleep 0.1; echo clean > mark; exit' TERM; echo > ready; while :; do sleep 0.01; done) >/dev/null 2>&1 &\n"+
		"while [ ! -f ready ]; do sleep 0.01; done; echo up; sleep 60")
	e.Timeout = 500 * time.Millisecond
	workspace := t.TempDir()
	if _, err := New(e, cfg).Run(callIn(t.Context(), workspace), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(workspace, "mark")); err != nil {
		t.Errorf("the child could not clean up: %v", err)
	}
}

func TestCancelStopsTheCallAndKeepsTheOutput(t *testing.T) {
	workspace := t.TempDir()
	fifo := filepath.Join(workspace, "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(callIn(t.Context(), workspace))
	defer cancel()
	go func() {
		_, _ = os.ReadFile(fifo) // until the tool has written
		cancel()
	}()
	res, err := New(script(t, "#!/bin/sh\necho $$ > pid\necho part; echo > ready; exec sleep 60"), config()).Run(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"part\n", "stopped: the call was cancelled; ended by signal 15 (terminated)"}
	if diff := cmp.Diff(want, texts(res)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	gone(t, groupOf(t, workspace))
}

func TestAFloodIsReadToItsEndAndKeptInPart(t *testing.T) {
	cfg := config()
	cfg.MaxOutput = 1 << 20
	const size = 100 << 20
	res := run(t, script(t, "#!/bin/sh\necho first; head -c 104857600 /dev/zero | tr '\\0' x; echo; echo last"), cfg, "{}")
	got := res.Content[0].Text
	total := size + len("first\n\nlast\n")
	if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "\nlast\n") {
		t.Errorf("head or tail is missing: %.20q … %.20q", got, got[len(got)-20:])
	}
	if want := fmt.Sprintf("[… %d of %d bytes left out …]", total-1<<20, total); !strings.Contains(got, want) {
		t.Errorf("the text does not say %q", want)
	}
	if len(got) > 1<<20+100 {
		t.Errorf("%d bytes kept, want at most 1 MiB and the marker", len(got))
	}
	if res.IsError || res.Structured != nil {
		t.Errorf("IsError %v, Structured %d bytes; want neither", res.IsError, len(res.Structured))
	}
}

func TestStandardErrorIsLoggedInBounds(t *testing.T) {
	var log bytes.Buffer
	cfg := config()
	cfg.Log = slog.New(slog.NewJSONHandler(&log, nil))
	res := run(t, script(t, "#!/bin/sh\nhead -c 1000000 /dev/zero | tr '\\0' e >&2; echo 'é end' >&2; exit 1"), cfg, "{}")
	note := res.Content[0].Text
	if !strings.HasPrefix(note, "exit status 1\nstandard error (the end of 1000007 bytes):\ne") || !strings.HasSuffix(note, "é end\n") {
		t.Errorf("error text = %.80q … %.20q", note, note[len(note)-20:])
	}
	if len(note) > shownStderr+100 {
		t.Errorf("error text has %d bytes", len(note))
	}
	var rec struct {
		Tool, Session, Stderr string
		Bytes                 int64
	}
	if err := json.Unmarshal(log.Bytes(), &rec); err != nil {
		t.Fatalf("log %.100q: %v", log.String(), err)
	}
	if rec.Tool != "tool" || rec.Session != "ses_1" || rec.Bytes != 1000007 || len(rec.Stderr) > maxStderr+100 {
		t.Errorf("log record: tool %q, session %q, bytes %d, %d bytes of text", rec.Tool, rec.Session, rec.Bytes, len(rec.Stderr))
	}
}

func TestRetryRunsOnlyReadersAgainAndOnlyOnTheNamedCodes(t *testing.T) {
	tests := []struct {
		name   string
		effect agent.Effect
		retry  agent.Retry
		want   string // lines written, one a run
	}{
		{"a reader", agent.Read, agent.Retry{Attempts: 3, On: []int{75}}, "x\nx\nx\n"},
		{"a writer", agent.Write, agent.Retry{Attempts: 3, On: []int{75}}, "x\n"},
		{"no effect named is a writer", "", agent.Retry{Attempts: 3, On: []int{75}}, "x\n"},
		{"another code", agent.Read, agent.Retry{Attempts: 3, On: []int{1}}, "x\n"},
		{"no retry", agent.Read, agent.Retry{}, "x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := script(t, "#!/bin/sh\necho x >> runs; exit 75")
			e.Effect, e.Retry = tt.effect, tt.retry
			workspace := t.TempDir()
			res, err := New(e, config()).Run(callIn(t.Context(), workspace), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(workspace, "runs"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || !res.IsError {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallsRunAtOnce(t *testing.T) {
	f := New(script(t, "#!/bin/sh\ncat"), config())
	workspace := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			res, err := f.Run(callIn(t.Context(), workspace), json.RawMessage(args))
			if err != nil || string(res.Structured) != args {
				t.Errorf("call %d = %s, %v", i, res.Structured, err)
			}
		})
	}
	wg.Wait()
}

func TestALateReaderLosesNothing(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.WriteString("printed in time"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	tp := newTape(100)
	tp.drain(r)
	tp.rest(r)
	if got, _ := tp.text(); got != "printed in time" {
		t.Errorf("text = %q", got)
	}
}
