package httpapi

import (
	"net/http"
	"strings"

	"agsh.dev/api"
	"agsh.dev/internal/host"
)

// A request is one that passed the guard.
type request struct {
	*http.Request
	w     http.ResponseWriter
	query values
	agent *host.Agent // of the path; nil on routes without one
	// status is sent with what the endpoint returns.
	status int
}

// principal is who makes the request.
func (*request) principal() host.Principal {
	return host.Principal{ID: "operator"}
}

// An endpoint answers one method of one route. What it returns is written as
// JSON, or as the error it is; with nil it has answered itself, or its status
// has no body.
type endpoint func(h *handler, req *request) (any, error)

// An action is an endpoint and the query parameters it takes; a request with
// others is refused before it.
type action struct {
	do     endpoint
	params []string
}

// routes are the paths of the API and what each method does there. Reads
// answer HEAD too.
var routes = []struct {
	path    string
	methods map[string]action
}{
	{"/{$}", map[string]action{"GET": {do: (*handler).agents}}},
	{"/healthz", map[string]action{"GET": {do: (*handler).health}}},
	{"/readyz", map[string]action{"GET": {do: (*handler).ready}}},
	{"/{agent}/v1/info", map[string]action{"GET": {do: (*handler).info}}},
	{"/{agent}/v1/tools", map[string]action{
		"GET": {(*handler).tools, []string{"session", "continuationToken"}},
	}},
	{"/{agent}/v1/tools/{name}", map[string]action{
		"GET":  {(*handler).tool, []string{"session", "continuationToken", "fold"}},
		"POST": {do: (*handler).call},
	}},
	{"/{agent}/v1/sessions", map[string]action{
		"GET":  {(*handler).sessions, []string{"after", "limit"}},
		"POST": {do: (*handler).createSession},
	}},
	{"/{agent}/v1/sessions/{id}", map[string]action{
		"GET":    {do: (*handler).session},
		"DELETE": {do: (*handler).deleteSession},
	}},
	{"/{agent}/v1/sessions/{id}/events", map[string]action{
		"GET": {(*handler).events, []string{"from", "follow", "until"}},
	}},
}

func allowed(methods map[string]action) string {
	var names []string
	for _, m := range []string{"GET", "POST", "DELETE"} {
		if _, ok := methods[m]; ok {
			names = append(names, m)
		}
	}
	return strings.Join(names, ", ")
}

func (h *handler) health(*request) (any, error) { return map[string]string{"status": "ok"}, nil }

func (h *handler) ready(*request) (any, error) {
	if !h.cfg.Host.Ready() {
		return nil, api.Errorf(api.CodeDraining, "the server is shutting down")
	}
	return map[string]string{"status": "ready"}, nil
}
