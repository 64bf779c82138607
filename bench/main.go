//go:build unix

// Bench measures agsh and agent-sdk against floors: the least programs that do
// the same work. Ours and the floor run in turns, so that what the machine does
// meanwhile hits both, and what counts is their ratio.
//
//	make bench                     every row
//	make bench BENCH=--quick       the same in less than a minute, rougher
//	go run ./bench oneshot calls   some rows, with the programs in ./bin as they are
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// limit bounds a run, so that a program that hangs cannot hang the bench.
const limit = 8 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr) //nolint:forbidigo // a main program
	stop()
	os.Exit(code) //nolint:forbidigo // a main program
}

// run returns the exit code: 0 when every row could be measured, whatever the
// figures are. What it started and made is gone by then.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	quick := fs.Bool("quick", false, "fewer and shorter measurements")
	profiles := fs.String("profile", "", "`directory` for CPU profiles of the server and the appends")
	fs.Usage = func() {
		fmt.Fprintf(stderr, "usage: go run ./bench [flags] [row…]\n\nrows: %s\n\nflags:\n", strings.Join(names(), " "))
		fs.PrintDefaults()
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	for _, name := range fs.Args() {
		if !slices.Contains(names(), name) {
			fmt.Fprintf(stderr, "bench: no row %q; the rows are %s\n", name, strings.Join(names(), ", "))
			return 2
		}
	}
	e := full
	if *quick {
		e = rough
	}
	b := &bench{effort: e, profiles: *profiles, progress: stderr}
	rows, failures, err := b.run(ctx, fs.Args())
	if len(rows) > 0 {
		fmt.Fprintf(stdout, "%s\n\n%s\n%s", b.machine, table(rows), legend)
	}
	if err != nil {
		failures = append(failures, err)
	}
	for _, f := range failures {
		fmt.Fprintf(stderr, "bench: %v\n", f)
	}
	switch {
	case ctx.Err() != nil:
		return 130
	case len(failures) > 0:
		return 1
	}
	return 0
}
