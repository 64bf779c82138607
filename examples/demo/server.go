//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// readyTimeout is how long a server may take to print its ready line.
const readyTimeout = 30 * time.Second

// stopTimeout is how long it may take to end when asked to.
const stopTimeout = 5 * time.Second

// A server is a running agent-sdk, or the tracker.
type server struct {
	url    string
	cmd    *exec.Cmd
	stderr tail
	exited chan struct{} // closed when the process is gone
}

// start runs cmd in a process group of its own, so that Ctrl-C in the shell
// does not reach it, and returns once it has printed "<slug> <url>" for the
// slug given. On an error nothing is left running. The caller has to call stop.
func start(ctx context.Context, cmd *exec.Cmd, slug string, timeout time.Duration) (*server, error) {
	s := &server{cmd: cmd, exited: make(chan struct{})}
	ready := make(chan string, 1)
	cmd.Stdout, cmd.Stderr = &lines{each: func(line string) {
		if url, ok := readyURL(line, slug); ok {
			select {
			case ready <- url:
			default: // it says it again
			}
		}
	}}, &s.stderr
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = time.Second // a child that keeps a pipe must not hold us
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is in ProcessState
		close(s.exited)
	}()
	var err error
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case s.url = <-ready:
		return s, nil
	case <-s.exited:
		err = fmt.Errorf("the server ended before it was ready: %s", cmd.ProcessState)
	case <-timer.C:
		err = fmt.Errorf("the server was not ready after %s", timeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.stop()
	if said := s.stderr.String(); said != "" {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return nil, err
}

// readyURL reads the "<slug> <url>" of one slug.
func readyURL(line, slug string) (string, bool) {
	word := strings.Fields(line)
	if len(word) != 2 || word[0] != slug || !strings.HasPrefix(word[1], "http://") {
		return "", false
	}
	return word[1], true
}

// stop asks the server to end, then makes it, with all it started.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-s.exited:
	case <-timer.C:
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.exited
}

// lines calls each for every whole line written to it.
type lines struct {
	each    func(line string)
	partial []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.partial = append(l.partial, p...)
	for {
		line, rest, ok := bytes.Cut(l.partial, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.each(string(line))
		l.partial = rest
	}
}

// A tail keeps the end of what is written to it, for use by many goroutines.
type tail struct {
	mu  sync.Mutex
	end []byte
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-tailSize):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.end))
}
