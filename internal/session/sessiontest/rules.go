package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"agsh.dev/internal/session"
)

// start appends the first event of a session that was active at this
// millisecond.
func start(t *testing.T, s session.Store, id string, active int, change ...func(*session.Row)) {
	t.Helper()
	b := batch(id, 0, 1)
	b.Row.Active = epoch.Add(time.Duration(active) * time.Millisecond)
	for _, f := range change {
		f(&b.Row)
	}
	mustAppend(t, s, b)
}

// tombstone deletes a session.
func tombstone(t *testing.T, s session.Store, id string) {
	t.Helper()
	row, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b := batch(id, row.LastSeq, 1)
	b.Purge, b.Row.Status, b.Row.Active = true, session.Deleted, row.Active
	mustAppend(t, s, b)
}

func listOrder(t *testing.T, s session.Store) {
	start(t, s, "old", 1)
	start(t, s, "z-first", 5)
	start(t, s, "a-second", 5)
	start(t, s, "new", 9)
	start(t, s, "other", 10, func(r *session.Row) { r.Agent = "other" })
	wantList(t, s, session.Query{Agent: "agent"}, "new", "a-second", "z-first", "old")
	b := batch("old", 1, 1)
	b.Row.Active = epoch.Add(time.Second)
	mustAppend(t, s, b)
	wantList(t, s, session.Query{Agent: "agent"}, "old", "new", "a-second", "z-first")
	tombstone(t, s, "new")
	wantList(t, s, session.Query{Agent: "agent"}, "old", "a-second", "z-first")
	wantList(t, s, session.Query{Agent: "nobody"})
	wantList(t, s, session.Query{})
}

func listPages(t *testing.T, s session.Store) {
	for i := range 105 {
		start(t, s, fmt.Sprintf("s%03d", i), i/2)
	}
	rows, err := s.List(t.Context(), session.Query{Agent: "agent"})
	if err != nil || len(rows) != 100 {
		t.Fatalf("List without a limit: %d rows, %v, want 100", len(rows), err)
	}
	q := session.Query{Agent: "agent", Limit: 7}
	for want := 104; want >= 0; {
		rows, err := s.List(t.Context(), q)
		if err != nil || len(rows) == 0 || len(rows) > 7 {
			t.Fatalf("List(%+v): %d rows, %v", q, len(rows), err)
		}
		for _, r := range rows {
			if id := fmt.Sprintf("s%03d", want); r.Session != id {
				t.Fatalf("List(%+v): got %s, want %s", q, r.Session, id)
			}
			want--
		}
		q.After = rows[len(rows)-1].Session
	}
	wantList(t, s, q)
}

func listDeleted(t *testing.T, s session.Store) {
	for i := range 6 {
		start(t, s, fmt.Sprintf("s%d", i), i)
	}
	q := session.Query{Agent: "agent", Limit: 2}
	wantList(t, s, q, "s5", "s4")
	tombstone(t, s, "s5")
	tombstone(t, s, "s4")
	q.After = "s4"
	wantList(t, s, q, "s3", "s2")
}

func listOpen(t *testing.T, s session.Store) {
	open := func(r *session.Row) { r.Open = 2 }
	start(t, s, "idle", 1)
	start(t, s, "busy", 2, open)
	start(t, s, "busy elsewhere", 3, open, func(r *session.Row) { r.Agent = "other" })
	start(t, s, "gone", 4, open)
	tombstone(t, s, "gone")
	wantList(t, s, session.Query{Open: true}, "busy elsewhere", "busy")
	wantList(t, s, session.Query{Open: true, Limit: 1}, "busy elsewhere")
	wantList(t, s, session.Query{Open: true, After: "busy elsewhere"}, "busy")
	wantList(t, s, session.Query{Open: true, Agent: "agent"}, "busy")
	mustAppend(t, s, batch("busy", 1, 1))
	wantList(t, s, session.Query{Open: true}, "busy elsewhere")
}

func findToken(t *testing.T, s session.Store) {
	want := func(hash, id string) {
		t.Helper()
		row, err := s.FindToken(t.Context(), hash)
		if id == "" && errors.Is(err, session.ErrNotFound) {
			return
		}
		if err != nil || row.Session != id {
			t.Errorf("FindToken(%q) = %q, %v, want %q", hash, row.Session, err, id)
		}
	}
	token := func(hash string) func(*session.Row) {
		return func(r *session.Row) { r.TokenHash = hash }
	}
	start(t, s, "a", 1, token("one"))
	start(t, s, "b", 2, token("two"))
	start(t, s, "c", 3)
	want("one", "a")
	want("two", "b")
	want("", "")
	b := batch("a", 1, 1)
	b.Row.TokenHash = "three"
	mustAppend(t, s, b)
	want("one", "")
	want("three", "a")
	tombstone(t, s, "a")
	want("three", "")
}

