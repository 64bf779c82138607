package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agsh.dev/event"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
	"agsh.dev/internal/session/sqlitestore"
)

// overStores runs a test over every store.
func overStores(t *testing.T, f func(t *testing.T, cfg session.Config)) {
	for name, open := range map[string]func() (session.Store, error){
		"memory": func() (session.Store, error) { return memstore.New(), nil },
		"sqlite": func() (session.Store, error) { return sqlitestore.Open(t.TempDir(), sqlitestore.Config{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			f(t, session.Config{Store: s})
		})
	}
}

func create(t *testing.T, cfg session.Config, more ...event.Event) *session.Log {
	t.Helper()
	l, err := session.Create(t.Context(), cfg, "ses", "ann", event.SessionStarted{Agent: "a", TokenHash: "secret"}, more...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func notice(format string, args ...any) event.Event {
	return event.Event{Data: event.Notice{Level: "info", Text: fmt.Sprintf(format, args...)}}
}

// collect reads the whole log, checks that it is gapless and folds it.
func collect(t testing.TB, l *session.Log) ([]event.Event, session.State) {
	t.Helper()
	var events []event.Event
	folded := session.State{Session: l.ID()}
	for e, err := range l.Events(t.Context(), 1) {
		if err == nil {
			err = folded.Apply(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events, folded
}

func TestLogAppendsAndReopens(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		cfg.Now = func() time.Time { return epoch.Add(123456) }
		n := 0
		cfg.NewID = func(prefix string) string { n++; return fmt.Sprint(prefix, n) }
		l := create(t, cfg, notice("more"))
		got, err := l.Append(t.Context(), notice("a"), event.Event{By: "bob", Turn: "turn_1", Data: event.ToolRequested{CallID: "1", Name: "Read", Args: []byte(`{"a":1.0}`)}})
		if err != nil {
			t.Fatal(err)
		}
		all, folded := collect(t, l)
		if d := cmp.Diff(got, all[2:], cmp.AllowUnexported(event.Event{}), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "kind" }, cmp.Ignore())); d != "" {
			t.Errorf("appended and read (-want +got):\n%s", d)
		}
		for i, e := range all {
			if e.Seq != int64(i+1) || e.ID != fmt.Sprint("evt_", i+1) || !e.At.Equal(epoch) {
				t.Errorf("event %d has seq %d, id %s, time %v", i+1, e.Seq, e.ID, e.At)
			}
		}
		again, err := session.Open(t.Context(), cfg, "ses")
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]session.State{"reopened": again.State(), "folded": folded} {
			if d := cmp.Diff(l.State(), s); d != "" {
				t.Errorf("%s state (-want +got):\n%s", name, d)
			}
		}
		if _, err := session.Create(t.Context(), cfg, "ses", "ann", event.SessionStarted{Agent: "a"}); !errors.As(err, new(*session.ConflictError)) {
			t.Errorf("Create of a session that is there = %v, want a ConflictError", err)
		}
		if _, err := session.Open(t.Context(), cfg, "nobody"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Open = %v, want ErrNotFound", err)
		}
	})
}

func TestLogRefusesOneCallAndStoresTheOthers(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		l := create(t, cfg)
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				var err error
				if i%4 == 0 {
					_, err = l.Append(t.Context(), notice("half"), event.Event{Data: event.ToolCompleted{CallID: "none"}})
				} else {
					_, err = l.Append(t.Context(), notice("first"), notice("second"))
				}
				if (err != nil) != (i%4 == 0) {
					t.Errorf("Append %d = %v", i, err)
				}
			})
		}
		wg.Wait()
		events, folded := collect(t, l)
		if len(events) != 1+48*2 {
			t.Errorf("%d events, want 97", len(events))
		}
		for i := 1; i+1 < len(events); i += 2 {
			a, b := events[i].Data.(event.Notice).Text, events[i+1].Data.(event.Notice).Text
			if a != "first" || b != "second" {
				t.Fatalf("events %d and %d are %q and %q: a call was torn apart", i+1, i+2, a, b)
			}
		}
		if d := cmp.Diff(folded, l.State()); d != "" {
			t.Errorf("state (-folded +log):\n%s", d)
		}
	})
}

