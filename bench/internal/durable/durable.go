// Package durable measures appends that are on disk before they return: those
// of a session's log, and those of a plain file, which is the floor.
package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agsh.dev/event"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/sqlitestore"
)

// notice is an event of about 300 bytes once it is stored.
var notice = event.Event{Data: event.Notice{Level: "info", Code: "bench", Text: strings.Repeat("all work and no play ", 8)}}

// Log returns how many events a second writers append for d, each to a session
// of its own, to a SQLite store in the empty directory dir.
func Log(ctx context.Context, dir string, writers int, d time.Duration) (rate float64, err error) {
	store, err := sqlitestore.Open(dir, sqlitestore.Config{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	logs := make([]*session.Log, writers)
	for i := range logs {
		id := fmt.Sprintf("ses_%d", i)
		if logs[i], err = session.Create(ctx, session.Config{Store: store}, id, "bench", event.SessionStarted{Agent: "bench"}); err != nil {
			return 0, err
		}
	}
	return measure(ctx, writers, d, func(i int) error {
		_, err := logs[i].Append(ctx, notice)
		return err
	})
}

// Record returns the bytes that a store keeps of one event that [Log] appends.
func Record(ctx context.Context, dir string) (record []byte, err error) {
	store, err := sqlitestore.Open(dir, sqlitestore.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := session.Create(ctx, session.Config{Store: store}, "ses_0", "bench", event.SessionStarted{Agent: "bench"}, notice); err != nil {
		return nil, err
	}
	records, err := store.Read(ctx, "ses_0", 2, 1, 1)
	if err != nil {
		return nil, err
	}
	return append(records[0].Data, '\n'), nil
}

// File returns how many records a second writers append to one file in dir for
// d. A single writer writes and syncs; several share one goroutine that writes
// and syncs for all that wait. The sync is the one the store makes.
func File(ctx context.Context, dir string, writers int, record []byte, d time.Duration) (rate float64, err error) {
	f, err := os.Create(filepath.Join(dir, "floor.log"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if writers == 1 {
		return measure(ctx, 1, d, func(int) error { return write(f, record) })
	}
	queue := make(chan chan error, writers)
	var committer sync.WaitGroup
	committer.Go(func() { commit(f, record, queue) })
	defer committer.Wait()
	defer close(queue)
	return measure(ctx, writers, d, func(int) error {
		done := make(chan error, 1)
		queue <- done
		return <-done
	})
}

// commit writes a record for each of the queue; one sync serves all that wait.
func commit(f *os.File, record []byte, queue <-chan chan error) {
	var buf []byte
	var group []chan error
	for first := range queue {
		buf, group = append(buf[:0], record...), append(group[:0], first)
		for range len(queue) { // nobody else takes from it
			buf, group = append(buf, record...), append(group, <-queue)
		}
		err := write(f, buf)
		for _, done := range group {
			done <- err
		}
	}
}

func write(f *os.File, b []byte) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	return datasync(f)
}

// measure lets n goroutines call do with their number again and again for d
// and returns how many calls a second ended.
func measure(ctx context.Context, n int, d time.Duration, do func(i int) error) (float64, error) {
	var total atomic.Int64
	failed := make(chan error, n)
	var workers sync.WaitGroup
	began := time.Now()
	for i := range n {
		workers.Go(func() {
			for time.Since(began) < d && ctx.Err() == nil {
				if err := do(i); err != nil {
					failed <- err
					return
				}
				total.Add(1)
			}
		})
	}
	workers.Wait()
	elapsed := time.Since(began)
	select {
	case err := <-failed:
		return 0, err
	default:
	}
	return float64(total.Load()) / elapsed.Seconds(), context.Cause(ctx)
}
