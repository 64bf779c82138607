package toolset

import (
	"context"
	"fmt"
	"sync"

	"agsh.dev/event"
)

// An entry is one call's part of the log: its request, perhaps its start, and
// its one result. Its methods may be called from several goroutines.
type entry struct {
	ctx  context.Context //nolint:containedctx // an entry lives for one call, and the early start comes from a timer
	rec  Recorder
	call Call
	name string

	mu      sync.Mutex
	started bool  // request and start are in the log
	failed  error // why they are not, or perhaps are not
	closed  bool
}

func (e *entry) requested() event.Event {
	return e.event(event.ToolRequested{
		CallID: e.call.ID, Name: e.name, Args: e.call.Args, Origin: e.call.Origin, Approved: e.call.Approved,
	})
}

func (e *entry) event(d event.Data) event.Event { return event.Event{By: e.call.By, Data: d} }

// start makes request and start durable unless the call is over. When that
// fails the call has failed: complete says so too.
func (e *entry) start() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.started {
		return nil
	}
	_, err := e.rec.Append(e.ctx, e.requested(), e.event(event.ToolStarted{CallID: e.call.ID, Attempt: 1}))
	if err != nil {
		e.failed = fmt.Errorf("record the call of %s before it runs: %w", e.name, err)
		return e.failed
	}
	e.started = true
	return nil
}

// complete records the result, with the request when that is not in the log
// yet. After a start that failed it records nothing: the request may be in the
// log all the same, and must not be there twice.
func (e *entry) complete(done event.ToolCompleted) (event.ToolCompleted, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.failed != nil {
		return done, e.failed
	}
	events := []event.Event{e.event(done)}
	if !e.started {
		events = []event.Event{e.requested(), events[0]}
	}
	if _, err := e.rec.Append(e.ctx, events...); err != nil {
		return done, fmt.Errorf("record the result of %s: %w", e.name, err)
	}
	return done, nil
}