func TestLogSharesCommits(t *testing.T) {
	s := &gate{Store: memstore.New(), hold: make(chan struct{})}
	l := create(t, session.Config{Store: s})
	s.on.Store(true)
	var wg sync.WaitGroup
	appendOne := func() {
		wg.Go(func() {
			if _, err := l.Append(t.Context(), notice("x")); err != nil {
				t.Error(err)
			}
		})
	}
	appendOne()
	s.hold <- struct{}{} // the first commit is under way
	for range 50 {
		appendOne()
	}
	s.on.Store(false)
	s.hold <- struct{}{}
	wg.Wait()
	if got := l.State().LastSeq; got != 52 {
		t.Errorf("last event %d, want 52", got)
	}
}

// A gate stops an append twice: when it arrives and before it goes on.
type gate struct {
	session.Store
	on   atomic.Bool
	hold chan struct{}
}

func (g *gate) Append(ctx context.Context, b session.Batch) error {
	if g.on.Load() {
		<-g.hold
		<-g.hold
	}
	return g.Store.Append(ctx, b)
}

func TestLogDoesNotAbandonWhatIsQueued(t *testing.T) {
	s := &gate{Store: memstore.New(), hold: make(chan struct{})}
	l := create(t, session.Config{Store: s})
	s.on.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := l.Append(ctx, notice("x")); done <- err }()
	s.hold <- struct{}{}
	cancel()
	s.hold <- struct{}{}
	if err := <-done; err != nil {
		t.Errorf("Append = %v, want nil: it was queued before its context ended", err)
	}
	if _, err := l.Append(ctx, notice("y")); !errors.Is(err, context.Canceled) {
		t.Errorf("Append = %v, want context.Canceled", err)
	}
	if got := l.State().LastSeq; got != 2 {
		t.Errorf("last event %d, want 2", got)
	}
}

// A faulty store fails appends on demand, before or after they are stored.
type faulty struct {
	session.Store
	before, after atomic.Bool
}

var errDisk = errors.New("disk trouble")

func (f *faulty) Append(ctx context.Context, b session.Batch) error {
	if f.before.Swap(false) {
		return errDisk
	}
	err := f.Store.Append(ctx, b)
	if f.after.Swap(false) {
		return errDisk
	}
	return err
}

func TestLogGoesOnAfterAFailedCommit(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		f := &faulty{Store: cfg.Store}
		cfg.Store = f
		l := create(t, cfg)
		f.before.Store(true)
		if _, err := l.Append(t.Context(), notice("lost")); !errors.Is(err, errDisk) {
			t.Errorf("Append = %v, want the store's error", err)
		}
		if got := l.State().LastSeq; got != 1 {
			t.Errorf("last event %d after a lost commit, want 1", got)
		}
		f.after.Store(true)
		if _, err := l.Append(t.Context(), notice("kept")); !errors.Is(err, errDisk) {
			t.Errorf("Append = %v, want the store's error", err)
		}
		if got := l.State().LastSeq; got != 2 {
			t.Errorf("last event %d after a commit that was stored, want 2", got)
		}
		got, err := l.Append(t.Context(), notice("next"))
		if err != nil || got[0].Seq != 3 {
			t.Errorf("Append = %v, %v, want event 3", got, err)
		}
	})
}

func TestR29_ASecondWriterGetsAConflictAndNumbersStayUnique(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		one := create(t, cfg)
		two, err := session.Open(t.Context(), cfg, "ses")
		if err != nil {
			t.Fatal(err)
		}
		var stored atomic.Int64
		var wg sync.WaitGroup
		for _, l := range []*session.Log{one, two} {
			wg.Go(func() {
				for range 50 {
					_, err := l.Append(t.Context(), notice("x"))
					if err == nil {
						stored.Add(1)
					} else if !errors.As(err, new(*session.ConflictError)) {
						t.Errorf("Append = %v, want nil or a conflict", err)
					}
				}
			})
		}
		wg.Wait()
		events, _ := collect(t, one)
		if int64(len(events)) != stored.Load()+1 {
			t.Errorf("%d events, want the %d that were acknowledged", len(events), stored.Load()+1)
		}
	})
}

