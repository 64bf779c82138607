// Package httpapi is the HTTP front door: it decides who may speak, decodes
// requests, calls the host and encodes answers. The bodies are those of
// package api.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/host"
)

// Config is what the handler of [New] is made of.
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
	// WriteTimeout bounds how long a client may stand still while it is sent
	// an answer or a stream; 0 means 30 s.
	WriteTimeout time.Duration
	// Heartbeat is how often a silent follower hears from us; 0 means 10 s.
	Heartbeat time.Duration
	// Closing ends when the server stops, and followers with it; nil never
	// does.
	Closing context.Context //nolint:containedctx // it is the server's life, not a request's
	// Log gets failures that are the server's own; nil discards.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.BodyTimeout == 0 {
		c.BodyTimeout = 30 * time.Second
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = 30 * time.Second
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 10 * time.Second
	}
	if c.Closing == nil {
		c.Closing = context.Background()
	}
	return c
}

// handler serves the API.
type handler struct {
	cfg   Config
	mux   *http.ServeMux
	token [32]byte // SHA-256 of the bearer token
}

// New returns the handler of the whole API.
func New(cfg Config) http.Handler {
	h := &handler{cfg: cfg.withDefaults(), mux: http.NewServeMux(), token: digest(cfg.BearerToken)}
	for _, route := range routes {
		h.mux.Handle(route.path, h.dispatch(route.methods))
	}
	h.mux.HandleFunc(anyPath, h.noRoute)
	return h
}

// ServeHTTP guards and routes one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	if hasBody(r) {
		// The deadline comes first: also a body nobody reads must end some time.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.cfg.BodyTimeout))
		// A copy gets the new body. By that of its own request the server sees
		// that a client still sends, and lets it read the answer before it
		// cuts the connection.
		r = r.WithContext(r.Context())
		r.Body = &body{ReadCloser: r.Body}
	}
	defer h.recover(w, r)
	if !probe(r) {
		if err := h.guard(r); err != nil {
			h.fail(w, r, err)
			return
		}
	}
	// The mux would answer an unclean path with a redirect.
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path || clean[0] != '/' {
		h.unclean(w, r, clean)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// anyPath is the pattern of the paths that no route has.
const anyPath = "/"

// noRoute answers for a path that no route has; the mux would in plain text.
func (h *handler) noRoute(w http.ResponseWriter, r *http.Request) {
	h.fail(w, r, notFound(r).WithHint("the routes are /{agent}/v1/info, tools and sessions; GET / lists the agents"))
}

// unclean answers for a path that is not written as routes are.
func (h *handler) unclean(w http.ResponseWriter, r *http.Request, clean string) {
	if _, pattern := h.mux.Handler(r); pattern == anyPath || pattern == "" {
		h.noRoute(w, r)
		return
	}
	h.fail(w, r, notFound(r).WithHint("did you mean "+clean+"?"))
}

func notFound(r *http.Request) *api.Error {
	return api.Errorf(api.CodeNotFound, "no route %s", r.URL.Path)
}

// recover keeps a bug in one request from looking like a network failure: it
// is logged with its stack, and the client gets an id to find it by. What was
// meant to cut the connection still does.
func (h *handler) recover(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	h.fail(w, r, &panicError{value: p, stack: debug.Stack()})
}

// probe reports whether r asks only whether the server is there, which needs
// no credential and tells nothing.
func probe(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }

// dispatch chooses by method, so that also a wrong method gets our error.
func (h *handler) dispatch(methods map[string]action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		act, ok := methods[method]
		if !ok {
			allow := allowed(methods)
			w.Header().Set("Allow", allow)
			h.fail(w, r, api.Errorf(api.CodeMethodNotAllowed, "%s does not take %s", r.URL.Path, r.Method).WithHint("it takes "+allow))
			return
		}
		req := &request{Request: r, w: w, status: http.StatusOK}
		answer, err := h.answer(req, act)
		switch {
		case err != nil:
			h.fail(w, r, err)
		case answer != nil:
			h.write(w, r, req.status, answer)
		case req.status == http.StatusNotModified:
			w.WriteHeader(req.status)
		}
	})
}

// answer finds the agent and the parameters of a request and does what it
// asks.
func (h *handler) answer(req *request, act action) (any, error) {
	if slug := req.PathValue("agent"); slug != "" {
		a, ok := h.cfg.Host.Agent(slug)
		if !ok {
			return nil, api.Errorf(api.CodeAgentNotFound, "no agent %q here", slug).WithHint("GET / lists the agents")
		}
		req.agent = a
	}
	var err error
	if req.query, err = query(req.Request, act.params...); err != nil {
		return nil, err
	}
	return act.do(h, req)
}
