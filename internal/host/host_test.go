package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/host"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
	"agsh.dev/internal/session/sqlitestore"
)

var operator = host.Principal{ID: "operator"}

// hold is a tool that runs until it is let go or cancelled.
type hold struct {
	begun chan struct{}
	let   chan struct{}
}

func (h *hold) run(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
	h.begun <- struct{}{}
	select {
	case <-h.let:
		return agent.Result{Content: []event.Block{event.Text("held")}}, nil
	case <-ctx.Done():
		return agent.Result{}, ctx.Err()
	}
}

type fixture struct {
	*host.Host
	one, two *host.Agent
	hold     *hold
	dir      string
	store    session.Store
}

func newHost(t testing.TB, store session.Store) fixture {
	t.Helper()
	f := fixture{hold: &hold{make(chan struct{}, 1000), make(chan struct{})}, dir: t.TempDir(), store: store}
	tool := func(name string, def agent.Definition, run func(context.Context, json.RawMessage) (agent.Result, error)) agent.AnyTool {
		def.Name = name
		return agent.Func{Definition: def, Run: run}
	}
	quick := func(context.Context, json.RawMessage) (agent.Result, error) {
		return agent.Result{Content: []event.Block{event.Text("done")}}, nil
	}
	tools := []agent.AnyTool{
		tool("hold", agent.Definition{}, f.hold.run),
		tool("read", agent.Definition{Effect: agent.Read}, quick),
		tool("write", agent.Definition{}, quick),
		tool("once", agent.Definition{NeedsApproval: agent.Approval{Mode: agent.Once}}, quick),
		tool("place", agent.Definition{}, func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
			call, _ := agent.CallFrom(ctx)
			return agent.Result{Content: []event.Block{event.Text(call.Workspace)}}, os.WriteFile(filepath.Join(call.Workspace, "file"), nil, 0o600)
		}),
	}
	h, err := host.New(host.Config{
		Agents: []agent.Agent{{Name: "one", Natives: []string{}, Tools: tools}, {Name: "two", Natives: []string{}, Tools: tools}},
		Store:  store, Dir: f.dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Host = h
	f.one, _ = h.Agent("one")
	f.two, _ = h.Agent("two")
	return f
}

func (f fixture) create(t testing.TB) (id, token string) {
	t.Helper()
	id, token, err := f.one.CreateSession(context.Background(), operator)
	if err != nil {
		t.Fatal(err)
	}
	return id, token
}

func call(name, id string) host.CallRequest {
	return host.CallRequest{Name: name, Binding: host.Binding{Session: id}}
}

func code(err error) api.Code {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Code
	}
	return ""
}

