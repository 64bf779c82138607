// Package httpapi is the HTTP front door: it decides who may speak, decodes
// requests, calls the host and encodes answers. The bodies are those of
// package api.
package httpapi

import (
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/host"
)

// Config is what a [Handler] is made of.
type Config struct {
	// Host answers the requests; required.
	Host *host.Host
	// BearerToken, if set, is asked of every request but the probes.
	BearerToken string
	// Loopback says that the server listens on a loopback address only: then
	// requests made by web pages of others, and by proxies, are refused.
	Loopback bool
	// AllowedHosts are names beside localhost that a Host header may have,
	// with or without a port; for a proxy in front.
	AllowedHosts []string
	// PublicURL is how clients reach the server; "" takes it from each
	// request.
	PublicURL string
	// BodyTimeout bounds how long a request body may take; 0 means 30 s.
	BodyTimeout time.Duration
	// Heartbeat is how often a silent follower hears from us; 0 means 10 s.
	Heartbeat time.Duration
	// Closing ends followers when the server stops; nil never.
	Closing <-chan struct{}
	// Log gets failures that are the server's own; nil discards.
	Log *slog.Logger
}

// handler serves the API.
type handler struct {
	cfg   Config
	mux   *http.ServeMux
	token [32]byte // SHA-256 of the bearer token
}

// maxBody is the most bytes of a request body.
const maxBody = 1 << 20

// An endpoint answers one method of one route. What it returns is written as
// JSON, or as the error it is.
type endpoint func(h *handler, w http.ResponseWriter, r *http.Request) (any, error)

// routes are the paths of the API and what each method does there. Reads
// answer HEAD too.
var routes = []struct {
	path    string
	methods map[string]endpoint
}{
	{"/{$}", map[string]endpoint{"GET": (*handler).agents}},
	{"/{agent}/v1/info", map[string]endpoint{"GET": onAgent((*handler).info)}},
	{"/{agent}/v1/tools", map[string]endpoint{"GET": onAgent((*handler).tools)}},
	{"/{agent}/v1/tools/{name}", map[string]endpoint{"GET": onAgent((*handler).tool), "POST": onAgent((*handler).call)}},
	{"/{agent}/v1/sessions", map[string]endpoint{"GET": onAgent((*handler).sessions), "POST": onAgent((*handler).createSession)}},
	{"/{agent}/v1/sessions/{id}", map[string]endpoint{"GET": onAgent((*handler).session), "DELETE": onAgent((*handler).deleteSession)}},
	{"/{agent}/v1/sessions/{id}/events", map[string]endpoint{"GET": onAgent((*handler).events)}},
}

// New returns the handler of the whole API.
func New(cfg Config) http.Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.BodyTimeout == 0 {
		cfg.BodyTimeout = 30 * time.Second
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = 10 * time.Second
	}
	h := &handler{cfg: cfg, mux: http.NewServeMux(), token: digest(cfg.BearerToken)}
	for _, route := range routes {
		h.mux.Handle(route.path, h.dispatch(route.methods))
	}
	return h
}

// ServeHTTP guards and routes one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	if r.Body != http.NoBody {
		// The deadline comes first: also a body nobody reads must end some time.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.cfg.BodyTimeout))
	}
	switch r.URL.Path {
	case "/healthz":
		h.write(w, r, http.StatusOK, map[string]string{"status": "ok"})
		return
	case "/readyz":
		h.ready(w, r)
		return
	}
	if err := h.guard(r); err != nil {
		h.fail(w, r, err)
		return
	}
	// The mux would answer an unclean path with a redirect, and an unknown
	// one in plain text.
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path {
		h.fail(w, r, api.Errorf(api.CodeNotFound, "no route %s", r.URL.Path).WithHint("did you mean "+clean+"?"))
		return
	}
	if _, pattern := h.mux.Handler(r); pattern == "" {
		h.fail(w, r, api.Errorf(api.CodeNotFound, "no route %s", r.URL.Path).WithHint("the routes are /{agent}/v1/info, tools and sessions; GET / lists the agents"))
		return
	}
	h.mux.ServeHTTP(w, r)
}

// dispatch chooses by method, so that also a wrong method gets our error.
func (h *handler) dispatch(methods map[string]endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		do, ok := methods[method]
		if !ok {
			allow := allowed(methods)
			w.Header().Set("Allow", allow)
			h.fail(w, r, api.Errorf(api.CodeMethodNotAllowed, "%s does not take %s", r.URL.Path, r.Method).WithHint("it takes "+allow))
			return
		}
		body, err := do(h, w, r)
		switch {
		case err != nil:
			h.fail(w, r, err)
		case body != nil:
			h.write(w, r, http.StatusOK, body)
		}
	})
}

func allowed(methods map[string]endpoint) string {
	var names []string
	for _, m := range []string{"GET", "POST", "DELETE"} {
		if _, ok := methods[m]; ok {
			names = append(names, m)
		}
	}
	return strings.Join(names, ", ")
}

// onAgent finds the agent of the path for an endpoint.
func onAgent(do func(*handler, http.ResponseWriter, *http.Request, *host.Agent) (any, error)) endpoint {
	return func(h *handler, w http.ResponseWriter, r *http.Request) (any, error) {
		slug := r.PathValue("agent")
		a, ok := h.cfg.Host.Agent(slug)
		if !ok {
			return nil, api.Errorf(api.CodeAgentNotFound, "no agent %q here", slug).WithHint("GET / lists the agents")
		}
		return do(h, w, r, a)
	}
}

// principal is who makes a request that passed the guard.
func principal(*http.Request) host.Principal {
	return host.Principal{ID: "operator", Role: host.Operator}
}

func (h *handler) ready(w http.ResponseWriter, r *http.Request) {
	if !h.cfg.Host.Ready() {
		h.fail(w, r, api.Errorf(api.CodeDraining, "the server is shutting down"))
		return
	}
	h.write(w, r, http.StatusOK, map[string]string{"status": "ready"})
}
