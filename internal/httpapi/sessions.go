package httpapi

import (
	"net/http"

	"agsh.dev/api"
	"agsh.dev/internal/session"
)

// maxPage is the most sessions of one listing.
const maxPage = 1000

func (*handler) createSession(req *request) (any, error) {
	if err := decodeOptional(req, fields{}); err != nil {
		return nil, err
	}
	id, token, err := req.agent.CreateSession(req.Context(), req.principal())
	if err != nil {
		return nil, err
	}
	req.status = http.StatusCreated
	return api.NewSession{Session: id, ContinuationToken: token}, nil
}

func (*handler) sessions(req *request) (any, error) {
	limit, err := req.query.number("limit", 100)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxPage {
		return nil, api.Errorf(api.CodeInvalidQuery, "limit=%d: want 1 to %d", limit, maxPage).WithField("limit")
	}
	found, next, err := req.agent.Sessions(req.Context(), req.query["after"], int(limit))
	if err != nil {
		return nil, err
	}
	list := api.SessionList{Sessions: make([]api.Session, 0, len(found)), Next: next}
	for _, s := range found {
		list.Sessions = append(list.Sessions, describe(s, ""))
	}
	return list, nil
}

func (*handler) session(req *request) (any, error) {
	state, token, err := req.agent.Session(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return describe(state, token), nil
}

func describe(s session.State, token string) api.Session {
	return api.Session{
		Session: s.Session, Agent: s.Agent, Status: string(s.Status), Owner: s.Owner,
		Created: s.Created, Active: s.Active, LastSeq: s.LastSeq, OpenCalls: len(s.Open),
		Scratch: s.Scratch, ContinuationToken: token,
	}
}

func (*handler) deleteSession(req *request) (any, error) {
	id, err := req.agent.DeleteSession(req.Context(), req.principal(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return api.Deleted{Session: id, Status: string(session.Deleted)}, nil
}