// log reads all events of a session from the store and folds them.
func log(t testing.TB, store session.Store, id string) ([]event.Event, session.State) {
	t.Helper()
	l, err := session.Open(context.Background(), session.Config{Store: store}, id)
	if err != nil {
		t.Fatal(err)
	}
	folded := session.State{Session: id}
	var events []event.Event
	for e, err := range l.Events(context.Background(), 1) {
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

func TestNewRefusesWhatCannotBeServed(t *testing.T) {
	for name, agents := range map[string][]agent.Agent{
		"a path for a name":  {{Name: "../x"}},
		"no name":            {{}},
		"a name twice":       {{Name: "a"}, {Name: "a"}},
		"a tool that is nil": {{Name: "a", Tools: []agent.AnyTool{nil}}},
		"a tool without Run": {{Name: "a", Tools: []agent.AnyTool{agent.Tool[struct{}, string]{Name: "x"}}}},
		"a mode and globs": {{Name: "a", Executables: []agent.Executable{{Path: "/x", Definition: agent.Definition{
			Name: "x", NeedsApproval: agent.Approval{Mode: agent.Always, When: map[string]string{"a": "*"}},
		}}}}},
		"a tool twice": {{Name: "a", Natives: []string{}, Tools: []agent.AnyTool{
			agent.Tool[struct{}, string]{Name: "x", Run: func(context.Context, struct{}) (string, error) { return "", nil }},
			agent.Tool[struct{}, string]{Name: "x", Run: func(context.Context, struct{}) (string, error) { return "", nil }},
		}}},
	} {
		if _, err := host.New(host.Config{Agents: agents, Store: memstore.New(), Dir: t.TempDir()}); err == nil {
			t.Errorf("New with %s = nil", name)
		}
	}
}

func TestBinding(t *testing.T) {
	f := newHost(t, memstore.New())
	if got, _, err := f.one.Call(t.Context(), operator, call("read", api.Latest)); err != nil || got == "" {
		t.Fatalf("latest of no session = %q, %v; want a session of its own", got, err)
	}
	id, token := f.create(t)
	for _, b := range []host.Binding{{Session: id}, {Token: token}, {Session: api.Latest}} {
		got, _, err := f.one.Call(t.Context(), operator, host.CallRequest{Name: "read", Binding: b})
		if err != nil || got != id {
			t.Errorf("Call in %+v = %q, %v; want %q", b, got, err, id)
		}
	}
	for want, b := range map[api.Code]host.Binding{
		api.CodeSessionNotFound: {Session: "ses_x"}, api.CodeInvalidQuery: {Session: id, Token: token},
	} {
		if _, _, err := f.one.Call(t.Context(), operator, host.CallRequest{Name: "read", Binding: b}); code(err) != want {
			t.Errorf("Call in %+v = %v, want %s", b, err, want)
		}
	}
	for _, b := range []host.Binding{{Session: id}, {Token: token}} {
		if _, _, err := f.two.Call(t.Context(), operator, host.CallRequest{Name: "read", Binding: b}); code(err) != api.CodeSessionNotFound {
			t.Errorf("another agent's call in %+v = %v", b, err)
		}
	}
	if state, again, err := f.one.Session(t.Context(), id); err != nil || again != token || state.Scratch {
		t.Errorf("Session = %+v, %q, %v; want token %q", state, again, err, token)
	}
}

func TestApprovalOnceHoldsForItsSession(t *testing.T) {
	f := newHost(t, memstore.New())
	a, _ := f.create(t)
	b, _ := f.create(t)
	for _, step := range []struct {
		id      string
		approve bool
		want    api.Code
	}{
		{a, false, api.CodeApprovalRequired},
		{a, true, ""},
		{a, false, ""},
		{b, false, api.CodeApprovalRequired},
		{"", false, api.CodeApprovalRequired},
		{"", true, ""},
	} {
		req := call("once", step.id)
		req.Approve = step.approve
		if _, _, err := f.one.Call(t.Context(), operator, req); code(err) != step.want {
			t.Errorf("%+v = %v", step, err)
		}
	}
}

func TestSessionsArePagedNewestFirst(t *testing.T) {
	f := newHost(t, memstore.New())
	want := map[string]bool{}
	for range 25 {
		id, _ := f.create(t)
		want[id] = true
	}
	if _, _, err := f.one.Call(t.Context(), operator, call("read", "")); err != nil {
		t.Fatal(err)
	}
	scratch := 0
	for after, page := "", 0; ; page++ {
		found, next, err := f.one.Sessions(t.Context(), after, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			delete(want, s.Session)
			if s.Scratch {
				scratch++
			}
		}
		if after = next; after == "" {
			if page != 2 {
				t.Errorf("26 sessions came in %d pages", page+1)
			}
			break
		}
	}
	if len(want) != 0 || scratch != 1 {
		t.Errorf("missing %v; %d sessions are marked as made for one call, want 1", want, scratch)
	}
	if found, _, err := f.two.Sessions(t.Context(), "", 10); err != nil || len(found) != 0 {
		t.Errorf("another agent sees %v, %v", found, err)
	}
}

func TestDeleteCancelsAndLeavesNothing(t *testing.T) {
	f := newHost(t, memstore.New())
	id, _ := f.create(t)
	_, done, err := f.one.Call(t.Context(), operator, call("place", id))
	if err != nil || done.Status != event.StatusOK {
		t.Fatalf("place = %+v, %v", done, err)
	}
	results := make(chan event.Status, 10)
	for range cap(results) {
		go func() {
			_, done, err := f.one.Call(context.Background(), operator, call("hold", id))
			if err != nil {
				t.Error(err)
			}
			results <- done.Status
		}()
		<-f.hold.begun
	}
	if got, err := f.one.DeleteSession(t.Context(), operator, api.Latest); err != nil || got != id {
		t.Fatalf("DeleteSession = %q, %v", got, err)
	}
	for range cap(results) {
		if got := <-results; got != event.StatusCancelled {
			t.Errorf("a call in a deleted session ended %s", got)
		}
	}
	if _, err := os.Stat(filepath.Dir(done.Content[0].Text)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its files are still there: %v", err)
	}
	events, state := log(t, f.store, id)
	if len(events) != 1 || events[0].Type() != "session.deleted" || state.Status != session.Deleted {
		t.Errorf("left is %v", events)
	}
	for name, err := range map[string]error{
		"call":   func() error { _, _, err := f.one.Call(t.Context(), operator, call("read", id)); return err }(),
		"get":    func() error { _, _, err := f.one.Session(t.Context(), id); return err }(),
		"read":   func() error { _, _, err := f.one.Log(t.Context(), id); return err }(),
		"delete": func() error { _, err := f.one.DeleteSession(t.Context(), operator, id); return err }(),
	} {
		if code(err) != api.CodeSessionDeleted {
			t.Errorf("%s after the delete = %v", name, err)
		}
	}
}

// failing is a store whose appends fail while it is told to.
type failing struct {
	session.Store
	fail atomic.Bool
	once atomic.Bool // the next one fails, and is stored all the same
	seen func(session.Batch)
}

var errFull = errors.New("no space left on device")

func (s *failing) Append(ctx context.Context, b session.Batch) error {
	if s.seen != nil {
		s.seen(b)
	}
	if s.fail.Load() {
		return errFull
	}
	err := s.Store.Append(ctx, b)
	if s.once.CompareAndSwap(true, false) {
		return errFull
	}
	return err
}

// A call of which nobody knows whether it was recorded is settled at once,
// not when its session is used again.
func TestACallThatFailedIsSettledAtOnce(t *testing.T) {
	store := &failing{Store: memstore.New()}
	f := newHost(t, store)
	id, _ := f.create(t)
	store.once.Store(true)
	if _, _, err := f.one.Call(t.Context(), operator, call("write", id)); code(err) != api.CodeStorageFailed {
		t.Fatalf("Call = %v", err)
	}
	if _, state := log(t, store, id); state.Requested != 1 || len(state.Open) != 0 {
		t.Errorf("state = %+v, want a request that has its result", state)
	}
}

// Were the process killed between the two, the files of a session without a
// tombstone can still be deleted with it.
func TestFilesGoBeforeTheTombstone(t *testing.T) {
	store := &failing{Store: memstore.New()}
	f := newHost(t, store)
	id, _ := f.create(t)
	place := func() string {
		t.Helper()
		_, done, err := f.one.Call(t.Context(), operator, call("place", id))
		if err != nil || done.Status != event.StatusOK {
			t.Fatalf("place = %+v, %v", done, err)
		}
		return filepath.Dir(done.Content[0].Text)
	}
	dir, looked := place(), 0
	store.seen = func(b session.Batch) {
		if b.Purge {
			looked++
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the tombstone is written while %s is there (%v)", dir, err)
			}
		}
	}
	store.fail.Store(true)
	if _, err := f.one.DeleteSession(t.Context(), operator, id); code(err) != api.CodeStorageFailed {
		t.Fatalf("DeleteSession = %v", err)
	}
	store.fail.Store(false)
	place() // the session goes on, in a new directory
	if _, err := f.one.DeleteSession(t.Context(), operator, id); err != nil || looked != 2 {
		t.Errorf("DeleteSession = %v; %d tombstones were written", err, looked)
	}
}

func TestAManifestIsTheSameServedOrNot(t *testing.T) {
	def := agent.Agent{Name: "a", Description: "About it.", Model: &agent.Model{Provider: "p", Name: "m"}, Executables: []agent.Executable{
		{Path: "/x", Definition: agent.Definition{Name: "zeta", Title: "Z"}}, {Path: "/y", Definition: agent.Definition{Name: "alpha", Effect: agent.Read}},
	}}
	described, err := host.Describe(def)
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(host.Config{Agents: []agent.Agent{def}, Store: memstore.New(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h.Agents()[0].Info(), described); diff != "" {
		t.Errorf("Describe (-served +described):\n%s", diff)
	}
	var names []string
	for _, tool := range described.Tools {
		if tool.Title == "" && tool.Source.Kind == "native" || tool.Effect == "" {
			t.Errorf("%s has no title or effect", tool.Name)
		}
		names = append(names, tool.Name)
	}
	if got, want := strings.Join(names, " "), "alpha zeta Read LS Grep Glob"; got != want {
		t.Errorf("tools are %s, want %s", got, want)
	}
}

// A result that cannot be recorded does not leave its call open for good, and
// a delete that fails does not make the session useless.
func TestAFullDiskPasses(t *testing.T) {
	store := &failing{Store: memstore.New()}
	f := newHost(t, store)
	id, _ := f.create(t)
	failed := make(chan error)
	go func() {
		_, _, err := f.one.Call(context.Background(), operator, call("hold", id))
		failed <- err
	}()
	<-f.hold.begun
	store.fail.Store(true)
	f.hold.let <- struct{}{}
	if err := <-failed; code(err) != api.CodeStorageFailed || !errors.Is(err, errFull) {
		t.Errorf("Call = %v, want a failure of storage with its cause", err)
	}
	if _, err := f.one.DeleteSession(t.Context(), operator, id); code(err) != api.CodeStorageFailed {
		t.Errorf("DeleteSession = %v", err)
	}
	if _, _, err := f.one.Call(t.Context(), operator, call("read", "")); code(err) != api.CodeStorageFailed {
		t.Errorf("a call in a new session = %v", err)
	}
	store.fail.Store(false)
	if _, _, err := f.one.Call(t.Context(), operator, call("write", id)); err != nil {
		t.Errorf("Call once there is room again = %v", err)
	}
	events, state := log(t, store, id)
	if len(state.Open) != 0 || state.Requested != 2 || state.Completed != 2 {
		t.Errorf("state = %+v", state)
	}
	var ends []event.Status
	for _, e := range events {
		if done, ok := e.Data.(event.ToolCompleted); ok {
			ends = append(ends, done.Status)
		}
	}
	if fmt.Sprint(ends) != "[lost ok]" {
		t.Errorf("calls ended %v, want [lost ok]", ends)
	}
}

func TestRecoverSettlesWhatAKilledProcessLeft(t *testing.T) {
	store := memstore.New()
	const sessions = 250 // more than a page of the store
	for i := range sessions {
		_, err := session.Create(t.Context(), session.Config{Store: store}, fmt.Sprint("ses_", i), "operator", event.SessionStarted{Agent: "one"},
			event.Event{Data: event.ToolRequested{CallID: "a", Name: "write"}},
			event.Event{Data: event.ToolStarted{CallID: "a", Attempt: 1}},
			event.Event{Data: event.ToolRequested{CallID: "b", Name: "write"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	f := newHost(t, store)
	if err := f.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range sessions {
		if _, state := log(t, store, fmt.Sprint("ses_", i)); len(state.Open) != 0 || state.Completed != 2 {
			t.Fatalf("session %d: %+v", i, state)
		}
	}
}

func TestCloseLetsCallsFinishAndCancelsTheRest(t *testing.T) {
	for _, finish := range []bool{true, false} {
		f := newHost(t, memstore.New())
		ended := make(chan event.Status, 1)
		go func() {
			_, done, err := f.one.Call(context.Background(), operator, call("hold", ""))
			if err != nil {
				t.Error(err)
			}
			ended <- done.Status
		}()
		<-f.hold.begun
		ctx, cancel := context.WithCancel(t.Context())
		closed := make(chan struct{})
		go func() { f.Close(ctx); close(closed) }()
		for f.Ready() {
			runtime.Gosched()
		}
		if _, _, err := f.one.Call(t.Context(), operator, call("read", "")); code(err) != api.CodeDraining {
			t.Errorf("a call meanwhile = %v", err)
		}
		want := event.StatusOK
		if finish {
			f.hold.let <- struct{}{}
		} else {
			cancel()
			want = event.StatusCancelled
		}
		<-closed
		if got := <-ended; got != want {
			t.Errorf("the call ended %s, want %s", got, want)
		}
		cancel()
	}
}

// slowTokens is a store that finds no token before its caller gives up.
type slowTokens struct {
	session.Store
	asked chan struct{}
}

func (s slowTokens) FindToken(ctx context.Context, _ string) (session.Row, error) {
	close(s.asked)
	<-ctx.Done()
	return session.Row{}, ctx.Err()
}

func TestCloseCancelsACallBeforeItRuns(t *testing.T) {
	store := slowTokens{memstore.New(), make(chan struct{})}
	f := newHost(t, store)
	ended := make(chan error, 1)
	go func() {
		_, _, err := f.one.Call(context.Background(), operator, host.CallRequest{Name: "read", Binding: host.Binding{Token: "x"}})
		ended <- err
	}()
	<-store.asked
	now, cancel := context.WithCancel(t.Context())
	cancel()
	f.Close(now)
	if err := <-ended; code(err) != api.CodeDraining {
		t.Errorf("Call = %v", err)
	}
}

// More sessions are used at once, and at random, than are kept open.
func TestManySessionsAtOnce(t *testing.T) {
	store := memstore.New()
	f := newHost(t, store)
	const sessions, workers, calls = 700, 16, 60
	ids := make([]string, sessions)
	for i := range ids {
		ids[i], _ = f.create(t)
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range calls {
				// Neighbours meet in the same session.
				id := ids[(i*37+w/2*11)%sessions]
				if _, _, err := f.one.Call(context.Background(), operator, call("write", id)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	total := int64(0)
	for _, id := range ids {
		_, state := log(t, store, id)
		if len(state.Open) != 0 {
			t.Errorf("%s has open calls", id)
		}
		total += state.Completed
	}
	if total != workers*calls {
		t.Errorf("%d results for %d calls", total, workers*calls)
	}
}

// Whatever happens in whatever order, every call that was requested has
// exactly one result, every log folds, and nobody is left running.
func TestAnyInterleavingSettles(t *testing.T) {
	for name, open := range map[string]func() (session.Store, error){
		"memory": func() (session.Store, error) { return memstore.New(), nil },
		"sqlite": func() (session.Store, error) { return sqlitestore.Open(t.TempDir(), sqlitestore.Config{}) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			flaky := &failing{Store: store}
			f := newHost(t, flaky)
			before := runtime.NumGoroutine()
			rapid.Check(t, func(rt *rapid.T) { interleave(rt, t, f, flaky) })
			for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
				if time.Now().After(deadline) {
					buf := make([]byte, 1<<16)
					t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

func interleave(rt *rapid.T, t *testing.T, f fixture, store *failing) {
	ids := make([]string, 3)
	for i := range ids {
		ids[i], _ = f.create(t)
	}
	var wg sync.WaitGroup
	var scratch sync.Map
	cancels := []context.CancelFunc{func() {}}
	steps := rapid.SliceOfN(rapid.SampledFrom([]string{"hold", "read", "write", "once", "cancel", "let", "delete", "list", "scratch", "fail", "mend"}), 1, 25).Draw(rt, "steps")
	for _, step := range steps {
		id := rapid.SampledFrom(ids).Draw(rt, "session")
		ctx, cancel := context.WithCancel(context.Background())
		cancels = append(cancels, cancel)
		switch step {
		case "cancel":
			rapid.SampledFrom(cancels).Draw(rt, "which")()
		case "let":
			select {
			case f.hold.let <- struct{}{}:
			default:
			}
		case "fail", "mend":
			store.fail.Store(step == "fail")
		case "delete":
			wg.Go(func() { _, _ = f.one.DeleteSession(ctx, operator, id) })
		case "list":
			wg.Go(func() { _, _, _ = f.one.Sessions(ctx, "", 5) })
		case "scratch":
			wg.Go(func() {
				if id, _, err := f.one.Call(ctx, operator, call("write", "")); err == nil {
					scratch.Store(id, true)
				}
			})
		default:
			wg.Go(func() { _, _, _ = f.one.Call(ctx, operator, call(step, id)) })
		}
	}
	for _, cancel := range cancels {
		cancel()
	}
	wg.Wait()
	store.fail.Store(false)
	scratch.Range(func(id, _ any) bool { ids = append(ids, id.(string)); return true })
	for _, id := range ids {
		_, _, _ = f.one.Session(context.Background(), id) // a use settles what storage failed on
		events, state := log(t, f.store, id)
		results := map[string]int{}
		for _, e := range events {
			switch d := e.Data.(type) {
			case event.ToolRequested:
				results[d.CallID] += 0
			case event.ToolCompleted:
				results[d.CallID]++
			}
		}
		for call, n := range results {
			if n != 1 {
				rt.Errorf("session %s: call %s has %d results after %s", id, call, n, strings.Join(steps, " "))
			}
		}
		if len(state.Open) != 0 {
			rt.Errorf("session %s: %d calls are open after %s", id, len(state.Open), strings.Join(steps, " "))
		}
	}
	for len(f.hold.begun) > 0 {
		<-f.hold.begun
	}
}
