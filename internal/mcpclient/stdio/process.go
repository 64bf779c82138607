//go:build unix

package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// A process is a running server and our ends of its standard streams. Its
// goroutines are one that starts it and waits for it, one that sees to the
// end of its group, and the reader of standard error.
type process struct {
	stdin          *os.File
	stdout, stderr *stream
	grace          time.Duration

	pid     int // also the number of its group
	state   *os.ProcessState
	gone    chan struct{} // closed when the program is, after state was set
	closing chan struct{} // closed when the program is to end
	ended   chan struct{} // closed when its whole group is gone, after exit was set
	exit    *ExitError
	running sync.WaitGroup
}

// start runs the program of cfg in a group of its own.
func start(cfg Config) (*process, error) {
	path, err := lookup(cfg.Path, cfg.Env)
	if err != nil {
		return nil, err
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("start server %s: %w", cfg.Path, err)
	}
	p := &process{
		stdin: pipes.ours[0], stdout: &stream{f: pipes.ours[1]}, stderr: &stream{f: pipes.ours[2]},
		grace:   cfg.Grace,
		gone:    make(chan struct{}),
		closing: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	attr := &os.ProcAttr{
		Dir:   cfg.Dir,
		Env:   append([]string{}, cfg.Env...), // nil would mean our own
		Files: pipes.theirs[:],
		Sys:   ownGroup(),
	}
	started := make(chan error)
	p.running.Go(func() { p.run(path, append([]string{cfg.Path}, cfg.Args...), attr, started) })
	err = <-started
	closeAll(pipes.theirs[:]) // so that we see the end when they close theirs
	if err != nil {
		closeAll(pipes.ours[:])
		p.running.Wait()
		if _, noDir := os.Stat(cfg.Dir); cfg.Dir != "" && noDir != nil {
			err = noDir // the system blames the program
		}
		return nil, fmt.Errorf("start server %s: %w", cfg.Path, err)
	}
	var last notes
	heard := make(chan struct{})
	p.running.Go(func() { defer close(heard); last.follow(p.stderr, cfg.Stderr) })
	p.running.Go(func() {
		p.seeOff()
		<-heard
		p.exit = newExitError(p.state, last)
		close(p.ended)
	})
	return p, nil
}

// run starts the program and waits for it. The kernel sends the parent-death
// signal when the thread that forked ends, so that thread is kept until then.
func (p *process) run(path string, argv []string, attr *os.ProcAttr, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child, err := os.StartProcess(path, argv, attr)
	if err != nil {
		started <- err
		return
	}
	p.pid = child.Pid
	started <- nil
	p.state, _ = child.Wait() // no state is how an error shows
	close(p.gone)
}

// seeOff waits until the program is to end or has ended, and returns when it
// and its whole group are gone. It is the only one to signal the group: its
// number is ours as long as one of its members lives.
func (p *process) seeOff() {
	select {
	case <-p.gone:
		// Nobody is left to answer; who still runs holds the pipes.
		p.signal(syscall.SIGKILL)
		p.awaitGroup()
		closeAll([]*os.File{p.stdin})
		// What has been printed is still to be read, but a process that left
		// the group may keep a pipe open for ever.
		p.stdout.endAt(time.Now().Add(p.grace))
		p.stderr.endAt(time.Now().Add(p.grace))
	case <-p.closing:
		closeAll([]*os.File{p.stdin})
		if !p.awaitGroup() {
			p.signal(syscall.SIGTERM)
			p.awaitGroup()
		}
		// Also when all seem to be gone: who forks and ends at once is not seen.
		p.signal(syscall.SIGKILL)
		p.awaitGroup()
		<-p.gone
		p.stdout.endAt(time.Now())
		p.stderr.endAt(time.Now())
	}
}

// signal reaches the whole group, or nobody if there is none any more.
func (p *process) signal(sig syscall.Signal) { _ = syscall.Kill(-p.pid, sig) }

// awaitGroup waits for the end of the group, no longer than the grace, and
// reports whether it came.
func (p *process) awaitGroup() bool {
	const slowest = 50 * time.Millisecond
	until := time.Now().Add(p.grace)
	for pause := time.Millisecond; ; pause = min(2*pause, slowest) {
		// A signal also reaches the dead that nobody has taken note of.
		if syscall.Kill(-p.pid, 0) == syscall.ESRCH || !groupRuns(p.pid) {
			return true
		}
		left := time.Until(until)
		if left <= 0 {
			return false
		}
		<-time.After(min(pause, left))
	}
}

// stop ends the program and returns when its group and our goroutines are
// gone. It is called once.
func (p *process) stop() {
	close(p.closing)
	p.running.Wait()
	closeAll([]*os.File{p.stdout.f, p.stderr.f})
}

// pipes are those of the three standard streams.
type pipes struct {
	ours, theirs [3]*os.File
}

func openPipes() (pipes, error) {
	var p pipes
	for i := range p.ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(p.ours[:i])
			closeAll(p.theirs[:i])
			return pipes{}, err
		}
		p.ours[i], p.theirs[i] = r, w
	}
	p.ours[0], p.theirs[0] = p.theirs[0], p.ours[0]
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // there is nothing in a pipe's end that could be lost
	}
}

// A stream is what a server prints. It can be ended without losing what has
// been printed.
type stream struct {
	f    *os.File
	rest int // bytes read since the end that was set
}

// maxRest is as much as a pipe can hold: who still writes into one whose end
// has come could go on for ever.
const maxRest = 1 << 20

// endAt sets when the stream ends if nobody closes it before. A read that
// waits then returns.
func (s *stream) endAt(t time.Time) {
	// A pipe of os.Pipe has deadlines wherever this file is built.
	_ = s.f.SetReadDeadline(t)
}

// Read reads like a file. When the end that was set has come it goes on with
// what is there, without waiting, to io.EOF. A late reader loses nothing.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.f.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	conn, err := s.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	// The file is open and the function cannot fail.
	_ = conn.Control(func(fd uintptr) {
		for n, err = syscall.Read(int(fd), b); errors.Is(err, syscall.EINTR); {
			n, err = syscall.Read(int(fd), b)
		}
	})
	if n = max(n, 0); n == 0 || s.rest > maxRest {
		return n, io.EOF
	}
	s.rest += n
	return n, nil
}
