package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient/stdio"
)

type runFunc = func(ctx context.Context, args json.RawMessage) (agent.Result, error)

// runner makes the function that calls a tool, over whatever session there is
// then.
func (l *link) runner(upstream string) runFunc {
	return func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
		return l.call(ctx, upstream, args)
	}
}

// call calls a tool, connecting first if there is no session. Only a call that
// the server has not taken is made again, once, over a new session.
func (l *link) call(ctx context.Context, upstream string, args json.RawMessage) (agent.Result, error) {
	res, err := l.within(ctx, upstream, args)
	if err != nil {
		return agent.Result{}, l.hide.error(fmt.Errorf("call %s of connection %s: %w", bound(upstream, 128), l.conn.Name, err))
	}
	return res, nil
}

func (l *link) within(ctx context.Context, upstream string, args json.RawMessage) (agent.Result, error) {
	ctx, cancel, leave, err := l.life.join(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	defer leave()
	limit := newLimit(l.conn.Timeout, l.conn.TotalTimeout, cancel)
	defer limit.stop()
	for replayed := false; ; replayed = true {
		s, err := l.session(ctx)
		if err != nil {
			return agent.Result{}, err
		}
		if !l.offers(upstream) {
			// A session that broke meanwhile offers nothing.
			if !s.isOver() || replayed {
				return agent.Result{}, errGone
			}
			l.drop(s, s.err)
			continue
		}
		res, taken, err := l.ask(ctx, s, limit, upstream, args)
		if err == nil || taken {
			return res, err
		}
		l.drop(s, err)
		if replayed {
			return res, err
		}
	}
}

// ask makes one call over a session. It reports false as taken if the session
// is broken and the server has not taken the call.
func (l *link) ask(ctx context.Context, s *session, limit *limit, upstream string, args json.RawMessage) (res agent.Result, taken bool, err error) {
	limit.extend()
	token, done := s.calls.add(func(p agent.Progress) {
		limit.extend()
		agent.Report(ctx, p)
	})
	defer done() // before the limit stops, which progress would start again

	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	cap := &capture{}
	_, err = s.conn.CallTool(cap.in(ctx), &mcp.CallToolParams{
		Meta: mcp.Meta{"progressToken": token}, Name: upstream, Arguments: args,
	})
	cap.close()
	if raw := cap.result(); raw != nil && (err == nil || !wantsInput(raw)) {
		// Also if the SDK cannot read what there is.
		res, err = readResult(raw)
		return res, true, err
	}
	if ctx.Err() != nil {
		return res, true, context.Cause(ctx)
	}
	if err == nil {
		err = errors.New("the server answers with nothing")
	}
	var exit *stdio.ExitError
	missing := errors.Is(err, mcp.ErrSessionMissing)
	unsent := !cap.isSent() && (errors.Is(err, mcp.ErrConnectionClosed) || errors.As(err, &exit) || s.isOver() || cap.failed() != nil)
	err = s.carrier.explain(err, cap)
	var refused *jsonrpc.Error
	switch {
	case cap.failed() != nil && !unsent:
		err = fmt.Errorf("the call may or may not have happened: %w", err)
	case errors.As(err, &refused):
		err = fmt.Errorf("the server refuses: %w", refused)
	case !missing && !unsent && (s.isOver() || errors.As(err, &exit)):
		err = fmt.Errorf("the connection broke, and the call may or may not have happened: %w", err)
	}
	return res, !missing && !unsent, err
}

// wantsInput says whether an answer is a question of the server, which the SDK
// answers or refuses.
func wantsInput(raw json.RawMessage) bool {
	var answer struct {
		ResultType string `json:"resultType"`
	}
	return json.Unmarshal(raw, &answer) == nil && answer.ResultType == "input_required"
}
