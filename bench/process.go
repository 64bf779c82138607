//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// command prepares a program that is asked to end when ctx does, and made to
// five seconds later.
func command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	// What configures the caller's own agsh or server stays out of it.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "AGENT_S")
	})
	return cmd
}

// A program is a command line, and a file for its standard input or "".
type program struct {
	path  string
	args  []string
	stdin string
}

// command prepares p with its standard input, which done closes.
func (p program) command(ctx context.Context) (cmd *exec.Cmd, done func(), err error) {
	cmd = command(ctx, p.path, p.args...)
	if p.stdin == "" {
		return cmd, func() {}, nil
	}
	f, err := os.Open(p.stdin)
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdin = f
	return cmd, func() { _ = f.Close() }, nil
}

// time runs p once and returns the seconds from its start to its end. What it
// prints is dropped.
func (p program) time(ctx context.Context) (float64, error) {
	cmd, done, err := p.command(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	err = cmd.Run()
	wall := time.Since(began)
	if err != nil {
		return 0, p.failed(err, said.String())
	}
	return wall.Seconds(), nil
}

// output runs p once and returns what it prints.
func (p program) output(ctx context.Context) (string, error) {
	cmd, done, err := p.command(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", p.failed(err, string(exit.Stderr))
	}
	return string(out), err
}

func (p program) failed(err error, said string) error {
	return fmt.Errorf("%s %s: %w: %s", p.path, strings.Join(p.args, " "), err, strings.TrimSpace(said))
}

// batch runs p and q n times each, in turns, and returns the median seconds of
// both: one such program is over too soon for a single run to say much.
func batch(ctx context.Context, n int, p, q program) (ours, floor float64, err error) {
	a, b, err := interleave(ctx, n, p.time, q.time)
	return spreadOf(a).median, spreadOf(b).median, err
}

// batches measures pairs of programs that are over in milliseconds.
func (b *bench) batches(ctx context.Context, ours, floor program) (pairs, error) {
	var p pairs
	for range b.batchPairs {
		o, f, err := batch(ctx, b.batch, ours, floor)
		if err != nil {
			return p, err
		}
		p.ours, p.floor = append(p.ours, o), append(p.floor, f)
	}
	return p, nil
}

// peak runs p once and returns the most bytes it had resident.
func (b *bench) peak(p program) func(ctx context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		out, err := program{path: b.floor("peak"), args: append([]string{p.path}, p.args...)}.output(ctx)
		if err != nil {
			return 0, err
		}
		kib, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
		return kib * 1024, err
	}
}
