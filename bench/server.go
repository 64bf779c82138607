//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"agsh.dev/api"
)

// A server is a program that serves until it is stopped.
type server struct {
	url  string // of its agent
	cmd  *exec.Cmd
	said *bytes.Buffer // on standard error; complete once it has exited
	pipe io.Closer
}

// stopTimeout is how long a server may take to end before it is killed.
const stopTimeout = 5 * time.Second

// serve starts a program and returns once it has printed "<name> <url>". The
// caller stops it.
func serve(ctx context.Context, path string, args ...string) (*server, error) {
	s := &server{cmd: command(ctx, path, args...), said: &bytes.Buffer{}}
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.pipe = out
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	// A server that never gets ready ends with ctx, and with it this read.
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, url, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
		s.url = url
		return s, nil
	}
	err = errors.Join(err, s.stop())
	return nil, fmt.Errorf("start %s: its first line is %q: %w: %s", path, line, err, s.said)
}

// stop asks the server to end, then makes it.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
	kill := time.AfterFunc(stopTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	err := s.cmd.Wait()
	if state := s.cmd.ProcessState; state != nil && state.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
		return nil
	}
	return err
}

// resident is how many bytes the server has in memory now.
func (s *server) resident() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read how much memory a process has: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseFloat(strings.Fields(kib)[0], 64)
			return n * 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no VmRSS", s.cmd.Process.Pid)
}

// processor is how many seconds of a processor the server has used.
func (s *server) processor() (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read how busy a process was: %w", err)
	}
	// The second field, the name, may have spaces in it.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 13 {
		return 0, fmt.Errorf("read how busy a process was: %q", stat)
	}
	user, err := strconv.ParseFloat(f[11], 64)
	system, serr := strconv.ParseFloat(f[12], 64)
	return (user + system) / clockTicks, errors.Join(err, serr)
}

// clockTicks are the units of /proc/<pid>/stat in a second: the same on every
// Linux that Go runs on.
const clockTicks = 100

// address is host:port.
func (s *server) address() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
	return host
}

// session starts one.
func (s *server) session(ctx context.Context) (string, error) {
	c, err := api.NewClient(s.url, api.Config{})
	if err != nil {
		return "", err
	}
	defer c.Close()
	made, err := c.NewSession(ctx)
	return made.Session, err
}

// get returns the body of a 200 answer.
func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", path, res.Status, body)
	}
	return body, err
}

// stored returns the events that one call of the tool adds to its session.
func (s *server) stored(ctx context.Context, tool, args string) ([]byte, error) {
	id, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	c, err := api.NewClient(s.url, api.Config{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	res, err := c.Call(ctx, tool, api.CallRequest{Args: []byte(args), Session: id})
	if err != nil {
		return nil, err
	}
	if res.IsError {
		return nil, fmt.Errorf("call %s: %v", tool, res.Content)
	}
	events, err := s.get(ctx, "/v1/sessions/"+id+"/events?from=2")
	if err == nil && bytes.Count(events, []byte("\n")) != 2 {
		err = fmt.Errorf("a call of %s stores %q, want two events", tool, events)
	}
	return events, err
}
