package event

import (
	"fmt"
	"maps"
	"slices"
)

// A Problem is something a stream may not contain.
type Problem struct {
	Seq  int64  // of the event that is wrong; of the last one if something is missing at the end
	Type string // of that event; empty at the end
	// Rule is a stable name: seq, blob, session, id, turn, step, place,
	// call, result, request, approval, open-call, open-request, open-step,
	// open-subagent, open-turn, steer, waiting, context or subagent.
	Rule string
	Text string
}

func (p Problem) String() string {
	if p.Type == "" {
		return fmt.Sprintf("after event %d: %s: %s", p.Seq, p.Rule, p.Text)
	}
	return fmt.Sprintf("event %d (%s): %s: %s", p.Seq, p.Type, p.Rule, p.Text)
}

// Check returns what is wrong with a whole stream from its first event on
// that has settled: nothing runs or is queued, or a turn waits for a person.
func Check(events []Event) []Problem {
	var o Order
	var problems []Problem
	for _, e := range events {
		problems = append(problems, o.Next(e)...)
	}
	return append(problems, o.Settled()...)
}

// An Order holds the events of one session against the order that the doc
// comments of their kinds promise. It is a checker for tests and tools: it
// knows more than a fold needs, and goes on after a problem as well as it
// can. The zero value waits for the first event. It is for one goroutine.
//
// Events of unknown kinds may stand anywhere; only their seq is checked.
type Order struct {
	last       int64
	started    bool
	ended      bool
	deleted    bool
	calls      map[string]*callOrder // all that were requested
	open       []*callOrder          // without a result, in the order of their requests
	requests   map[string]*requestOrder
	subagents  map[string]*subagentOrder // by session
	turns      map[string]*turnOrder
	queue      []*turnOrder // accepted and not started
	running    *turnOrder   // nil for none
	compacting bool
	problems   []Problem // of the event in hand
	at         Problem   // where they are
}

type turnState int

const (
	turnQueued turnState = iota
	turnRunning
	turnOver
)

type turnOrder struct {
	id      string
	state   turnState
	attempt int
	place   Place // the last of the model's parts, or the step that started last
	inStep  bool
	failed  bool // the last step did
	resumed bool // the turn was started again while in that step
	calls   bool // the attempt requested some
	steer   bool // a message has not reached a model call
	waiting Wait
	result  bool
}

type callOrder struct {
	id, turn  string
	model     bool
	attempt   int
	completed bool
	approval  *requestOrder // the last one
}

type requestOrder struct {
	id, turn string
	call     string
	kind     RequestKind
	closed   bool
	outcome  Outcome
}

type subagentOrder struct {
	session, call, turn string
	completed           bool
}

// Next takes the session's next event and returns what is wrong with it.
func (o *Order) Next(e Event) []Problem {
	if o.calls == nil {
		o.calls, o.requests = map[string]*callOrder{}, map[string]*requestOrder{}
		o.subagents, o.turns = map[string]*subagentOrder{}, map[string]*turnOrder{}
	}
	o.problems, o.at = nil, Problem{Seq: e.Seq, Type: e.Type()}
	_, starts := e.Data.(SessionStarted)
	_, deletes := e.Data.(SessionDeleted)
	_, notice := e.Data.(Notice)
	first := o.last == 0 && !o.deleted
	switch {
	case e.Data == nil:
		o.wrong("blob", "its data is in a blob that was not resolved")
	case first && deletes && e.Seq > 0: // of a deleted session nothing else is left
	case e.Seq != o.last+1:
		o.wrong("seq", "it follows event %d", o.last)
	}
	switch {
	case o.deleted:
		o.wrong("session", "the session was deleted")
	case o.ended && !deletes && !notice:
		o.wrong("session", "the session has ended")
	case !deletes && starts == o.started:
		o.wrong("session", "session.started is the first event, and only that")
	}
	o.last, o.started = e.Seq, true
	if e.Data != nil {
		o.wake(&e)
		e.Data.follow(o, &e)
	}
	return o.problems
}

// Settled returns what a stream that ends here still owes.
func (o *Order) Settled() []Problem {
	o.problems, o.at = nil, Problem{Seq: o.last}
	if o.deleted {
		return nil
	}
	waits := "" // the turn that waits for a person
	if t := o.running; t != nil && t.waiting == WaitRequest {
		waits = t.id
	}
	o.owed(waits)
	return o.problems
}

