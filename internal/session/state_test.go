package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

// stream numbers the data of a session's events, a millisecond apart.
func stream(data ...event.Data) []event.Event {
	var events []event.Event
	for i, d := range data {
		events = append(events, event.Event{
			Seq: int64(i + 1), ID: "evt_x", At: epoch.Add(time.Duration(i) * time.Millisecond), By: "ann", Data: d,
		})
	}
	return events
}

func fold(t *testing.T, events []event.Event) session.State {
	t.Helper()
	s := session.State{Session: "ses"}
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestStateFoldsWhatHappened(t *testing.T) {
	got := fold(t, stream(
		event.SessionStarted{Agent: "a", TokenHash: "h", Scratch: true},
		event.ToolRequested{CallID: "1", Name: "Write", Origin: event.OriginModel, Approved: true},
		event.ToolRequested{CallID: "2", Name: "Read", Origin: event.OriginOperator},
		event.ToolStarted{CallID: "2", Attempt: 1},
		event.ToolCompleted{CallID: "1", Status: event.StatusOK},
		event.Notice{Level: "info"},
		event.Unknown{Kind: "later.kind"},
		event.ToolRequested{CallID: "1", Name: "Grep", Approved: true},
	))
	want := session.State{
		Session: "ses", Agent: "a", Owner: "ann", Status: session.Idle, LastSeq: 8,
		Created: epoch, Active: epoch.Add(7 * time.Millisecond),
		TokenHash: "h", Generation: 1, Scratch: true, Requested: 3, Completed: 1,
		Open: []session.Call{
			{ID: "2", Name: "Read", Origin: event.OriginOperator, Seq: 3, Attempt: 1},
			{ID: "1", Name: "Grep", Seq: 8, Approved: true},
		},
		Approved: []string{"Write"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("fold (-want +got):\n%s", d)
	}
}

func TestOnlyACallThatRanApprovesItsTool(t *testing.T) {
	ends := map[string]struct {
		after []event.Data
		want  []string
	}{
		"still open":         {nil, nil},
		"started":            {[]event.Data{event.ToolStarted{CallID: "1", Attempt: 1}}, []string{"Write"}},
		"started, then lost": {[]event.Data{event.ToolStarted{CallID: "1", Attempt: 1}, event.ToolCompleted{CallID: "1", Status: event.StatusLost}}, []string{"Write"}},
		"ok":                 {[]event.Data{event.ToolCompleted{CallID: "1", Status: event.StatusOK}}, []string{"Write"}},
		"error":              {[]event.Data{event.ToolCompleted{CallID: "1", Status: event.StatusError}}, []string{"Write"}},
		"invalid":            {[]event.Data{event.ToolCompleted{CallID: "1", Status: event.StatusInvalid}}, nil},
		"denied":             {[]event.Data{event.ToolCompleted{CallID: "1", Status: event.StatusDenied}}, nil},
		"cancelled":          {[]event.Data{event.ToolCompleted{CallID: "1", Status: event.StatusCancelled}}, nil},
	}
	for name, tt := range ends {
		asked := []event.Data{event.SessionStarted{Agent: "a"}, event.ToolRequested{CallID: "1", Name: "Write", Approved: true}}
		if got := fold(t, stream(append(asked, tt.after...)...)).Approved; !slices.Equal(got, tt.want) {
			t.Errorf("%s: approved %v, want %v", name, got, tt.want)
		}
	}
}

func TestStateOfADeletedSessionKeepsItsPlaceOnly(t *testing.T) {
	got := fold(t, stream(
		event.SessionStarted{Agent: "a", TokenHash: "h"},
		event.ToolRequested{CallID: "1", Name: "Write", Approved: true},
		event.SessionDeleted{},
	))
	want := session.State{
		Session: "ses", Agent: "a", Owner: "ann", Status: session.Deleted, LastSeq: 3,
		Created: epoch, Active: epoch.Add(time.Millisecond),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("fold (-want +got):\n%s", d)
	}
	if err := got.Apply(event.Event{Seq: 4, Data: event.Notice{}}); !errors.Is(err, session.ErrDeleted) {
		t.Errorf("Apply after deletion = %v, want ErrDeleted", err)
	}
	if got := fold(t, []event.Event{{Seq: 9, At: epoch, Data: event.SessionDeleted{}}}); got.LastSeq != 9 {
		t.Errorf("fold of a purged log = %+v, want event 9", got)
	}
}

func TestStateRefusesWhatCannotFollow(t *testing.T) {
	started := event.SessionStarted{Agent: "a"}
	asked := event.ToolRequested{CallID: "c", Name: "Read"}
	tests := map[string]struct {
		before []event.Data
		next   event.Event
		want   string
	}{
		"no start":          {nil, event.Event{Seq: 1, Data: event.Notice{}}, "event 1 (notice)"},
		"second start":      {[]event.Data{started}, event.Event{Seq: 2, Data: started}, "event 2 (session.started)"},
		"no agent":          {nil, event.Event{Seq: 1, Data: event.SessionStarted{}}, "no agent"},
		"gap":               {[]event.Data{started}, event.Event{Seq: 3, Data: event.Notice{}}, "follows event 1"},
		"again":             {[]event.Data{started}, event.Event{Seq: 1, Data: started}, "follows event 1"},
		"not resolved":      {[]event.Data{started}, event.Event{Seq: 2, Blob: &event.Blob{}}, "blob"},
		"no callId":         {[]event.Data{started}, event.Event{Seq: 2, Data: event.ToolRequested{}}, "callId"},
		"call open twice":   {[]event.Data{started, asked}, event.Event{Seq: 3, Data: asked}, "open since event 2"},
		"unknown call":      {[]event.Data{started}, event.Event{Seq: 2, Data: event.ToolCompleted{CallID: "c"}}, `event 2 (tool.completed): call "c"`},
		"start of unknown":  {[]event.Data{started}, event.Event{Seq: 2, Data: event.ToolStarted{CallID: "c", Attempt: 1}}, `call "c"`},
		"attempt 0":         {[]event.Data{started, asked}, event.Event{Seq: 3, Data: event.ToolStarted{CallID: "c"}}, "attempt 0"},
		"attempt again":     {[]event.Data{started, asked, event.ToolStarted{CallID: "c", Attempt: 1}}, event.Event{Seq: 4, Data: event.ToolStarted{CallID: "c", Attempt: 1}}, "attempt 1"},
		"second result":     {[]event.Data{started, asked, event.ToolCompleted{CallID: "c"}}, event.Event{Seq: 4, Data: event.ToolCompleted{CallID: "c"}}, "has its result"},
		"deleted before it": {[]event.Data{started, event.SessionDeleted{}}, event.Event{Seq: 3, Data: event.SessionDeleted{}}, "deleted"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := fold(t, stream(tt.before...))
			before := s
			err := s.Apply(tt.next)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Apply = %v, want an error with %q", err, tt.want)
			}
			if d := cmp.Diff(before, s); d != "" {
				t.Errorf("a refused event changed the state (-before +after):\n%s", d)
			}
		})
	}
}

