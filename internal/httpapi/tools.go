package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/event"
	"agsh.dev/internal/host"
	"agsh.dev/internal/toolset"
)

func (h *handler) agents(req *request) (any, error) {
	list := api.Agents{Agents: []api.AgentRef{}}
	for _, a := range h.cfg.Host.Agents() {
		list.Agents = append(list.Agents, api.AgentRef{Slug: a.Slug(), URL: h.base(req.Request) + "/" + a.Slug(), Description: a.Description()})
	}
	return list, nil
}

// base is how the client of r reaches this server.
func (h *handler) base(r *http.Request) string {
	if h.cfg.PublicURL != "" {
		return strings.TrimSuffix(h.cfg.PublicURL, "/")
	}
	return "http://" + r.Host
}

func (*handler) info(req *request) (any, error) { return req.agent.Info(), nil }

// namespace returns the tools and the session they are asked for, if any. It
// sets the ETag, and reports whether the client has that version already.
func namespace(req *request) (set *toolset.Set, session string, known bool, err error) {
	bind, err := binding(req.query.get("session"), req.query.get("continuationToken"), api.CodeInvalidQuery)
	if err != nil {
		return nil, "", false, err
	}
	if session, err = req.agent.Bind(req.Context(), bind); err != nil {
		return nil, "", false, err
	}
	if set, err = req.agent.Namespace(req.Context()); err != nil {
		return nil, "", false, err
	}
	req.w.Header().Set("ETag", set.ETag())
	return set, session, fresh(req.Request, set.ETag()), nil
}

func (*handler) tools(req *request) (any, error) {
	set, session, known, err := namespace(req)
	if err != nil {
		return nil, err
	}
	if known {
		req.status = http.StatusNotModified
		return nil, nil
	}
	list := api.ToolList{Tools: make([]api.ToolEntry, 0, len(set.Tools())), Session: session, Unavailable: []api.Unavailable{}}
	for _, t := range set.Tools() {
		list.Tools = append(list.Tools, api.ToolEntry{Name: t.Name, Title: t.Title, Source: source(t)})
	}
	for _, u := range set.Unavailable() {
		list.Unavailable = append(list.Unavailable, api.Unavailable{Connection: u.Connection, Error: u.Err.Error()})
	}
	for _, d := range set.Diagnostics() {
		list.Diagnostics = append(list.Diagnostics, api.Diagnostic{Code: d.Code, Message: d.Message})
	}
	return list, nil
}

func (*handler) tool(req *request) (any, error) {
	set, _, known, err := namespace(req)
	if err != nil {
		return nil, err
	}
	fold, err := req.query.flag("fold")
	if err != nil {
		return nil, err
	}
	find := set.Lookup
	if fold {
		find = set.Fold
	}
	t, ok := find(req.PathValue("name"))
	if !ok {
		return nil, req.agent.ToolNotFound(req.PathValue("name"), set)
	}
	if known {
		req.status = http.StatusNotModified
		return nil, nil
	}
	d := api.ToolDetail{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output,
		Effect: string(t.Effect), Approval: approval(t.NeedsApproval), Source: source(t),
	}
	if t.Display != nil {
		d.Display = &api.Display{Kind: t.Display.Kind, Detail: t.Display.Detail}
	}
	return d, nil
}

func source(t *toolset.Tool) api.Source {
	return api.Source{Kind: string(t.Source), Connection: t.Connection, Connector: t.Connector}
}

func approval(a agent.Approval) json.RawMessage {
	mode := a.Mode
	if mode == "" {
		mode = agent.Never
	}
	var v any = mode
	if len(a.When) > 0 {
		v = map[string]any{"when": a.When}
	}
	b, _ := json.Marshal(v) // strings and maps of strings always encode
	return b
}

func (h *handler) call(req *request) (any, error) {
	call := host.CallRequest{Name: req.PathValue("name")}
	var session, token *string
	err := decode(req, fields{"args": &call.Args, "session": &session, "continuationToken": &token, "approve": &call.Approve})
	if err != nil {
		return nil, err
	}
	if call.Binding, err = binding(session, token, api.CodeInvalidBody); err != nil {
		return nil, err
	}
	var progress *progressStream
	if accepts(req.Request, lines.contentType) {
		progress = &progressStream{out: newSender(req.w, h.cfg.WriteTimeout)}
		call.Progress = progress.report
	}
	id, done, err := req.agent.Call(req.Context(), req.principal(), call)
	version, versionErr := req.agent.Version()
	if err == nil {
		err = versionErr
	}
	if err != nil && !progress.begun() {
		return nil, err
	}
	if err != nil {
		if known, _ := h.known(req.Request, err); known != nil {
			progress.end(known, nil, "")
		}
		return nil, nil
	}
	res := api.CallResult{
		Session: id, CallID: done.CallID, Content: done.Content, StructuredContent: done.StructuredContent,
		IsError: done.Status != event.StatusOK, Truncated: done.Truncated,
	}
	if res.Content == nil {
		res.Content = []event.Block{}
	}
	if progress.begun() {
		progress.end(nil, &res, version)
		return nil, nil
	}
	req.w.Header().Set("ETag", version)
	return res, nil
}
