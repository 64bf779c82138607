// Package sessiontest checks that a session.Store keeps its contract.
package sessiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// Run checks every rule of the Store contract. Open returns a new, empty
// store each time; Run closes it.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	rules := []struct {
		name  string
		check func(t *testing.T, s session.Store)
	}{
		{"append then read gives the records back", readBack},
		{"read takes a range", readRange},
		{"read of a batch in many rows", readMany},
		{"read ends with the record that brings it to its size", readSize},
		{"a session that never was is not found", notFound},
		{"a batch with another expectation is a conflict and stores nothing", conflict},
		{"a malformed batch is refused", malformed},
		{"the row is replaced with the append", rowReplaced},
		{"a context that has ended appends nothing", endedContext},
		{"of many writers of one event one wins", race},
		{"64 writers of 64 sessions", manySessions},
		{"list orders by activity, then by creation", listOrder},
		{"list pages", listPages},
		{"list pages over what is deleted meanwhile", listDeleted},
		{"list open calls of every agent", listOpen},
		{"find token follows the rotation", findToken},
		{"blobs belong to their session", blobs},
		{"purge leaves the tombstone only", purge},
		{"wait returns for what is there", waitPast},
		{"wait wakes on append", waitWakes},
		{"wait waits for a session to be created", waitCreated},
		{"wait ends with its context", waitContext},
		{"what wait announces can be read", waitThenRead},
		{"close ends waits and refuses calls", closes},
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			r.check(t, s)
		})
	}
}

// epoch is when the events of these tests begin.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

// batch is n events of session behind seq expect, with a row that fits.
func batch(id string, expect int64, n int) session.Batch {
	b := session.Batch{Session: id, Expect: expect}
	for i := range n {
		seq := expect + 1 + int64(i)
		b.Records = append(b.Records, session.Record{Seq: seq, Data: record(id, seq)})
	}
	last := expect + int64(n)
	b.Row = session.Row{
		Session: id, Agent: "agent", Owner: "ann", Status: session.Idle, LastSeq: last,
		Created: epoch, Active: epoch.Add(time.Duration(last) * time.Millisecond), State: []byte("{}"),
	}
	return b
}

func record(id string, seq int64) []byte {
	return fmt.Appendf(nil, `{"v":1,"seq":%d,"data":{"text":"of %s"}}`, seq, id)
}

func records(id string, from, to int64) []session.Record {
	var rs []session.Record
	for seq := from; seq <= to; seq++ {
		rs = append(rs, session.Record{Seq: seq, Data: record(id, seq)})
	}
	return rs
}

func mustAppend(t *testing.T, s session.Store, b session.Batch) {
	t.Helper()
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatalf("Append to %s after %d: %v", b.Session, b.Expect, err)
	}
}

// wantRead checks what Read(from, limit) returns.
func wantRead(t *testing.T, s session.Store, id string, from int64, limit int, want []session.Record) {
	t.Helper()
	got, err := s.Read(t.Context(), id, from, limit, 1<<30)
	if err != nil {
		t.Fatalf("Read(%s, %d, %d): %v", id, from, limit, err)
	}
	if d := diff(want, got); d != "" {
		t.Errorf("Read(%s, %d, %d) (-want +got):\n%s", id, from, limit, d)
	}
}

// diff is cmp.Diff, which takes long to find out that nothing differs.
func diff(want, got []session.Record) string {
	same := func(a, b session.Record) bool { return a.Seq == b.Seq && bytes.Equal(a.Data, b.Data) }
	if slices.EqualFunc(want, got, same) {
		return ""
	}
	return cmp.Diff(want, got)
}

func wantList(t *testing.T, s session.Store, q session.Query, want ...string) {
	t.Helper()
	rows, err := s.List(t.Context(), q)
	if err != nil {
		t.Fatalf("List(%+v): %v", q, err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Session)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("List(%+v) (-want +got):\n%s", q, d)
	}
}

func readBack(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 3))
	mustAppend(t, s, batch("b", 0, 1))
	mustAppend(t, s, batch("a", 3, 1))
	wantRead(t, s, "a", 1, 100, records("a", 1, 4))
	wantRead(t, s, "b", 1, 100, records("b", 1, 1))
}

func readRange(t *testing.T, s session.Store) {
	// Appends of several sizes, with another session's between them, so that
	// ranges begin and end in the middle of whatever a store groups.
	last := int64(0)
	for i := range 150 {
		n := 1 + i%4
		mustAppend(t, s, batch("a", last, n))
		last += int64(n)
		if i%3 == 0 {
			mustAppend(t, s, batch("b", int64(i/3), 1))
		}
	}
	for from := int64(-1); from <= last+2; from += 7 {
		for _, limit := range []int{0, 1, 5, 64, 1000} {
			to := min(last, max(from, 1)+int64(limit)-1)
			wantRead(t, s, "a", from, limit, records("a", max(from, 1), to))
		}
	}
}

