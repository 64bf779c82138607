package httpapi

import (
	"net/http"

	"agsh.dev/api"
	"agsh.dev/internal/host"
	"agsh.dev/internal/session"
)

// maxPage is the most sessions of one listing.
const maxPage = 1000

func (h *handler) createSession(w http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	if r.Body != http.NoBody {
		if err := decode(w, r, &struct{}{}); err != nil {
			return nil, err
		}
	}
	id, token, err := a.CreateSession(r.Context(), principal(r))
	if err != nil {
		return nil, err
	}
	h.write(w, r, http.StatusCreated, api.NewSession{Session: id, ContinuationToken: token})
	return nil, nil //nolint:nilnil // answered
}

func (h *handler) sessions(_ http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	q, err := query(r, "after", "limit")
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 100)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxPage {
		return nil, api.Errorf(api.CodeInvalidQuery, "limit=%d: want 1 to %d", limit, maxPage).WithField("limit")
	}
	rows, next, err := a.Sessions(r.Context(), principal(r), q["after"], int(limit))
	if err != nil {
		return nil, err
	}
	list := api.SessionList{Sessions: make([]api.Session, 0, len(rows)), Next: next}
	for _, row := range rows {
		list.Sessions = append(list.Sessions, api.Session{
			Session: row.Session, Agent: row.Agent, Status: string(row.Status), Owner: row.Owner,
			Created: row.Created, Active: row.Active, LastSeq: row.LastSeq, OpenCalls: row.Open,
		})
	}
	return list, nil
}

func (h *handler) session(_ http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	state, token, err := a.Session(r.Context(), principal(r), r.PathValue("id"))
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

func (h *handler) deleteSession(_ http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	id, err := a.DeleteSession(r.Context(), principal(r), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return api.Deleted{Session: id, Status: string(session.Deleted)}, nil
}
