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

// bound returns the session that tools are asked for, if any.
func bound(req *request) (session string, err error) {
	bind, err := binding(req.query.get("session"), req.query.get("continuationToken"), api.CodeInvalidQuery)
	if err != nil {
		return "", err
	}
	return req.agent.Bind(req.Context(), bind)
}

// tagged tells the client the version of the namespace, and reports whether
// it is the one that the client has.
func tagged(req *request, version string) (known bool) {
	req.w.Header().Set("ETag", version)
	return fresh(req.Request, version)
}

func (*handler) tools(req *request) (any, error) {
	session, err := bound(req)
	if err != nil {
		return nil, err
	}
	set, err := req.agent.Namespace(req.Context())
	if err != nil {
		return nil, err
	}
	if tagged(req, set.ETag()) {
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
	if _, err := bound(req); err != nil {
		return nil, err
	}
	fold, err := req.query.flag("fold")
	if err != nil {
		return nil, err
	}
	t, err := req.agent.Tool(req.Context(), req.PathValue("name"), fold)
	if err != nil {
		return nil, err
	}
	version, err := req.agent.Version()
	if err != nil {
		return nil, err
	}
	if tagged(req, version) {
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
	if !progress.begun() && version != "" {
		req.w.Header().Set("ETag", version) // also of a failure: the tool may be gone
	}
	if err != nil && !progress.begun() {
		return nil, err
	}
	if err != nil {
		if known, _ := h.known(req.Request, err); known != nil {
			progress.end(known, nil, version)
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
	return res, nil
}
