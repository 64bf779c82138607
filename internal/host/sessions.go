package host

import (
	"context"
	"errors"

	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// A Binding names a session by id, by "latest" or by continuation token; the
// zero value names none.
type Binding struct {
	Session string
	Token   string
}

// resolve returns the id b names, or "" when it names none. Latest of an
// agent without sessions names none. Binding changes nothing.
func (a *Agent) resolve(ctx context.Context, b Binding) (string, error) {
	switch {
	case b.Session != "" && b.Token != "":
		return "", api.Errorf(api.CodeInvalidQuery, "both session and continuationToken are given").
			WithHint("give one of them").WithField("continuationToken")
	case b.Token != "":
		row, err := a.host.cfg.Store.FindToken(ctx, session.Hash(b.Token))
		if errors.Is(err, session.ErrNotFound) || err == nil && row.Agent != a.def.Name {
			return "", api.Errorf(api.CodeSessionNotFound, "no session has this continuation token").
				WithHint("it may have been replaced by a newer one; GET …/v1/sessions/{id} shows the current one").WithField("continuationToken")
		}
		return row.Session, storeError("", err)
	case b.Session == api.Latest:
		rows, err := a.list(ctx, "", 1)
		if err != nil || len(rows) == 0 {
			return "", err
		}
		return rows[0].Session, nil
	}
	return b.Session, nil
}

// use opens a session of this agent; the caller releases it.
func (a *Agent) use(ctx context.Context, id string) (*openSession, error) {
	s, err := a.host.registry.acquire(ctx, id, func() (*session.Log, error) {
		return session.Open(context.WithoutCancel(ctx), a.host.sessions, id)
	})
	if err != nil {
		return nil, storeError(id, err)
	}
	switch state := s.log.State(); {
	case state.Agent != a.def.Name:
		a.host.registry.release(s)
		return nil, storeError(id, session.ErrNotFound)
	case state.Status == session.Deleted:
		a.host.registry.release(s)
		return nil, storeError(id, session.ErrDeleted)
	}
	a.host.settleOrphans(ctx, s)
	return s, nil
}

// open opens the session that b names, or returns nil when it names none.
// What is the latest session may be deleted between the two steps; then the
// next one is.
func (a *Agent) open(ctx context.Context, b Binding) (*openSession, error) {
	for {
		id, err := a.resolve(ctx, b)
		if err != nil || id == "" {
			return nil, err
		}
		s, err := a.use(ctx, id)
		if e, ok := errors.AsType[*api.Error](err); ok && e.Code == api.CodeSessionDeleted && b.Session == api.Latest {
			continue
		}
		return s, err
	}
}

// CreateSession starts an empty session and returns its id and continuation
// token.
func (a *Agent) CreateSession(ctx context.Context, p Principal) (id, token string, err error) {
	if err := a.host.enter(); err != nil {
		return "", "", err
	}
	defer a.host.running.Done()
	id = a.host.cfg.NewID("ses_")
	token = a.host.cfg.TokenKey.Token(id, 1)
	_, err = session.Create(ctx, a.host.sessions, id, p.ID, a.started(token, false))
	if err != nil {
		return "", "", storeError(id, err)
	}
	return id, token, nil
}

func (a *Agent) started(token string, scratch bool) event.SessionStarted {
	return event.SessionStarted{Agent: a.def.Name, ConfigHash: a.def.ConfigHash, TokenHash: session.Hash(token), Scratch: scratch}
}

// list returns rows, newest activity first.
func (a *Agent) list(ctx context.Context, after string, limit int) ([]session.Row, error) {
	rows, err := a.host.cfg.Store.List(ctx, session.Query{Agent: a.def.Name, After: after, Limit: limit})
	if errors.Is(err, session.ErrNotFound) {
		return nil, api.Errorf(api.CodeSessionNotFound, "no session %q to continue after", after).WithField("after")
	}
	return rows, storeError(after, err)
}

// Sessions returns at most limit sessions by activity, newest first, from
// after on, and the id that continues the listing, or "".
func (a *Agent) Sessions(ctx context.Context, after string, limit int) (page []session.State, next string, err error) {
	rows, err := a.list(ctx, after, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].Session
	}
	page = make([]session.State, len(rows))
	for i, row := range rows {
		if page[i], err = session.FromRow(row); err != nil {
			return nil, "", storeError(row.Session, err)
		}
	}
	return page, next, nil
}

// Session describes one session, which may be "latest", with the continuation
// token it has now.
func (a *Agent) Session(ctx context.Context, id string) (session.State, string, error) {
	s, err := a.bound(ctx, id)
	if err != nil {
		return session.State{}, "", err
	}
	defer a.host.registry.release(s)
	state := s.log.State()
	return state, a.host.cfg.TokenKey.Token(state.Session, state.Generation), nil
}

// bound opens the session that id, perhaps "latest", names.
func (a *Agent) bound(ctx context.Context, id string) (*openSession, error) {
	s, err := a.open(ctx, Binding{Session: id})
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, api.Errorf(api.CodeSessionNotFound, "agent %s has no session yet", a.def.Name).
			WithHint("start one with POST /" + a.def.Name + "/v1/sessions").WithField("session")
	}
	return s, nil
}

// Log returns a session's log for reading and following. The caller calls
// release when done.
func (a *Agent) Log(ctx context.Context, id string) (log *session.Log, release func(), err error) {
	s, err := a.bound(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return s.log, func() { a.host.registry.release(s) }, nil
}

// DeleteSession cancels what runs in a session, removes its files and leaves
// a tombstone in its log. If it fails the session goes on, perhaps without
// its files.
func (a *Agent) DeleteSession(ctx context.Context, p Principal, id string) (string, error) {
	if err := a.host.enter(); err != nil {
		return "", err
	}
	defer a.host.running.Done()
	s, err := a.bound(ctx, id)
	if err != nil {
		return "", err
	}
	defer a.host.registry.release(s)
	s.shut()
	defer s.reopen()
	if err := s.settle(ctx, a.host.deleteWait); err != nil {
		return "", err
	}
	// The files go first: were the process killed in between, nobody would
	// look for those of a session that is no more.
	if err := a.removeFiles(s); err != nil {
		return "", err
	}
	if err := s.log.Delete(context.WithoutCancel(ctx), p.ID); err != nil {
		return "", storeError(s.id, err)
	}
	return s.id, nil
}
