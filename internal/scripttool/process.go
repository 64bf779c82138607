//go:build unix

package scripttool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// A process is one run of a program in a process group of its own.
type process struct {
	path   string
	name   string // argv[0]; path if empty
	args   []string
	dir    string
	env    []string
	stdin  []byte
	temp   string        // where a big stdin is kept
	grace  time.Duration // from TERM to KILL
	linger time.Duration // how long children may keep the pipes open
	maxOut int           // bytes kept of standard output
	maxErr int           // bytes kept of standard error
}

// An outcome is what a finished run left.
type outcome struct {
	stdout, stderr tape
	state          *os.ProcessState
	stopped        bool // from outside, because the context ended
}

// run starts the program, reads what it prints and returns when it and its
// whole group are gone. An error means that it did not start.
//
// os/exec starts, cancels and waits; the pipes are our own, because a reader
// with a deadline is what keeps a grandchild that holds one from holding us.
func (p process) run(ctx context.Context) (outcome, error) {
	// The kernel sends the parent-death signal when the thread that forked
	// ends, so that thread must be ours until the child is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	out := outcome{stdout: newTape(p.maxOut), stderr: newTape(p.maxErr)}
	in, err := input(p.stdin, p.temp)
	if err != nil {
		return outcome{}, err
	}
	defer closeAll(in)
	outR, outW, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer closeAll(outR, outW)
	errR, errW, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer closeAll(errR, errW)

	cmd := exec.CommandContext(ctx, p.path, p.args...)
	if p.name != "" {
		cmd.Args[0] = p.name
	}
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, outW, errW
	cmd.SysProcAttr = ownGroup()
	var killAt time.Time
	cmd.Cancel = func() error {
		killAt = time.Now().Add(p.grace)
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	cmd.WaitDelay = p.grace // then os/exec kills the program; finish sees to the rest
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	closeAll(outW, errW) // the readers see the end once the child has closed its own

	var readers sync.WaitGroup
	readers.Go(func() { out.stdout.drain(outR) })
	readers.Go(func() { out.stderr.drain(errR) })
	_ = cmd.Wait() // the state says all that its error does
	out.state, out.stopped = cmd.ProcessState, !killAt.IsZero()

	until := killAt
	if !out.stopped {
		until = time.Now().Add(p.linger)
	}
	// A pipe of os.Pipe has deadlines wherever this file is built.
	_ = outR.SetReadDeadline(until)
	_ = errR.SetReadDeadline(until)
	readers.Wait()
	if out.stopped {
		awaitGroup(cmd.Process.Pid, killAt)
	}
	// Whoever is left of the group keeps its number taken, and if nobody is
	// the signal goes nowhere.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	// A reader that was late finds its deadline over before it looks at the
	// pipe: what is in there was printed in time.
	out.stdout.rest(outR)
	out.stderr.rest(errR)
	return out, nil
}

// awaitGroup returns when no process of the group runs, or at until.
func awaitGroup(pgid int, until time.Time) {
	const look = 10 // ticks between looks at every process of the machine
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for n := 1; syscall.Kill(-pgid, 0) == nil && time.Now().Before(until); n++ {
		// A signal reaches also the dead that their parent has not taken note
		// of, and where nobody does, they would be waited for in vain.
		if n%look == 0 && !groupRuns(pgid) {
			return
		}
		<-tick.C
	}
}

// closeAll closes files that nothing more is written to; twice does no harm.
func closeAll(files ...io.Closer) {
	for _, f := range files {
		f.Close()
	}
}

// maxRest is as much as a pipe can hold: a process that left the group may
// go on filling it.
const maxRest = 1 << 20

// rest takes what is in the pipe now, without waiting, unless drain has come
// to its end.
func (t *tape) rest(pipe *os.File) {
	if t.ended {
		return
	}
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	// The file is open and the function cannot fail.
	_ = conn.Control(func(fd uintptr) {
		for size := t.size; t.size-size < maxRest; {
			n, err := syscall.Read(int(fd), t.room())
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 {
				return
			}
			t.advance(n)
		}
	})
}

// pipeSafe is how much a new pipe takes without a reader on every system.
const pipeSafe = 4096

// input returns a file that reads as data. Nothing has to feed it while the
// program runs, so a program that never reads cannot make a write fail or
// wait: little goes into a pipe beforehand, more into a file without a name.
func input(data []byte, temp string) (*os.File, error) {
	if len(data) <= pipeSafe {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer closeAll(w)
		if _, err := w.Write(data); err != nil {
			closeAll(r)
			return nil, fmt.Errorf("write arguments: %w", err)
		}
		return r, nil
	}
	f, err := os.CreateTemp(temp, "agent-args-*")
	if err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	_, err = f.Write(data)
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err = errors.Join(err, os.Remove(f.Name())); err != nil {
		closeAll(f)
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	return f, nil
}