func TestLogKeepsBigContentBesideTheLog(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		l := create(t, cfg)
		// A text that looks like the reference to a blob must not pass for one.
		trap := `,"blob":{"sha256":"` + strings.Repeat("a", 64) + `","size":1}}`
		texts := []string{strings.Repeat("<x>", 30<<10), trap, strings.Repeat("y", 5<<20), strings.Repeat("z", 64<<10-300)}
		for _, text := range texts {
			if _, err := l.Append(t.Context(), event.Event{Turn: `,"data":`, Data: event.Notice{Text: text}}); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := cfg.Store.Read(t.Context(), "ses", 1, 100, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range stored {
			if len(r.Data) > 64<<10 {
				t.Errorf("event %d takes %d bytes in the log, want at most 64 KiB", r.Seq, len(r.Data))
			}
		}
		events, _ := collect(t, l)
		raw := readRaw(t, l)
		for i, text := range texts {
			var e event.Event
			if err := e.UnmarshalJSON(raw[i+1].Data); err != nil {
				t.Fatal(err)
			}
			for how, e := range map[string]event.Event{"Events": events[i+1], "Raw": e} {
				if n, ok := e.Data.(event.Notice); !ok || n.Text != text || e.Blob != nil || e.Turn != `,"data":` {
					t.Errorf("%s: event %d came back different", how, e.Seq)
				}
			}
		}
		if _, err := l.Append(t.Context(), event.Event{Turn: strings.Repeat("t", event.MaxSize), Data: event.Notice{}}); err == nil {
			t.Error("an envelope over event.MaxSize was accepted")
		}
	})
}

// readRaw reads the whole log by Raw.
func readRaw(t *testing.T, l *session.Log) []session.Record {
	t.Helper()
	var all []session.Record
	for {
		records, err := l.Raw(t.Context(), int64(len(all)+1), 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) == 0 {
			return all
		}
		all = append(all, records...)
	}
}

func TestLogRawServesWhatWasStoredButTheTokenHash(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		l := create(t, cfg, notice(`the word "tokenHash" in a text`), notice("c"), notice("d"))
		stored, err := cfg.Store.Read(t.Context(), "ses", 1, 100, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		raw := readRaw(t, l)
		if d := cmp.Diff(stored[1:], raw[1:]); d != "" {
			t.Errorf("Raw (-stored +raw):\n%s", d)
		}
		if strings.Contains(string(raw[0].Data), "secret") || !strings.Contains(string(stored[0].Data), "secret") {
			t.Errorf("Raw gives %s for %s", raw[0].Data, stored[0].Data)
		}
		for from, want := range map[int64]int64{0: 1, 1: 1, 3: 3, -1: 4, -3: 2, -9: 1} {
			got, err := l.Raw(t.Context(), from, 1)
			if err != nil || len(got) != 1 || got[0].Seq != want {
				t.Errorf("Raw(%d, 1) = %v, %v, want event %d", from, got, err, want)
			}
		}
	})
}

func TestLogOfADeletedSessionIsReadOnly(t *testing.T) {
	overStores(t, func(t *testing.T, cfg session.Config) {
		l := create(t, cfg, event.Event{Data: event.Notice{Text: strings.Repeat("x", 70<<10)}})
		if _, err := l.Append(t.Context(), event.Event{Data: event.SessionDeleted{}}); err == nil {
			t.Error("Append of session.deleted = nil, want an error: only Delete purges")
		}
		if err := l.Delete(t.Context(), "bob"); err != nil {
			t.Fatal(err)
		}
		again, err := session.Open(t.Context(), cfg, "ses")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []*session.Log{l, again} {
			if _, err := l.Append(t.Context(), notice("x")); !errors.Is(err, session.ErrDeleted) {
				t.Errorf("Append = %v, want ErrDeleted", err)
			}
			if err := l.Delete(t.Context(), "bob"); !errors.Is(err, session.ErrDeleted) {
				t.Errorf("Delete = %v, want ErrDeleted", err)
			}
			events, _ := collect(t, l)
			if len(events) != 1 || events[0].Seq != 3 || events[0].By != "bob" {
				t.Errorf("left of the session: %+v, want the tombstone", events)
			}
		}
	})
}

