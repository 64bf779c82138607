package sqlitestore

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// What a plain file can do with the same bytes is in agsh.dev/bench, in the
// row "durable appends". Compare only within one run.

var notice = event.Notice{Level: "info", Code: "bench", Text: strings.Repeat("x", 180)}

// record is a stored notice of 299 bytes.
func record(seq int64) session.Record {
	head := fmt.Appendf(nil, `{"v":1,"seq":%d,"text":"`, seq)
	return session.Record{Seq: seq, Data: fmt.Appendf(head, `%*s"}`, 297-len(head), "")}
}

func BenchmarkAppend1(b *testing.B) {
	b.Run("store", func(b *testing.B) { storeAppend(b, 1) })
	b.Run("log", func(b *testing.B) { logAppend(b, 1, 1) })
}

func BenchmarkAppend64(b *testing.B) {
	b.Run("store", func(b *testing.B) { storeAppend(b, 64) })
	b.Run("logs", func(b *testing.B) { logAppend(b, 64, 64) })
	b.Run("one-log", func(b *testing.B) { logAppend(b, 1, 64) })
}

// share runs f b.N times by so many goroutines, and reports the rate.
func share(b *testing.B, goroutines int, f func(goroutine int)) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for g := range goroutines {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				f(g)
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "events/s")
}

func storeAppend(b *testing.B, sessions int) {
	s := open(b, b.TempDir(), Config{})
	defer s.Close()
	state := []byte(`{"requested":12,"completed":12}`)
	last := make([]int64, sessions)
	share(b, sessions, func(g int) {
		id := fmt.Sprintf("ses_%026d", g)
		last[g]++
		err := s.Append(b.Context(), session.Batch{
			Session: id, Expect: last[g] - 1,
			Records: []session.Record{record(last[g])},
			Row: session.Row{
				Session: id, Agent: "agent", Owner: "operator", Status: session.Idle, LastSeq: last[g],
				Created: time.UnixMilli(1), Active: time.Now(), State: state,
			},
		})
		if err != nil {
			b.Error(err)
		}
	})
}

func logAppend(b *testing.B, logs, callers int) {
	s := open(b, b.TempDir(), Config{})
	defer s.Close()
	ls := make([]*session.Log, logs)
	for i := range ls {
		ls[i] = start(b, s, fmt.Sprintf("ses_%026d", i))
	}
	share(b, callers, func(g int) {
		if _, err := ls[g%logs].Append(b.Context(), event.Event{Data: notice}); err != nil {
			b.Error(err)
		}
	})
}

func start(t testing.TB, s session.Store, id string) *session.Log {
	t.Helper()
	l, err := session.Create(t.Context(), session.Config{Store: s}, id, "operator", event.SessionStarted{Agent: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// BenchmarkRaw reads 100,000 events that were stored one by one, alone or
// among those of 7 other sessions.
func BenchmarkRaw(b *testing.B) {
	const events = 100_000
	for _, among := range []int64{1, 8} {
		b.Run(fmt.Sprintf("among-%d", among), func(b *testing.B) {
			s := open(b, b.TempDir(), Config{})
			defer s.Close()
			l := start(b, s, "ses")
			fill(b, s, l.State(), events, among)
			l, err := session.Open(b.Context(), session.Config{Store: s}, "ses")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				next := int64(1)
				for {
					records, err := l.Raw(b.Context(), next, 1000)
					if err != nil {
						b.Fatal(err)
					}
					if len(records) == 0 {
						break
					}
					next += int64(len(records))
				}
				if next != events+1 {
					b.Fatalf("read up to event %d", next-1)
				}
			}
			b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// fill appends events to a session as the writer does, but with one commit,
// and leaves as many rows of the log free as others would have taken.
func fill(b *testing.B, s *Store, st session.State, events int, among int64) {
	w := s.writer
	err := w.conn.transaction("BEGIN IMMEDIATE", func() error {
		for st.LastSeq < int64(events) {
			st.LastSeq++
			row, err := st.Row()
			if err != nil {
				return err
			}
			err = w.write(&session.Batch{
				Session: st.Session, Expect: st.LastSeq - 1, Row: row,
				Records: []session.Record{record(st.LastSeq)},
			})
			if err != nil {
				return err
			}
			for range among - 1 {
				if err := w.conn.exec(insertLine, w.nextRow, 0, record(1).Data); err != nil {
					return err
				}
				w.nextRow++
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
