package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/internal/schema"
)

// A Recorder is the session's log as the gate uses it. Append returns once
// the events are durable.
type Recorder interface {
	Append(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// A Call is one request to run a tool.
type Call struct {
	ID     string
	Args   json.RawMessage // one JSON object, as it came; empty means {}
	Origin event.Origin
	By     string // principal
	// Approved says that the caller approves the call with its request.
	Approved bool
	// ApprovedBefore says that a call of this tool was approved earlier in
	// the session.
	ApprovedBefore bool
	// Target is what the tool is told of the call.
	Target agent.Call
}

// A Gate runs calls. Its zero value works; it holds no state and is safe for
// concurrent use.
type Gate struct {
	// MaxOutput is the most bytes of content a caller gets; 0 means
	// [DirectOutput].
	MaxOutput int
	// Grace is how long a read-only call may run before its request is made
	// durable on its own; 0 means 50 ms.
	Grace time.Duration
	// Stop is how long a tool may go on after its deadline or a cancel
	// before the gate answers without it; 0 means 7 s.
	Stop time.Duration
}

// DirectOutput is the output cap of a direct call: with the envelope around
// it an answer is at most 16 MiB, which is what clients take.
const DirectOutput = 16<<20 - 8<<10

// Call takes one call through the gate: its arguments are held against the
// schema, approval is asked for, the tool runs, and its request and result are
// recorded. What comes back is exactly what the log holds as the call's
// result. An error means that the log could not be written: the tool may have
// run.
//
// A call that writes has its request and start durable before it runs. One
// that only reads has them durable when it is still running after Grace, and
// else together with its result, in one commit, as a call that is refused has.
func (g Gate) Call(ctx context.Context, rec Recorder, t *Tool, call Call) (event.ToolCompleted, error) {
	if len(call.Args) == 0 {
		call.Args = json.RawMessage("{}")
	}
	e := entry{ctx: context.WithoutCancel(ctx), rec: rec, call: call, name: t.Name}
	if t.Canonical != nil {
		call.Args = t.Canonical(call.Args)
	}
	if problems := t.schema.Validate(call.Args); len(problems) > 0 {
		return e.complete(refusal(call.ID, event.StatusInvalid, "invalid_arguments", describe(t.Name, problems)))
	}
	if asks(t.NeedsApproval, call) {
		return e.complete(refusal(call.ID, event.StatusDenied, "approval_required",
			fmt.Sprintf("tool %s needs approval for this call", t.Name)))
	}
	if t.Effect == agent.Read {
		grace := g.Grace
		if grace == 0 {
			grace = 50 * time.Millisecond
		}
		early := time.AfterFunc(grace, func() { _ = e.start() }) // complete says it again
		defer early.Stop()
	} else if err := e.start(); err != nil {
		return event.ToolCompleted{}, err
	}
	began := time.Now()
	done := g.execute(ctx, t, call)
	done.DurationMs = time.Since(began).Milliseconds()
	return e.complete(done)
}

// errTimeout is the cause of an end that the tool's own timeout brought.
var errTimeout = errors.New("the tool's timeout is over")

// execute runs the tool and shapes its result; it never fails.
func (g Gate) execute(ctx context.Context, t *Tool, call Call) event.ToolCompleted {
	ctx, cancel := context.WithTimeoutCause(agent.WithCall(ctx, call.Target), t.Timeout, errTimeout)
	defer cancel()
	res, err := g.run(ctx, t, call.Args)
	if err == nil {
		res, err = recordable(res)
	}
	done := event.ToolCompleted{CallID: call.ID, Status: event.StatusOK, Content: res.Content, StructuredContent: res.Structured}
	failed := err != nil || res.IsError
	switch {
	case failed && errors.Is(context.Cause(ctx), errTimeout):
		done.Status, done.Error = event.StatusError, &event.Error{Code: "timeout", Message: fmt.Sprintf("tool %s did not finish within %s", t.Name, t.Timeout)}
	case failed && ctx.Err() != nil:
		done.Status, done.Error = event.StatusCancelled, &event.Error{Code: "cancelled", Message: "the call was cancelled"}
	case err != nil:
		done.Status, done.Error = event.StatusError, &event.Error{Code: "tool_failed", Message: strings.ToValidUTF8(err.Error(), "\uFFFD")}
	case res.IsError:
		done.Status = event.StatusError
	}
	if res.Size > 0 {
		done.Truncated = &event.Truncated{Bytes: res.Size}
	}
	if done.Error != nil && !res.IsError {
		// A tool that reports an error of its own has said what happened.
		done.Content = append(done.Content, event.Text(done.Error.Message))
	}
	limit := g.MaxOutput
	if limit == 0 {
		limit = DirectOutput
	}
	return capOutput(done, limit)
}

// run calls the tool and waits for it, but not for one that ignores the end
// of its context: a tool written in Go cannot be killed, and its caller must
// still get an answer.
func (g Gate) run(ctx context.Context, t *Tool, args json.RawMessage) (agent.Result, error) {
	type outcome struct {
		res agent.Result
		err error
	}
	out := make(chan outcome, 1)
	go func() {
		var o outcome
		returned := false
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("tool %s panicked: %v", t.Name, p)
			} else if !returned { // it ended the goroutine itself
				o.err = fmt.Errorf("tool %s ended without a result", t.Name)
			}
			out <- o
		}()
		o.res, o.err = t.Run(ctx, args)
		returned = true
	}()
	select {
	case o := <-out:
		return o.res, o.err
	case <-ctx.Done():
	}
	stop := g.Stop
	if stop == 0 {
		stop = 7 * time.Second
	}
	timer := time.NewTimer(stop)
	defer timer.Stop()
	select {
	case o := <-out:
		return o.res, o.err
	case <-timer.C:
		return agent.Result{}, fmt.Errorf("tool %s: still running %s after it was told to stop", t.Name, stop)
	}
}

func refusal(id string, status event.Status, code, message string) event.ToolCompleted {
	return event.ToolCompleted{
		CallID: id, Status: status, Content: []event.Block{event.Text(message)},
		Error: &event.Error{Code: code, Message: message},
	}
}

func describe(name string, problems []schema.Problem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "arguments of tool %s:", name)
	for i, p := range problems {
		if i > 0 {
			b.WriteString(";")
		}
		b.WriteString(" " + p.String())
	}
	return b.String()
}
