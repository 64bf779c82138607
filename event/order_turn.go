package event

import "slices"

func (d MessageReceived) follow(o *Order, e *Event) {
	t := o.turns[e.Turn]
	switch {
	case e.Turn == "":
		o.wrong("turn", "it names no turn")
	case t == nil:
		t = &turnOrder{id: e.Turn}
		o.turns[t.id] = t
		o.queue = append(o.queue, t)
	case t.state == turnOver:
		o.wrong("turn", "turn %s is over", t.id)
	case d.Policy != Steer:
		o.wrong("turn", "turn %s has its message; only one that steers joins it", t.id)
	case t.state == turnRunning:
		t.steer = true
	}
}

func (d TurnStarted) follow(o *Order, e *Event) {
	t := o.turns[e.Turn]
	switch {
	case t == nil || t.state == turnOver:
		o.wrong("turn", "turn %q is over, or no message made it", e.Turn)
		return
	case o.running != nil && o.running != t:
		o.wrong("turn", "turn %s is running", o.running.id)
		return
	case t.state == turnQueued && o.queue[0] != t:
		o.wrong("turn", "turn %s was there before", o.queue[0].id)
	}
	if d.Attempt != t.attempt+1 {
		o.wrong("turn", "attempt %d follows attempt %d", d.Attempt, t.attempt)
	}
	o.dequeue(t)
	t.state, t.attempt, t.resumed = turnRunning, d.Attempt, t.inStep
	o.running = t
}

func (d TurnWaiting) follow(o *Order, e *Event) {
	t := o.turn(e)
	if t == nil {
		return
	}
	open := d.On != WaitRequest && d.On != WaitSubagent // one to come
	for _, r := range o.requests {
		open = open || d.On == WaitRequest && !r.closed && r.turn == t.id
	}
	for _, s := range o.subagents {
		open = open || d.On == WaitSubagent && !s.completed && s.turn == t.id
	}
	if !open {
		o.wrong("waiting", "no %s is open", d.On)
	}
	t.waiting = d.On
}

func (TurnCompleted) follow(o *Order, e *Event) {
	t := o.turn(e)
	if t == nil {
		return
	}
	if t.steer {
		o.wrong("steer", "a message to turn %s has reached no model call", t.id)
	}
	if t.failed {
		o.wrong("step", "step %d failed", t.place.Step)
	}
	o.endTurn(t)
}

func (TurnCancelled) follow(o *Order, e *Event) { o.endAnyTurn(e) }

func (TurnFailed) follow(o *Order, e *Event) { o.endAnyTurn(e) }

// endAnyTurn ends a turn that may not have started.
func (o *Order) endAnyTurn(e *Event) {
	if t := o.turns[e.Turn]; t != nil && t.state == turnQueued {
		o.dequeue(t)
		t.state = turnOver
		return
	}
	if t := o.turn(e); t != nil {
		o.endTurn(t)
	}
}

func (o *Order) endTurn(t *turnOrder) {
	o.betweenSteps()
	o.openCalls(is(t.id))
	o.openRequests(is(t.id))
	if o.compacting {
		o.wrong("context", "a compaction has not ended")
	}
	t.state = turnOver
	o.running = nil
}

func (o *Order) dequeue(t *turnOrder) {
	o.queue = slices.DeleteFunc(o.queue, func(q *turnOrder) bool { return q == t })
}

func (ResultCompleted) follow(o *Order, e *Event) {
	t := o.turn(e)
	if t == nil {
		return
	}
	o.betweenSteps()
	if t.result {
		o.wrong("turn", "turn %s has a result", t.id)
	}
	t.result = true
}

func (d StepStarted) follow(o *Order, e *Event) {
	t := o.turn(e)
	if t == nil {
		return
	}
	if o.compacting {
		o.wrong("context", "a compaction has not ended")
	}
	o.openCalls(is(t.id))
	last := t.place
	again := t.failed || t.inStep && t.resumed
	switch want := (Place{Step: last.Step, Attempt: last.Attempt + 1}); {
	case t.inStep && !t.resumed:
		o.wrong("open-step", "step %d is under way", last.Step)
	case again && t.calls:
		o.wrong("step", "attempt %d of step %d requested tools and cannot be superseded", last.Attempt, last.Step)
	case again && (d.Step != want.Step || d.Attempt != want.Attempt || d.Supersedes != last.Attempt):
		o.wrong("step", "attempt %d of step %d has to follow and to supersede attempt %d", want.Attempt, want.Step, last.Attempt)
	case !again && (d.Step != last.Step+1 || d.Attempt != 1 || d.Supersedes != 0):
		o.wrong("step", "the first attempt of step %d has to follow, and to supersede nothing", last.Step+1)
	}
	t.place = Place{Step: d.Step, Attempt: d.Attempt}
	t.inStep, t.failed, t.resumed, t.calls, t.steer = true, false, false, false, false
}

func (d StepCompleted) follow(o *Order, e *Event) { o.endStep(e, d.Step, d.Attempt, false) }

func (d StepFailed) follow(o *Order, e *Event) { o.endStep(e, d.Step, d.Attempt, true) }

func (o *Order) endStep(e *Event, step, attempt int, failed bool) {
	t := o.turn(e)
	if t == nil {
		return
	}
	if !t.inStep || step != t.place.Step || attempt != t.place.Attempt {
		o.wrong("step", "attempt %d of step %d is not under way", attempt, step)
		return
	}
	o.openCalls(is(t.id))
	t.inStep, t.failed = false, failed
}

func (d ReasoningCompleted) follow(o *Order, e *Event) { o.part(e, d.Place) }

func (d MessageCompleted) follow(o *Order, e *Event) { o.part(e, d.Place) }

// part checks a part of what the model said and returns its turn, or nil.
func (o *Order) part(e *Event, p Place) *turnOrder {
	t := o.turn(e)
	if t == nil {
		return nil
	}
	switch last := t.place; {
	case !t.inStep:
		o.wrong("place", "no step is under way")
	case p.Step != last.Step || p.Attempt != last.Attempt:
		o.wrong("place", "attempt %d of step %d is not under way", p.Attempt, p.Step)
	case p.Part <= last.Part:
		o.wrong("place", "part %d follows part %d", p.Part, last.Part)
	default:
		t.place = p
	}
	return t
}
