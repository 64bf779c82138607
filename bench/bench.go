//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bench is one run of this program.
type bench struct {
	effort
	profiles string // directory; "" makes none
	progress io.Writer

	machine string // one line
	bin     string // our programs
	floors  string // the programs of the bench
	tmp     string
}

// An effort is how much is measured.
type effort struct {
	batchPairs, batch int           // of runs of short programs: pairs, and runs in each
	scriptPairs       int           // pairs of 1,000 calls by one client
	loadPairs         int           // pairs of load on a server
	warm, loadTime    time.Duration // of one load
	appendPairs       int           // pairs of appends
	appendTime        time.Duration // of one
	startPairs        int           // pairs of server starts
	growthA, growthB  int           // calls after which memory is compared
	growthConnections int
}

var (
	full = effort{
		batchPairs: 15, batch: 10, scriptPairs: 7, loadPairs: 5, warm: 300 * time.Millisecond, loadTime: time.Second,
		appendPairs: 7, appendTime: time.Second, startPairs: 15, growthA: 100_000, growthB: 300_000, growthConnections: 16,
	}
	rough = effort{
		batchPairs: 5, batch: 6, scriptPairs: 3, loadPairs: 3, warm: 100 * time.Millisecond, loadTime: 400 * time.Millisecond,
		appendPairs: 3, appendTime: 400 * time.Millisecond, startPairs: 5, growthA: 30_000, growthB: 60_000, growthConnections: 16,
	}
)

// groups are what can be measured on its own, in the order of the table.
var groups = []struct {
	name    string
	measure func(*bench, context.Context) ([]row, error)
}{
	{"version", (*bench).version},
	{"oneshot", (*bench).oneshot},
	{"script", (*bench).script},
	{"calls", (*bench).calls},
	{"exec", (*bench).exec},
	{"appends", (*bench).logAppends},
	{"start", (*bench).start},
	{"memory", (*bench).memory},
	{"connection", (*bench).connection},
	{"peers", (*bench).peers},
}

func names() []string {
	var all []string
	for _, g := range groups {
		all = append(all, g.name)
	}
	return all
}

// run measures the groups that are named, or all. The rows of those that could
// be measured are returned, and the errors of the others.
func (b *bench) run(ctx context.Context, only []string) (rows []row, failures []error, err error) {
	if b.tmp, err = os.MkdirTemp("", "agsh-bench-"); err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.tmp)) }()
	if err := b.prepare(ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the bench did not end within %s", limit))
	defer cancel()
	for _, g := range groups {
		if len(only) > 0 && !slices.Contains(only, g.name) {
			continue
		}
		fmt.Fprintf(b.progress, "bench: %s\n", g.name)
		measured, err := g.measure(b, ctx)
		rows = append(rows, measured...)
		if ctx.Err() != nil {
			return rows, failures, fmt.Errorf("%s: %w", g.name, context.Cause(ctx))
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s could not be measured: %w", g.name, err))
		}
	}
	return rows, failures, nil
}

// prepare finds our programs and builds those of the bench the same way.
func (b *bench) prepare(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		return fmt.Errorf("find the module: run the bench in a checkout of it: %w", err)
	}
	b.bin, b.floors = filepath.Join(root, "bin"), filepath.Join(b.tmp, "floors")
	for _, program := range []string{"agsh", "agent-sdk"} {
		if _, err := os.Stat(filepath.Join(b.bin, program)); err != nil {
			return fmt.Errorf("find %s: %w; run make build", program, err)
		}
	}
	if b.profiles != "" {
		if b.profiles, err = filepath.Abs(b.profiles); err != nil {
			return err
		}
		if err := os.MkdirAll(b.profiles, 0o755); err != nil {
			return err
		}
	}
	b.machine = machine(b.tmp)
	fmt.Fprintln(b.progress, "bench: building the floors")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.floors+string(filepath.Separator),
		"./bench/agent", "./bench/peak", "./bench/floor/...")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the floors: %w\n%s", err, out)
	}
	return nil
}

// dir makes an empty directory that lives as long as the bench.
func (b *bench) dir() (string, error) { return os.MkdirTemp(b.tmp, "data-") }

func (b *bench) ours(name string) string  { return filepath.Join(b.bin, name) }
func (b *bench) floor(name string) string { return filepath.Join(b.floors, name) }

// profile is where a group's CPU profile goes, or "".
func (b *bench) profile(group string) string {
	if b.profiles == "" {
		return ""
	}
	return filepath.Join(b.profiles, group+".pprof")
}