func readMany(t *testing.T, s session.Store) {
	b := batch("a", 0, 40)
	for i := range b.Records {
		b.Records[i].Data = fmt.Appendf(nil, `{"v":1,"seq":%d,"pad":"%0*d"}`, i+1, 5000*(i%3), i)
	}
	mustAppend(t, s, b)
	wantRead(t, s, "a", 1, 100, b.Records)
	wantRead(t, s, "a", 17, 9, b.Records[16:25])
}

func readSize(t *testing.T, s session.Store) {
	// Several records to an append, and one append with many bytes.
	for i := range int64(5) {
		mustAppend(t, s, batch("a", 4*i, 4))
	}
	b := batch("a", 20, 20)
	for i := range b.Records {
		b.Records[i].Data = fmt.Appendf(nil, `{"v":1,"seq":%d,"pad":"%05000d"}`, b.Records[i].Seq, 0)
	}
	mustAppend(t, s, b)
	all := append(records("a", 1, 20), b.Records...)
	for _, size := range []int{-1, 0, 1, 100, 500, 20_000, 90_000, 1 << 20} {
		for from := int64(1); from <= 40; from += 3 {
			var want []session.Record
			for left := size; left > 0 && int(from)+len(want) <= len(all); {
				r := all[int(from)+len(want)-1]
				want, left = append(want, r), left-len(r.Data)
			}
			got, err := s.Read(t.Context(), "a", from, 1000, size)
			if err != nil || len(got) != len(want) {
				t.Fatalf("Read(%d, size %d) = %d records, %v, want %d", from, size, len(got), err, len(want))
			}
			if d := diff(want, got); d != "" {
				t.Errorf("Read(%d, size %d) (-want +got):\n%s", from, size, d)
			}
		}
	}
}

func notFound(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 1))
	ctx := t.Context()
	_, read := s.Read(ctx, "x", 1, 1, 1)
	_, get := s.Get(ctx, "x")
	_, token := s.FindToken(ctx, "x")
	_, noToken := s.FindToken(ctx, "")
	_, blob := s.Blob(ctx, "x", "00")
	_, noBlob := s.Blob(ctx, "a", "00")
	_, after := s.List(ctx, session.Query{Agent: "agent", After: "x"})
	for call, err := range map[string]error{
		"Read": read, "Get": get, "FindToken": token, "FindToken of nothing": noToken,
		"Blob": blob, "Blob of a session without it": noBlob, "List after": after,
	} {
		if !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s = %v, want ErrNotFound", call, err)
		}
	}
}

func conflict(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 2))
	before, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, expect := range []int64{0, 1, 3} {
		b := batch("a", expect, 2)
		if expect == 1 {
			b = batch("a", expect, 1)
			b.Purge, b.Row.Status = true, session.Deleted
		}
		b.Blobs = map[string][]byte{"ab": []byte("x")}
		var c *session.ConflictError
		if err := s.Append(t.Context(), b); !errors.As(err, &c) {
			t.Fatalf("Append after %d = %v, want a ConflictError", expect, err)
		}
		if want := (session.ConflictError{Session: "a", Expect: expect, Last: 2}); *c != want {
			t.Errorf("Append after %d: got %+v, want %+v", expect, *c, want)
		}
	}
	wantRead(t, s, "a", 1, 10, records("a", 1, 2))
	if after, err := s.Get(t.Context(), "a"); err != nil || !cmp.Equal(before, after) {
		t.Errorf("Get after conflicts: %v %s", err, cmp.Diff(before, after))
	}
	if _, err := s.Blob(t.Context(), "a", "ab"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Blob of a refused batch = %v, want ErrNotFound", err)
	}
}