func TestStateCopiesAreSnapshots(t *testing.T) {
	s := fold(t, stream(
		event.SessionStarted{Agent: "a"},
		event.ToolRequested{CallID: "1", Name: "B", Approved: true},
		event.ToolRequested{CallID: "2", Name: "C", Approved: true},
	))
	before := s
	want := fold(t, stream(
		event.SessionStarted{Agent: "a"},
		event.ToolRequested{CallID: "1", Name: "B", Approved: true},
		event.ToolRequested{CallID: "2", Name: "C", Approved: true},
	))
	for i, d := range []event.Data{
		event.ToolStarted{CallID: "1", Attempt: 1},
		event.ToolCompleted{CallID: "1"},
		event.ToolRequested{CallID: "3", Name: "A", Approved: true},
	} {
		if err := s.Apply(event.Event{Seq: int64(4 + i), Data: d}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, before); d != "" {
		t.Errorf("the copy changed (-want +got):\n%s", d)
	}
}

// FuzzFold makes events from bytes: whatever they are, they are refused or
// leave a state that holds together and survives being stored half way.
func FuzzFold(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 2, 1, 3, 1, 5, 0})
	f.Add([]byte{0, 0, 1, 1, 1, 2, 9, 1, 1, 1, 3, 3, 4, 0, 1, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, parts := session.State{Session: "ses"}, session.State{Session: "ses"}
		seen := 0
		for i := 0; i+1 < len(in); i += 2 {
			e := event.Event{
				Seq: whole.LastSeq + 1, By: "ann", Data: fuzzData(in[i], in[i+1]),
				At: epoch.Add(time.Duration(i) * time.Millisecond),
			}
			if in[i]&0x80 != 0 {
				e.Seq += int64(int8(in[i+1]))
			}
			before := whole
			errWhole, errParts := whole.Apply(e), parts.Apply(e)
			if (errWhole == nil) != (errParts == nil) {
				t.Fatalf("event %d: folded in one go %v, continued %v", e.Seq, errWhole, errParts)
			}
			if errWhole != nil {
				if d := cmp.Diff(before, whole); d != "" {
					t.Fatalf("a refused event changed the state:\n%s", d)
				}
				continue
			}
			if seen++; whole.Status != session.Deleted && whole.LastSeq != int64(seen) {
				t.Fatalf("last event %d after %d events", whole.LastSeq, seen)
			}
			if int64(len(whole.Open)) != whole.Requested-whole.Completed {
				t.Fatalf("%d calls open of %d requested and %d completed", len(whole.Open), whole.Requested, whole.Completed)
			}
			row, err := parts.Row()
			if err != nil {
				t.Fatal(err)
			}
			if parts, err = session.FromRow(row); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(whole, parts, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("stored and continued (-whole +parts):\n%s", d)
			}
		}
	})
}

func fuzzData(kind, arg byte) event.Data {
	id, name := string('a'+rune(arg%4)), string('A'+rune(arg%3))
	switch kind & 0x7f % 8 {
	case 0:
		return event.SessionStarted{Agent: name, TokenHash: strings.Repeat("h", int(arg%2)), Scratch: arg%5 == 0}
	case 1, 2:
		return event.ToolRequested{CallID: id, Name: name, Approved: arg%2 == 0}
	case 3:
		return event.ToolStarted{CallID: id, Attempt: int(arg % 4)}
	case 4, 5:
		return event.ToolCompleted{CallID: id, Status: []event.Status{event.StatusOK, event.StatusDenied}[arg%2]}
	case 6:
		return event.Notice{Text: id}
	}
	if arg%8 == 0 {
		return event.SessionDeleted{}
	}
	return event.Unknown{Kind: "later." + id}
}
