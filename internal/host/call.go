package host

import (
	"context"
	"encoding/json"
	"slices"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/session"
	"agsh.dev/internal/toolset"
)

// CallRequest asks for one direct call.
type CallRequest struct {
	Name    string
	Args    json.RawMessage
	Binding Binding
	Approve bool
}

// Call runs one tool in the session the request names, or in a new session of
// its own when it names none, and returns the session and the result as the
// log holds it. The call ends early when ctx does. It does not wait for
// anything else that runs in the session.
func (a *Agent) Call(ctx context.Context, p Principal, req CallRequest) (string, event.ToolCompleted, error) {
	var none event.ToolCompleted
	if err := a.host.enter(); err != nil {
		return "", none, err
	}
	defer a.host.running.Done()
	t, ok := a.set.Lookup(req.Name)
	if !ok {
		return "", none, a.ToolNotFound(req.Name)
	}
	if req.Approve && p.Role != Operator {
		return "", none, api.Errorf(api.CodeForbidden, "only an operator may approve a call with it").WithField("approve")
	}
	l, err := a.open(ctx, p, req.Binding)
	if err != nil {
		return "", none, err
	}
	var rec toolset.Recorder
	if l == nil {
		l = a.host.lives.reserve(a.host.cfg.NewID("ses_"))
		rec = &scratch{agent: a, live: l, by: p.ID}
	} else {
		rec = l.log
	}
	defer a.host.lives.release(l)
	done, err := a.run(ctx, l, rec, t, toolset.Call{
		ID: a.host.cfg.NewID("call_"), Args: req.Args, Origin: event.OriginOperator, By: p.ID, Approved: req.Approve,
	})
	if err != nil {
		return "", none, storeError(l.id, err)
	}
	return l.id, done, refused(done)
}

// run takes a call through the gate as one that a delete of its session, and
// the end of the server, can cancel.
func (a *Agent) run(ctx context.Context, l *live, rec toolset.Recorder, t *toolset.Tool, call toolset.Call) (done event.ToolCompleted, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.host.halted, cancel)()
	if !l.begin(call.ID, cancel) {
		return done, session.ErrDeleted
	}
	defer l.end(call.ID)
	if t.NeedsApproval.Mode == agent.Once && l.log != nil {
		call.ApprovedBefore = slices.Contains(l.log.State().Approved, t.Name)
	}
	call.Target = agent.Call{ID: call.ID, Agent: a.def.Name, Session: l.id}
	if call.Target.Workspace, err = a.workspace(l); err != nil {
		return done, err
	}
	return a.gate.Call(ctx, rec, t, call)
}

// refused turns a call that the gate did not let run into an error.
func refused(done event.ToolCompleted) error {
	switch done.Status {
	case event.StatusInvalid:
		return api.Errorf(api.CodeInvalidArguments, "%s", done.Error.Message).WithField("args")
	case event.StatusDenied:
		return api.Errorf(api.CodeApprovalRequired, "%s", done.Error.Message).
			WithHint(`send "approve": true to allow it; agsh has --approve`).WithField("approve")
	case event.StatusOK, event.StatusError, event.StatusCancelled, event.StatusLost:
	}
	return nil
}

// reserve makes the live of a session that does not exist yet; its scratch
// creates it.
func (ls *lives) reserve(id string) *live {
	l := &live{id: id, opened: make(chan struct{}), refs: 1}
	ls.mu.Lock()
	ls.open[id] = l
	ls.mu.Unlock()
	return l
}

// scratch records a call in a session that the first append creates, so that
// a call without a session still takes a single commit. The gate never calls
// it from two goroutines at once.
type scratch struct {
	agent *Agent
	live  *live
	by    string
}

func (s *scratch) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if s.live.log != nil || s.live.err != nil {
		if s.live.err != nil {
			return nil, s.live.err
		}
		return s.live.log.Append(ctx, events...)
	}
	a := s.agent
	token := a.host.cfg.TokenKey.Token(s.live.id, 1)
	s.live.log, s.live.err = session.Create(ctx, a.host.sessions, s.live.id, s.by, a.started(token, true), events...)
	close(s.live.opened)
	return events, s.live.err
}
