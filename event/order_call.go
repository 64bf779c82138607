package event

import "slices"

func (d ToolRequested) follow(o *Order, e *Event) {
	var t *turnOrder
	switch {
	case d.Origin == OriginModel:
		t = o.part(e, d.Place)
	case e.Turn != "":
		t = o.turn(e)
	}
	if t != nil {
		t.calls = t.calls || d.Origin == OriginModel
	}
	if d.CallID == "" || o.calls[d.CallID] != nil {
		o.wrong("id", "callId %q is no new one", d.CallID)
		return
	}
	c := &callOrder{id: d.CallID, turn: e.Turn, model: d.Origin == OriginModel}
	o.calls[c.id] = c
	o.open = append(o.open, c)
}

// call returns the open call that e is about, and else says so.
func (o *Order) call(e *Event, id string) *callOrder {
	switch c := o.calls[id]; {
	case c == nil:
		o.wrong("call", "call %q was not requested", id)
	case c.completed:
		o.wrong("call", "call %s has its result", id)
	case c.turn != e.Turn:
		o.wrong("call", "call %s belongs to turn %q", id, c.turn)
	default:
		return c
	}
	return nil
}

func (d ToolStarted) follow(o *Order, e *Event) {
	c := o.call(e, d.CallID)
	if c == nil {
		return
	}
	if d.Attempt != c.attempt+1 {
		o.wrong("call", "attempt %d of call %s follows attempt %d", d.Attempt, c.id, c.attempt)
	}
	c.attempt = d.Attempt
	if r := c.approval; r != nil && r.outcome != OutcomeAllowed {
		o.wrong("approval", "request %s does not allow call %s", r.id, c.id)
	}
}

func (d ToolCompleted) follow(o *Order, e *Event) {
	c := o.call(e, d.CallID)
	if c == nil {
		return
	}
	for _, id := range sortedKeys(o.requests) {
		if r := o.requests[id]; r.call == c.id && !r.closed {
			o.wrong("open-request", "request %s is open", id)
		}
	}
	ran := d.Status == StatusOK || d.Status == StatusError
	switch r := c.approval; {
	case ran && r != nil && r.closed && r.outcome != OutcomeAllowed:
		o.wrong("approval", "request %s does not allow call %s", r.id, c.id)
	case d.Status == StatusLost && c.attempt == 0:
		o.wrong("result", "call %s had not started and cannot be lost", c.id)
	case d.Status == StatusInvalid && c.attempt > 0:
		o.wrong("result", "call %s had started and cannot be invalid", c.id)
	}
	for _, earlier := range o.open {
		if earlier == c {
			break
		}
		if c.model && earlier.model {
			o.wrong("result", "call %s was requested before and has no result", earlier.id)
			break
		}
	}
	c.completed = true
	o.open = slices.DeleteFunc(o.open, func(other *callOrder) bool { return other == c })
}

func (d RequestOpened) follow(o *Order, e *Event) {
	if e.Turn != "" {
		o.turn(e)
	}
	if d.RequestID == "" || o.requests[d.RequestID] != nil {
		o.wrong("id", "requestId %q is no new one", d.RequestID)
		return
	}
	r := &requestOrder{id: d.RequestID, turn: e.Turn, call: d.CallID, kind: d.Kind}
	o.requests[r.id] = r
	if d.CallID == "" {
		if d.Kind == RequestApproval {
			o.wrong("approval", "it is for no call")
		}
		return
	}
	c := o.call(e, d.CallID)
	if c == nil || d.Kind != RequestApproval {
		return
	}
	if c.attempt > 0 {
		o.wrong("approval", "call %s has started", c.id)
	}
	c.approval = r
}

func (d RequestClosed) follow(o *Order, e *Event) {
	r := o.requests[d.RequestID]
	switch {
	case r == nil:
		o.wrong("request", "request %q was not opened", d.RequestID)
		return
	case r.closed:
		o.wrong("request", "request %s is closed", r.id)
	case r.turn != e.Turn:
		o.wrong("request", "request %s belongs to turn %q", r.id, r.turn)
	case r.kind == RequestApproval && d.Outcome == OutcomeAnswered:
		o.wrong("approval", "an approval is allowed or denied, not answered")
	}
	r.closed, r.outcome = true, d.Outcome
}
