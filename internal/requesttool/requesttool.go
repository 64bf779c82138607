// Package requesttool runs tools that are HTTP requests: arguments go into the
// path, the query and the body, what the server answers is the result.
package requesttool

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agsh.dev/agent"
	"agsh.dev/internal/placeholder"
)

// A Config is what requests need from outside. Its zero value works.
type Config struct {
	// Log gets one debug record a request, without its query; nil drops it.
	Log *slog.Logger
	// UserAgent names the program to servers, unless a header of the tool does;
	// empty means agent-sdk.
	UserAgent string
	// MaxBody is the most bytes read of one answer, after decompression; 0
	// means 16 MiB.
	MaxBody int
	// Resolver finds the addresses of names; nil means [net.DefaultResolver].
	Resolver Resolver
	// Dialer connects to addresses that may be connected to; nil means a
	// [net.Dialer].
	Dialer Dialer
	// RootCAs sign the servers' certificates; nil means the system's.
	RootCAs *x509.CertPool
}

const (
	defaultMaxBody = 16 << 20
	maxRedirects   = 5
	maxHeader      = 256 << 10
	// maxShown bounds what an error shows of a text that a server chose.
	maxShown = 2 << 10
)

// New makes r callable. The returned Run is safe for concurrent use. It makes
// one request, and follows at most 5 redirects of a GET or HEAD without a body
// to the same scheme, host and port.
//
// An answer of a status other than 2xx is an error result that says the status
// and has the body. An error means that there was no answer, or none that may
// be followed; its text has no query. A request that is not well formed makes
// every call an error.
//
// Connections go to addresses of the public internet only, unless
// r.AllowPrivate is set, and never through a proxy, which would choose the
// address itself. They are kept for later calls and closed when idle.
//
// In the path an argument is required, and neither empty nor a way to another
// path. In the query and a form, an argument that is absent or null is left
// out and an array repeats its parameter. A JSON body keeps the order and the
// digits of what was sent.
func New(r agent.Request, cfg Config) agent.Func {
	cfg = cfg.withDefaults()
	def := r.Definition
	if def.Timeout <= 0 {
		def.Timeout = agent.DefaultTimeout
	}
	t, err := newTool(r, cfg)
	if err != nil {
		err = fmt.Errorf("tool %s: %w", r.Name, err)
		return agent.Func{Definition: def, Run: func(context.Context, json.RawMessage) (agent.Result, error) {
			return agent.Result{}, err
		}}
	}
	t.timeout = def.Timeout
	return agent.Func{Definition: def, Run: t.run}
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.Dialer == nil {
		c.Dialer = &net.Dialer{}
	}
	c.UserAgent = cmp.Or(c.UserAgent, "agent-sdk")
	c.MaxBody = cmp.Or(c.MaxBody, defaultMaxBody)
	return c
}

// A tool is a request with what its calls need.
type tool struct {
	name, method string
	target       target
	encode       encoding
	headers      http.Header
	host         string // of the Host header; "" means the URL's
	timeout      time.Duration
	secrets      redactor
	maxBody      int
	log          *slog.Logger
	transport    http.RoundTripper
}

func newTool(r agent.Request, cfg Config) (*tool, error) {
	goal, err := parseTarget(r)
	if err != nil {
		return nil, err
	}
	encode, err := encodingOf(r)
	if err != nil {
		return nil, err
	}
	t := &tool{
		name: r.Name, method: cmp.Or(r.Method, http.MethodGet), target: goal, encode: encode,
		headers: http.Header{"Accept": {"application/json, */*;q=0.8"}, "User-Agent": {cfg.UserAgent}},
		secrets: newRedactor(r.Headers), maxBody: cfg.MaxBody, log: cfg.Log,
	}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Host") {
			t.host = value
			continue
		}
		t.headers.Set(name, value)
	}
	g := guard{resolver: cfg.Resolver, dialer: cfg.Dialer, allowPrivate: r.AllowPrivate}
	t.transport = &http.Transport{
		Proxy:                  nil, // see New
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
	return t, nil
}

// A request is what one call sends.
type request struct {
	url  *url.URL
	body []byte
	kind string // Content-Type of body
}

// request makes the request of a call. It depends on nothing but the tool and
// args.
func (t *tool) request(raw json.RawMessage) (request, error) {
	args, err := placeholder.ReadArguments(raw)
	if err != nil {
		return request{}, err
	}
	load := t.encode(args.Without(t.target.names()))
	u, err := t.target.url(args, load.query)
	return request{url: u, body: load.body, kind: load.contentType}, err
}

func (t *tool) run(ctx context.Context, raw json.RawMessage) (agent.Result, error) {
	req, err := t.request(raw)
	if err != nil {
		return agent.Result{}, fmt.Errorf("tool %s: %w", t.name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	where := t.method + " " + shown(req.url)
	res, err := t.exchange(ctx, req)
	switch {
	case err == nil:
		return res, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("it did not finish within %s", t.timeout)
	case ctx.Err() != nil:
		err = fmt.Errorf("stopped: %w", ctx.Err())
	default:
		// What failed may quote the server, or a header. The attempts to reach
		// several addresses are a line each.
		err = errors.New(cut(strings.ReplaceAll(t.secrets.failures.Replace(err.Error()), "\n", "; ")))
	}
	return agent.Result{}, fmt.Errorf("call %s: %w", t.secrets.failures.Replace(where), err)
}

// exchange sends req, follows where it is led and makes a result of the
// answer.
func (t *tool) exchange(ctx context.Context, req request) (agent.Result, error) {
	for hop := 0; ; hop++ {
		resp, err := t.send(ctx, req)
		if err != nil {
			return agent.Result{}, err
		}
		next, err := t.redirect(req, resp, hop)
		if next == nil && err == nil {
			defer resp.Body.Close()
			return t.result(req.url, resp)
		}
		// What little a redirect says is read, so that its connection serves again.
		_, _ = io.CopyN(io.Discard, resp.Body, maxShown)
		resp.Body.Close()
		if err != nil {
			return agent.Result{}, err
		}
		req.url = next
	}
}

// send makes one request. The caller closes the body of the answer.
func (t *tool) send(ctx context.Context, req request) (*http.Response, error) {
	var body io.Reader
	if req.body != nil {
		body = bytes.NewReader(req.body)
	}
	r, err := http.NewRequestWithContext(ctx, t.method, "", body)
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = req.url, cmp.Or(t.host, req.url.Host)
	r.Header = t.headers.Clone()
	if req.kind != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", req.kind)
	}
	began := time.Now()
	resp, err := t.transport.RoundTrip(r)
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	call, _ := agent.CallFrom(ctx)
	t.log.LogAttrs(ctx, slog.LevelDebug, "tool made a request",
		slog.String("tool", t.name), slog.String("agent", call.Agent), slog.String("session", call.Session),
		slog.String("call", call.ID), slog.String("method", t.method),
		slog.String("url", t.secrets.failures.Replace(shown(req.url))), slog.Int("status", status),
		slog.Int64("durationMs", time.Since(began).Milliseconds()))
	return resp, err
}

// shown is a URL without its query, which may hold what is private.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

func cut(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