// A holed store has lost or overwritten a record.
type holed struct {
	session.Store
	spoil func([]session.Record) []session.Record
}

func (h holed) Read(ctx context.Context, id string, from int64, limit, size int) ([]session.Record, error) {
	rs, err := h.Store.Read(ctx, id, from, limit, size)
	return h.spoil(rs), err
}

func TestR30_DamageIsAnErrorAndNeverASilentCut(t *testing.T) {
	for name, spoil := range map[string]func(rs []session.Record) []session.Record{
		"a record is missing":    func(rs []session.Record) []session.Record { return append(rs[:4:4], rs[5:]...) },
		"the rest is missing":    func(rs []session.Record) []session.Record { return rs[:4] },
		"a record is another's":  func(rs []session.Record) []session.Record { rs[4].Data = rs[3].Data; return rs },
		"a record is cut short":  func(rs []session.Record) []session.Record { rs[4].Data = rs[4].Data[:50]; return rs },
		"a record is zero bytes": func(rs []session.Record) []session.Record { rs[4].Data = make([]byte, 300); return rs },
	} {
		t.Run(name, func(t *testing.T) {
			s := memstore.New()
			create(t, session.Config{Store: s}, notice("2"), notice("3"), notice("4"), notice("5"), notice("6"))
			l, err := session.Open(t.Context(), session.Config{Store: holed{s, func(rs []session.Record) []session.Record {
				if len(rs) < 5 {
					return nil
				}
				return spoil(rs)
			}}}, "ses")
			if err != nil {
				t.Fatal(err)
			}
			var last error
			for _, err := range l.Events(t.Context(), 1) {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), "event 5") {
				t.Errorf("Events ended with %v, want an error that names event 5", last)
			}
		})
	}
}

// TestLogStaysGapless drives a log through appends, refusals, failures and
// deletion in any order, some of them at once.
func TestLogStaysGapless(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &faulty{Store: memstore.New()}
		l := create(t, session.Config{Store: f})
		var stored atomic.Int64
		stored.Store(1)
		uncertain := false
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			before := rapid.IntRange(0, 9).Draw(rt, "fails before") == 0
			after := rapid.IntRange(0, 9).Draw(rt, "fails after") == 0
			f.before.Store(before)
			f.after.Store(after)
			uncertain = uncertain || after
			var wg sync.WaitGroup
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(rt, "calls") {
				var events []event.Event
				for range n {
					events = append(events, notice("x"))
				}
				if n == 4 {
					events[3].Data = event.ToolStarted{CallID: "none", Attempt: 1}
				}
				wg.Go(func() {
					if got, err := l.Append(context.Background(), events...); err == nil {
						stored.Add(int64(len(got)))
					}
				})
			}
			wg.Wait()
		}
		events, folded := collect(t, l)
		if n := int64(len(events)); n < stored.Load() || n > stored.Load() && !uncertain {
			rt.Errorf("%d events, %d acknowledged", n, stored.Load())
		}
		if d := cmp.Diff(folded, l.State()); d != "" {
			rt.Errorf("state (-folded +log):\n%s", d)
		}
		if rapid.Bool().Draw(rt, "delete") {
			f.before.Store(false)
			f.after.Store(false)
			if err := l.Delete(context.Background(), "ann"); err != nil {
				rt.Errorf("Delete = %v", err)
			}
			if events, _ := collect(t, l); len(events) != 1 {
				rt.Errorf("%d events after Delete, want the tombstone", len(events))
			}
		}
	})
}
