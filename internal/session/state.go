package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agsh.dev/event"
)

// A State is what a session's events add up to: a pure fold. Copies of a
// State are snapshots; Apply never changes what another copy holds, and
// callers must not change the elements of its slices.
//
// Its JSON leaves out what a [Row] has a column for, see [State.Row].
type State struct {
	Session string `json:"-"`
	Agent   string `json:"-"`
	// Owner is the principal that started the session.
	Owner   string    `json:"-"`
	Status  Status    `json:"-"`
	LastSeq int64     `json:"-"` // also the number of events
	Created time.Time `json:"-"`
	Active  time.Time `json:"-"` // of the last event before its deletion
	// TokenHash is of the current continuation token, "" for none, and
	// Generation counts the tokens there have been.
	TokenHash  string `json:"-"`
	Generation int64  `json:"generation,omitempty"`
	Scratch    bool   `json:"scratch,omitempty"`
	// Requested and Completed count calls and their results.
	Requested int64 `json:"requested,omitempty"`
	Completed int64 `json:"completed,omitempty"`
	// Open are the calls without a result, in the order of their requests.
	Open []Call `json:"open,omitempty"`
	// Approved names the tools that ran in this session with the approval of
	// their caller, sorted. A call that was refused approves nothing.
	Approved []string `json:"approved,omitempty"`
}

// A Call is a tool call that has no result yet.
type Call struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Origin  event.Origin `json:"origin"`
	Seq     int64        `json:"seq"`               // of its request
	Attempt int          `json:"attempt,omitempty"` // last one started; 0 means none
	// Approved is set when the caller approved the call with its request.
	Approved bool `json:"approved,omitempty"`
}

// open returns where in s.Open the call is, or -1.
func (s *State) open(id string) int {
	return slices.IndexFunc(s.Open, func(c Call) bool { return c.ID == id })
}

// Apply folds the next event of the session into s. An event that cannot
// follow is an error that names it, and leaves s as it was.
func (s *State) Apply(e event.Event) error {
	next := *s
	if err := next.apply(e); err != nil {
		return fmt.Errorf("session %s: event %d (%s): %w", s.Session, e.Seq, e.Type(), err)
	}
	*s = next
	return nil
}

func (s *State) apply(e event.Event) error {
	if s.Status == Deleted {
		return ErrDeleted
	}
	if err := s.follow(e); err != nil {
		return err
	}
	at := e.At.UTC().Truncate(time.Millisecond)
	s.LastSeq = e.Seq
	if s.Created.IsZero() {
		s.Created, s.Active = at, at
	}
	if _, ok := e.Data.(event.SessionDeleted); ok {
		// Where the session stood in listings stays a place to continue from.
		*s = State{
			Session: s.Session, Agent: s.Agent, Owner: s.Owner, Status: Deleted,
			LastSeq: s.LastSeq, Created: s.Created, Active: s.Active,
		}
		return nil
	}
	s.Active = at
	switch d := e.Data.(type) {
	case event.SessionStarted:
		return s.start(e.By, d)
	case event.ToolRequested:
		return s.request(e.Seq, d)
	case event.ToolStarted:
		return s.attempt(d)
	case event.ToolCompleted:
		return s.complete(d)
	}
	return nil
}

// follow checks that e comes next. A tombstone may come first: of a deleted
// session nothing else is left.
func (s *State) follow(e event.Event) error {
	_, started := e.Data.(event.SessionStarted)
	_, deleted := e.Data.(event.SessionDeleted)
	switch {
	case e.Data == nil:
		return errors.New("its data is in a blob that was not resolved")
	case s.LastSeq == 0 && deleted && e.Seq > 0:
		return nil
	case e.Seq != s.LastSeq+1:
		return fmt.Errorf("out of order: it follows event %d", s.LastSeq)
	case started != (e.Seq == 1):
		return errors.New("session.started is the first event of a session, and only that")
	}
	return nil
}

func (s *State) start(by string, d event.SessionStarted) error {
	if d.Agent == "" {
		return errors.New("it names no agent")
	}
	s.Status, s.Agent, s.Owner, s.Scratch = Idle, d.Agent, by, d.Scratch
	if d.TokenHash != "" {
		s.TokenHash = d.TokenHash
		s.Generation++
	}
	return nil
}

func (s *State) request(seq int64, d event.ToolRequested) error {
	if d.CallID == "" {
		return errors.New("it has no callId")
	}
	if i := s.open(d.CallID); i >= 0 {
		return fmt.Errorf("call %s is still open since event %d", d.CallID, s.Open[i].Seq)
	}
	s.Open = append(slices.Clip(s.Open), Call{ID: d.CallID, Name: d.Name, Origin: d.Origin, Seq: seq, Approved: d.Approved})
	s.Requested++
	return nil
}

func (s *State) attempt(d event.ToolStarted) error {
	i := s.open(d.CallID)
	if i < 0 {
		return notOpen(d.CallID)
	}
	if last := s.Open[i].Attempt; d.Attempt <= last {
		return fmt.Errorf("attempt %d of call %s follows attempt %d", d.Attempt, d.CallID, last)
	}
	s.Open = slices.Clone(s.Open)
	s.Open[i].Attempt = d.Attempt
	s.ran(s.Open[i])
	return nil
}

func (s *State) complete(d event.ToolCompleted) error {
	i := s.open(d.CallID)
	if i < 0 {
		return notOpen(d.CallID)
	}
	if d.Status == event.StatusOK || d.Status == event.StatusError {
		s.ran(s.Open[i]) // no tool.started tells of tools without side effects
	}
	s.Open = slices.Delete(slices.Clone(s.Open), i, i+1)
	s.Completed++
	return nil
}

// ran notes that a call was let through.
func (s *State) ran(c Call) {
	if i, found := slices.BinarySearch(s.Approved, c.Name); c.Approved && !found {
		s.Approved = slices.Insert(slices.Clone(s.Approved), i, c.Name)
	}
}

func notOpen(id string) error {
	return fmt.Errorf("call %q is not open: it was not requested, or has its result", id)
}

// Row returns the projection of s.
func (s *State) Row() (Row, error) {
	rest, err := json.Marshal(s)
	if err != nil {
		return Row{}, fmt.Errorf("encode the state of session %s: %w", s.Session, err)
	}
	return Row{
		Session: s.Session, Agent: s.Agent, Owner: s.Owner, Status: s.Status, LastSeq: s.LastSeq,
		Created: s.Created, Active: s.Active, TokenHash: s.TokenHash, Open: len(s.Open), State: rest,
	}, nil
}

// FromRow returns the State that r was made from.
func FromRow(r Row) (State, error) {
	var s State
	if err := json.Unmarshal(r.State, &s); err != nil {
		return State{}, fmt.Errorf("decode the state of session %s: %w", r.Session, err)
	}
	if len(s.Open) != r.Open {
		return State{}, fmt.Errorf("decode the state of session %s: its row counts %d open calls, its state %d", r.Session, r.Open, len(s.Open))
	}
	s.Session, s.Agent, s.Owner, s.Status, s.LastSeq = r.Session, r.Agent, r.Owner, r.Status, r.LastSeq
	s.Created, s.Active, s.TokenHash = r.Created, r.Active, r.TokenHash
	return s, nil
}
