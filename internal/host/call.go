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
	// Progress, if set, is told how far the call has come, by one goroutine
	// at a time and never after Call has returned.
	Progress func(agent.Progress)
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
	a, err := a.current() // the request found a before it waited for its body
	if err != nil {
		return "", none, err
	}
	defer a.leave()
	// A delete of the session can cancel the call, and so can the end of the
	// server, wherever the call is.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.host.halted, cancel)()
	t, err := a.Tool(ctx, req.Name, false)
	if err != nil {
		return "", none, err
	}
	s, err := a.open(ctx, req.Binding)
	if err != nil && a.host.halted.Err() != nil {
		err = draining()
	}
	if err != nil {
		return "", none, err
	}
	var rec toolset.Recorder
	if s == nil {
		s = a.host.registry.reserve(a.host.cfg.NewID("ses_"))
		rec = &scratch{agent: a, session: s, by: p.ID}
	} else {
		rec = s.log
	}
	defer a.host.registry.release(s)
	call := toolset.Call{ID: a.host.cfg.NewID("call_"), Args: req.Args, Origin: event.OriginOperator, By: p.ID, Approved: req.Approve}
	if req.Progress != nil {
		listening := listener{tell: req.Progress}
		defer listening.end()
		call.Target.Progress = listening.progress
	}
	done, err := a.run(ctx, cancel, s, rec, t, call)
	if err != nil {
		if s.log != nil {
			// The result may be missing only for now, and perhaps nobody uses
			// the session again.
			a.host.settleOrphans(ctx, s)
		}
		return "", none, storeError(s.id, err)
	}
	return s.id, done, refused(done)
}

// run takes a call through the gate as one of the session's, which cancel ends.
func (a *Agent) run(ctx context.Context, cancel context.CancelFunc, s *openSession, rec toolset.Recorder, t *toolset.Tool, call toolset.Call) (done event.ToolCompleted, err error) {
	if !s.begin(call.ID, cancel) {
		return done, session.ErrDeleted
	}
	defer s.end(call.ID)
	if t.NeedsApproval.Mode == agent.Once && s.log != nil {
		call.ApprovedBefore = slices.Contains(s.log.State().Approved, t.Name)
	}
	call.Target.ID, call.Target.Agent, call.Target.Session = call.ID, a.def.Name, s.id
	if a.hostMCP != nil {
		call.Target.Host = a.hostMCP.Call
	}
	if call.Target.Workspace, err = a.workspace(s); err != nil {
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
