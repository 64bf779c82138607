//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"agsh.dev/bench/internal/connection"
)

// connection is how many calls go through a connection to an MCP server on
// standard streams. The floor is the SDK's client with the same server.
func (b *bench) connection(ctx context.Context) (rows []row, err error) {
	ours := connection.Ours(b.floor("echo"), b.tmp, os.Getenv) //nolint:forbidigo // a main program
	defer func() { err = errors.Join(err, ours.Close()) }()
	floor, err := connection.SDK(ctx, command(ctx, b.floor("echo")))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, floor.Close()) }()
	for _, n := range []int{1, 16} {
		measure := func(call func(context.Context) error) func(context.Context) (float64, error) {
			return func(ctx context.Context) (float64, error) {
				if _, err := callRate(ctx, n, b.warm, call); err != nil {
					return 0, err
				}
				return callRate(ctx, n, b.loadTime, call)
			}
		}
		o, f, err := interleave(ctx, b.loadPairs, measure(ours.Call), measure(floor.Call))
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{name: fmt.Sprintf("calls of an MCP server, %d at once", n), unit: perSecond, pairs: pairs{o, f}, goal: atLeast(0.8)})
	}
	return rows, nil
}

// callRate is how many calls n callers make in a second, measured for d.
func callRate(ctx context.Context, n int, d time.Duration, call func(context.Context) error) (float64, error) {
	var calls atomic.Int64
	failures := make([]error, n)
	var callers sync.WaitGroup
	began := time.Now()
	for i := range n {
		callers.Go(func() {
			for time.Since(began) < d {
				if failures[i] = call(ctx); failures[i] != nil {
					return
				}
				calls.Add(1)
			}
		})
	}
	callers.Wait()
	return float64(calls.Load()) / time.Since(began).Seconds(), errors.Join(failures...)
}