// owed reports all that is open but what belongs to the turn that waits, or
// waits for it; "" is none.
func (o *Order) owed(waits string) {
	if t := o.running; t != nil && waits == "" {
		o.wrong("open-turn", "turn %s has not ended", t.id)
	}
	if len(o.queue) > 0 && waits == "" {
		o.wrong("open-turn", "turn %s has not started", o.queue[0].id)
	}
	others := func(turn string) bool { return waits == "" || turn != waits }
	o.openCalls(others)
	o.openRequests(others)
	if o.compacting {
		o.wrong("context", "a compaction has not ended")
	}
}

// openCalls reports the calls without a result of these turns.
func (o *Order) openCalls(of func(turn string) bool) {
	for _, c := range o.open {
		if of(c.turn) {
			o.wrong("open-call", "call %s has no result", c.id)
		}
	}
}

// openRequests reports the open requests and subagents of these turns.
func (o *Order) openRequests(of func(turn string) bool) {
	for _, id := range sortedKeys(o.requests) {
		if r := o.requests[id]; !r.closed && of(r.turn) {
			o.wrong("open-request", "request %s is open", id)
		}
	}
	for _, id := range sortedKeys(o.subagents) {
		if s := o.subagents[id]; !s.completed && of(s.turn) {
			o.wrong("open-subagent", "subagent session %s has not completed", id)
		}
	}
}

func (o *Order) wrong(rule, format string, args ...any) {
	p := o.at
	p.Rule, p.Text = rule, fmt.Sprintf(format, args...)
	o.problems = append(o.problems, p)
}

// wake ends the waiting of the turn that e belongs to.
func (o *Order) wake(e *Event) {
	switch e.Data.(type) {
	case RequestOpened, Notice, TurnWaiting, Unknown:
		return
	}
	if t := o.turns[e.Turn]; t != nil {
		t.waiting = ""
	}
}

// turn returns the running turn if e belongs to it, and else says so.
func (o *Order) turn(e *Event) *turnOrder {
	switch {
	case e.Turn == "":
		o.wrong("turn", "it names no turn")
	case o.running == nil || o.running.id != e.Turn:
		o.wrong("turn", "turn %s is not running", e.Turn)
	default:
		return o.running
	}
	return nil
}

// betweenSteps reports an event that may not stand inside a step.
func (o *Order) betweenSteps() {
	if o.running != nil && o.running.inStep {
		o.wrong("open-step", "step %d is under way", o.running.place.Step)
	}
}

func is(turn string) func(string) bool { return func(other string) bool { return other == turn } }

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

func (SessionStarted) follow(*Order, *Event) {}

func (SessionEnded) follow(o *Order, _ *Event) {
	o.owed("")
	o.ended = true
}

func (SessionDeleted) follow(o *Order, _ *Event) { o.deleted = true }

func (Notice) follow(*Order, *Event) {}

func (Unknown) follow(*Order, *Event) {}

func (CompactionStarted) follow(o *Order, _ *Event) {
	o.betweenSteps()
	if o.compacting {
		o.wrong("context", "a compaction is under way")
	}
	o.compacting = true
}

func (d CompactionCompleted) follow(o *Order, e *Event) {
	o.compacted()
	if d.From < 1 || d.Through < d.From || d.Through >= e.Seq {
		o.wrong("context", "events %d to %d are no range before it", d.From, d.Through)
	}
}

func (CompactionFailed) follow(o *Order, _ *Event) { o.compacted() }

func (o *Order) compacted() {
	if !o.compacting {
		o.wrong("context", "no compaction is under way")
	}
	o.compacting = false
}

func (ContextCleared) follow(o *Order, _ *Event) { o.betweenSteps() }

func (d SubagentStarted) follow(o *Order, e *Event) {
	if c := o.calls[d.CallID]; c == nil || c.completed {
		o.wrong("subagent", "call %q is not open", d.CallID)
	}
	if d.Session == "" || o.subagents[d.Session] != nil {
		o.wrong("id", "session %q is no new one", d.Session)
		return
	}
	o.subagents[d.Session] = &subagentOrder{session: d.Session, call: d.CallID, turn: e.Turn}
}

func (d SubagentCompleted) follow(o *Order, e *Event) {
	s := o.subagents[d.Session]
	if s == nil || s.completed || s.call != d.CallID || s.turn != e.Turn {
		o.wrong("subagent", "no subagent of call %q runs in session %q", d.CallID, d.Session)
		return
	}
	s.completed = true
}