func blobs(t *testing.T, s session.Store) {
	content := map[string][]byte{"aa": []byte("content \x00 of a"), "bb": make([]byte, 1<<20), "cc": {}}
	b := batch("a", 0, 1)
	b.Blobs = content
	mustAppend(t, s, b)
	again := batch("a", 1, 1)
	again.Blobs = map[string][]byte{"aa": content["aa"]}
	mustAppend(t, s, again)
	mustAppend(t, s, batch("b", 0, 1))
	for sum, want := range content {
		if got, err := s.Blob(t.Context(), "a", sum); err != nil || string(got) != string(want) {
			t.Errorf("Blob(a, %s) = %d bytes, %v, want %d bytes", sum, len(got), err, len(want))
		}
		if _, err := s.Blob(t.Context(), "b", sum); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Blob(b, %s) = %v, want ErrNotFound", sum, err)
		}
	}
}

func purge(t *testing.T, s session.Store) {
	// Long enough to be indexed in whatever steps a store has, and with a
	// neighbour that must stay whole.
	for i := range int64(100) {
		b := batch("a", i, 1)
		b.Blobs = map[string][]byte{"aa": []byte("of a")}
		mustAppend(t, s, b)
		if i%5 == 0 {
			n := batch("b", i/5, 1)
			n.Blobs = map[string][]byte{"aa": []byte("of b")}
			mustAppend(t, s, n)
		}
	}
	tombstone(t, s, "a")
	wantRead(t, s, "a", 101, 10, records("a", 101, 101))
	wantRead(t, s, "a", 1, 1000, records("a", 101, 101))
	wantRead(t, s, "a", 1, 1, records("a", 101, 101))
	wantRead(t, s, "a", 102, 1, nil)
	wantRead(t, s, "b", 1, 1000, records("b", 1, 20))
	if _, err := s.Blob(t.Context(), "a", "aa"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Blob of a purged session = %v, want ErrNotFound", err)
	}
	if got, err := s.Blob(t.Context(), "b", "aa"); err != nil || string(got) != "of b" {
		t.Errorf("Blob of its neighbour = %q, %v", got, err)
	}
	if row, err := s.Get(t.Context(), "a"); err != nil || row.Status != session.Deleted || row.LastSeq != 101 {
		t.Errorf("Get of a purged session = %+v, %v, want its tombstone", row, err)
	}
}

func waitPast(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 3))
	for _, after := range []int64{0, 2} {
		if err := s.Wait(t.Context(), "a", after); err != nil {
			t.Errorf("Wait(a, %d) = %v", after, err)
		}
	}
}

func waitWakes(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 1))
	const waiters = 20
	woken := make(chan error, waiters)
	for i := range int64(waiters) {
		// Half of them wait for the event after next.
		go func() { woken <- s.Wait(t.Context(), "a", 1+i%2) }()
	}
	mustAppend(t, s, batch("b", 0, 1))
	mustAppend(t, s, batch("a", 1, 1))
	for range waiters / 2 {
		if err := <-woken; err != nil {
			t.Errorf("Wait = %v", err)
		}
	}
	select {
	case err := <-woken:
		t.Errorf("Wait returned before its event: %v", err)
	default:
	}
	mustAppend(t, s, batch("a", 2, 1))
	for range waiters / 2 {
		if err := <-woken; err != nil {
			t.Errorf("Wait = %v", err)
		}
	}
}

func waitCreated(t *testing.T, s session.Store) {
	woken := make(chan error)
	go func() { woken <- s.Wait(t.Context(), "a", 0) }()
	mustAppend(t, s, batch("a", 0, 1))
	if err := <-woken; err != nil {
		t.Errorf("Wait = %v", err)
	}
}

func waitContext(t *testing.T, s session.Store) {
	mustAppend(t, s, batch("a", 0, 1))
	ctx, cancel := context.WithCancel(t.Context())
	woken := make(chan error)
	go func() { woken <- s.Wait(ctx, "a", 1) }()
	cancel()
	if err := <-woken; !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v, want context.Canceled", err)
	}
}

func waitThenRead(t *testing.T, s session.Store) {
	const events = 200
	followed := make(chan error)
	go func() {
		for next := int64(1); next <= events; next++ {
			if err := s.Wait(t.Context(), "a", next-1); err != nil {
				followed <- err
				return
			}
			got, err := s.Read(t.Context(), "a", next, 1, 1)
			if err == nil && (len(got) != 1 || got[0].Seq != next) {
				err = fmt.Errorf("event %d was announced, and read as %v", next, got)
			}
			if err != nil {
				followed <- err
				return
			}
		}
		followed <- nil
	}()
	for i := range int64(events) {
		mustAppend(t, s, batch("a", i, 1))
	}
	if err := <-followed; err != nil {
		t.Error(err)
	}
}
