//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A fake is a server written in sh.
type fake struct {
	*exec.Cmd
	alive *os.File // open for writing in all of its processes
}

func newFake(t *testing.T, script string) fake {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.ExtraFiles = []*os.File{w}
	t.Cleanup(func() { r.Close(); w.Close() })
	return fake{cmd, r}
}

// mustBeGone fails the test if a process of the fake is left.
func (f fake) mustBeGone(t *testing.T) {
	t.Helper()
	f.ExtraFiles[0].Close() // ours
	_ = f.alive.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := f.alive.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the server or a child of it still runs: %v", err)
	}
}

func TestStartReturnsTheURLOfTheAgent(t *testing.T) {
	f := newFake(t, "echo starting up; echo other http://127.0.0.1:4/other; echo executor http://127.0.0.1:4/executor; echo executor http://127.0.0.1:5/executor; exec sleep 600")
	srv, err := start(t.Context(), f.Cmd, "executor", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if want := "http://127.0.0.1:4/executor"; srv.url != want {
		t.Errorf("url = %q, want %q", srv.url, want)
	}
	srv.stop()
	f.mustBeGone(t)
}

func TestStopEndsWhatTheServerStarted(t *testing.T) {
	f := newFake(t, "sleep 600 >/dev/null 2>&1 & echo executor http://127.0.0.1:4/executor; wait")
	srv, err := start(t.Context(), f.Cmd, "executor", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	srv.stop()
	f.mustBeGone(t)
}

func TestStartFails(t *testing.T) {
	tests := []struct {
		name    string
		server  string
		timeout time.Duration
		signal  syscall.Signal
		want    []string
	}{
		{"when the server dies", "echo agents/executor/agent.yaml:3: bad >&2; exit 7", time.Minute, 0, []string{"before it was ready", "exit status 7", "agent.yaml:3: bad"}},
		{"when it has another agent only", "echo other http://127.0.0.1:4/other; exec sleep 600", time.Millisecond, 0, []string{"not ready after 1ms"}},
		{"when it stays silent", "exec sleep 600", time.Millisecond, 0, []string{"not ready after 1ms"}},
		{"on a signal", "exec sleep 600", time.Minute, syscall.SIGTERM, []string{"terminated"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.signal != 0 {
				cancel(interruption{tt.signal})
			}
			f := newFake(t, tt.server)
			_, err := start(ctx, f.Cmd, "executor", tt.timeout)
			if err == nil {
				t.Fatal("start succeeded")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			f.mustBeGone(t)
		})
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var end tail
	for i := range 10_000 {
		fmt.Fprintln(&end, i)
	}
	if got := end.String(); len(got) > tailSize || !strings.HasSuffix(got, "9998\n9999") {
		t.Errorf("kept %d bytes that end with %q", len(got), got[max(0, len(got)-10):])
	}
}
