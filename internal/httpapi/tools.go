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

func (h *handler) agents(_ http.ResponseWriter, r *http.Request) (any, error) {
	list := api.Agents{Agents: []api.AgentRef{}}
	for _, a := range h.cfg.Host.Agents() {
		list.Agents = append(list.Agents, api.AgentRef{Slug: a.Slug(), URL: h.base(r) + "/" + a.Slug(), Description: a.Definition().Description})
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

func (h *handler) info(_ http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	def := a.Definition()
	info := api.Info{
		Name: def.Name, Description: def.Description,
		Tools: []api.InfoTool{}, Skills: []string{}, Connections: []string{}, Diagnostics: []api.Diagnostic{},
	}
	if m := def.Model; m != nil {
		info.Model = &api.Model{Provider: m.Provider, Name: m.Name}
	}
	set, _, err := a.Tools(r.Context(), principal(r), host.Binding{})
	if err != nil {
		return nil, err
	}
	for _, t := range set.Tools() {
		info.Tools = append(info.Tools, api.InfoTool{
			Name: t.Name, Title: t.Title, Description: t.Description, Effect: string(t.Effect), Source: source(t),
		})
	}
	return info, nil
}

func (h *handler) tools(w http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	q, err := query(r, "session", "continuationToken")
	if err != nil {
		return nil, err
	}
	set, session, err := a.Tools(r.Context(), principal(r), binding(q))
	if err != nil {
		return nil, err
	}
	w.Header().Set("ETag", set.ETag())
	if r.Header.Get("If-None-Match") == set.ETag() {
		w.WriteHeader(http.StatusNotModified)
		return nil, nil //nolint:nilnil // answered
	}
	list := api.ToolList{Tools: make([]api.ToolEntry, 0, len(set.Tools())), Session: session, Unavailable: []api.Unavailable{}}
	for _, t := range set.Tools() {
		list.Tools = append(list.Tools, api.ToolEntry{Name: t.Name, Title: t.Title, Source: source(t)})
	}
	return list, nil
}

func (h *handler) tool(w http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	q, err := query(r, "session", "continuationToken", "fold")
	if err != nil {
		return nil, err
	}
	set, _, err := a.Tools(r.Context(), principal(r), binding(q))
	if err != nil {
		return nil, err
	}
	fold, err := q.flag("fold")
	if err != nil {
		return nil, err
	}
	find := set.Lookup
	if fold {
		find = set.Fold
	}
	w.Header().Set("ETag", set.ETag())
	t, ok := find(r.PathValue("name"))
	if !ok {
		return nil, api.Errorf(api.CodeToolNotFound, "agent %s has no tool %q", a.Slug(), r.PathValue("name")).
			WithHint("list them with GET /" + a.Slug() + "/v1/tools")
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
	return api.Source{Kind: string(t.Source.Kind), Connection: t.Source.Connection, Connector: t.Source.Connector}
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

func (h *handler) call(w http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	var req api.CallRequest
	if err := decode(w, r, &req); err != nil {
		return nil, err
	}
	p := principal(r)
	bind := host.Binding{Session: req.Session, Token: req.ContinuationToken}
	session, done, err := a.Call(r.Context(), p, host.CallRequest{
		Name: r.PathValue("name"), Args: req.Args, Binding: bind, Approve: req.Approve,
	})
	if err != nil {
		return nil, err
	}
	set, _, err := a.Tools(r.Context(), p, host.Binding{})
	if err != nil {
		return nil, err
	}
	w.Header().Set("ETag", set.ETag())
	res := api.CallResult{
		Session: session, CallID: done.CallID, Content: done.Content, StructuredContent: done.StructuredContent,
		IsError: done.Status != event.StatusOK, Truncated: done.Truncated,
	}
	if res.Content == nil {
		res.Content = []event.Block{}
	}
	return res, nil
}
