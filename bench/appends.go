//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"

	"agsh.dev/bench/internal/durable"
)

// logAppends is how many events a second are durable, for one writer and for
// many, each with a session of its own.
func (b *bench) logAppends(ctx context.Context) (rows []row, err error) {
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	record, err := durable.Record(ctx, dir)
	if err != nil {
		return nil, err
	}
	if path := b.profile("appends"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, f.Close())
		}()
	}
	for _, plan := range []struct {
		writers int
		goal    goal
	}{{1, atLeast(0.8)}, {64, atLeast(0.3)}} {
		ours, floor, err := interleave(ctx, b.appendPairs,
			b.fresh(func(ctx context.Context, dir string) (float64, error) {
				return durable.Log(ctx, dir, plan.writers, b.appendTime)
			}),
			b.fresh(func(ctx context.Context, dir string) (float64, error) {
				return durable.File(ctx, dir, plan.writers, record, b.appendTime)
			}))
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{
			name: fmt.Sprintf("durable appends, %d writers", plan.writers), unit: perSecond, goal: plan.goal, pairs: pairs{ours, floor},
		})
	}
	rows[0].name = "durable appends, 1 writer"
	return rows, nil
}

// fresh gives every measurement an empty directory, and removes it at once:
// the log of a second is big.
func (b *bench) fresh(measure func(context.Context, string) (float64, error)) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		dir, err := b.dir()
		if err != nil {
			return 0, err
		}
		rate, err := measure(ctx, dir)
		if err != nil {
			return 0, err
		}
		return rate, os.RemoveAll(dir)
	}
}