func malformed(t *testing.T, s session.Store) {
	for name, spoil := range map[string]func(*session.Batch){
		"no session":                func(b *session.Batch) { b.Session = "" },
		"no records":                func(b *session.Batch) { b.Records = nil },
		"gap":                       func(b *session.Batch) { b.Records[1].Seq++ },
		"empty record":              func(b *session.Batch) { b.Records[1].Data = nil },
		"two lines":                 func(b *session.Batch) { b.Records[1].Data = append(record("a", 2), '\n') },
		"too big":                   func(b *session.Batch) { b.Records[1].Data = append(record("a", 2), make([]byte, event.MaxSize)...) },
		"record of another number":  func(b *session.Batch) { b.Records[1].Data = record("a", 1) },
		"no event":                  func(b *session.Batch) { b.Records[1].Data = []byte("{}") },
		"row of another":            func(b *session.Batch) { b.Row.Session = "b" },
		"row falls behind":          func(b *session.Batch) { b.Row.LastSeq-- },
		"row runs ahead":            func(b *session.Batch) { b.Row.LastSeq++ },
		"purge of a living session": func(b *session.Batch) { b.Purge = true },
		"deleted without a purge":   func(b *session.Batch) { b.Row.Status = session.Deleted },
		"records run ahead":         func(b *session.Batch) { b.Expect++; b.Row.LastSeq++ },
	} {
		b := batch("a", 0, 2)
		spoil(&b)
		if err := s.Append(t.Context(), b); err == nil {
			t.Errorf("%s: Append = nil, want an error", name)
		}
	}
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Get after refused batches = %v, want ErrNotFound", err)
	}
}

func rowReplaced(t *testing.T, s session.Store) {
	b := batch("a", 0, 1)
	mustAppend(t, s, b)
	next := batch("a", 1, 1)
	next.Row.Agent, next.Row.Owner, next.Row.TokenHash = "other", "bob", "h"
	next.Row.Open, next.Row.State = 3, []byte(`{"scratch":true}`)
	for _, want := range []session.Batch{b, next} {
		if want.Expect > 0 {
			mustAppend(t, s, want)
		}
		got, err := s.Get(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Row, got); d != "" {
			t.Errorf("Get (-want +got):\n%s", d)
		}
	}
	wantList(t, s, session.Query{Agent: "agent"})
	wantList(t, s, session.Query{Agent: "other"}, "a")
}

func endedContext(t *testing.T, s session.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Append(ctx, batch("a", 0, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Append = %v, want context.Canceled", err)
	}
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Get = %v, want ErrNotFound", err)
	}
	if _, err := s.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("Get with an ended context = %v, want context.Canceled", err)
	}
}

func race(t *testing.T, s session.Store) {
	const writers, rounds = 16, 8
	for round := range int64(rounds) {
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				switch err := s.Append(t.Context(), batch("a", round, 1)); {
				case err == nil:
					won.Add(1)
				case errors.As(err, new(*session.ConflictError)):
					lost.Add(1)
				default:
					t.Errorf("Append: %v", err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != writers-1 {
			t.Fatalf("round %d: %d won and %d lost, want 1 and %d", round, won.Load(), lost.Load(), writers-1)
		}
	}
	wantRead(t, s, "a", 1, 100, records("a", 1, rounds))
}

func manySessions(t *testing.T, s session.Store) {
	const sessions, appends = 64, 40
	var wg sync.WaitGroup
	for i := range sessions {
		id := fmt.Sprintf("s%02d", i)
		wg.Go(func() {
			last := int64(0)
			for n := range appends {
				b := batch(id, last, 1+n%3)
				if err := s.Append(t.Context(), b); err != nil {
					t.Errorf("Append to %s: %v", id, err)
					return
				}
				last = b.Row.LastSeq
				// A refused batch must not take others down with it.
				if err := s.Append(t.Context(), batch(id, last+1, 1)); !errors.As(err, new(*session.ConflictError)) {
					t.Errorf("Append to %s = %v, want a conflict", id, err)
				}
			}
		})
	}
	wg.Wait()
	for i := range sessions {
		id := fmt.Sprintf("s%02d", i)
		row, err := s.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		wantRead(t, s, id, 1, 1000, records(id, 1, row.LastSeq))
	}
}

func closes(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 1))
	waited := make(chan error)
	go func() { waited <- s.Wait(t.Context(), "a", 1) }()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	ctx := t.Context()
	_, read := s.Read(ctx, "a", 1, 1, 1)
	_, get := s.Get(ctx, "a")
	_, list := s.List(ctx, session.Query{Agent: "agent"})
	_, token := s.FindToken(ctx, "h")
	_, blob := s.Blob(ctx, "a", "00")
	for call, err := range map[string]error{
		"Append": s.Append(ctx, batch("a", 1, 1)), "Read": read, "Get": get, "List": list,
		"FindToken": token, "Blob": blob, "Wait": s.Wait(ctx, "a", 0), "Wait before": <-waited,
	} {
		if !errors.Is(err, session.ErrClosed) {
			t.Errorf("%s after Close = %v, want ErrClosed", call, err)
		}
	}
}
