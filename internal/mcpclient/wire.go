package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
)

const (
	dialTimeout    = 10 * time.Second
	listenPatience = time.Second
	maxMessage     = 64 << 20
	maxRedirects   = 5
	// streamRetries is how often in a row the stream of notices may end
	// without one. Proxies end quiet streams again and again, and giving up
	// would take the calls under way with it.
	streamRetries = 1000
)

// A wire is the HTTP side of one connection to a server: a round tripper below
// the SDK's transport. It puts the configured headers on every request, fills
// the captures of requests, and keeps the stream of notices, which servers may
// offer or not, from delaying or breaking the rest.
type wire struct {
	base    *http.Transport
	headers map[string]string
	// listened is set once the server offered the stream of notices.
	listened atomic.Bool
}

func newWire(c agent.Connection) *wire {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &wire{headers: c.Headers, base: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: dialTimeout,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		// A server that answers with plain JSON sends its header at the end of
		// the call.
		ResponseHeaderTimeout: c.TotalTimeout + slack,
	}}
}

func (w *wire) transport(endpoint string) mcp.Transport {
	return &mcp.StreamableClientTransport{
		Endpoint:     endpoint,
		HTTPClient:   &http.Client{Transport: w, CheckRedirect: sameOrigin},
		MaxRetries:   streamRetries,
		MaxEventSize: maxMessage,
	}
}

// sameOrigin refuses redirects to where the configured headers must not go.
func sameOrigin(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	if from := via[0].URL; req.URL.Scheme != from.Scheme || req.URL.Host != from.Host {
		return fmt.Errorf("the server redirects to another address, %s://%s; put that one in url: if it is right", req.URL.Scheme, req.URL.Host)
	}
	return nil
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	if req.Method == http.MethodGet && req.Header.Get("Last-Event-Id") == "" || req.Header.Get("Mcp-Method") == "subscriptions/listen" {
		return w.listen(req)
	}
	cap := captureOf(req.Context())
	if cap == nil {
		cap = &capture{} // nobody's
	}
	cap.update(func(c *capture) { c.sent, c.refusal, c.failure = true, refusal{}, nil })
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		failure := unreachable(req.URL, err)
		cap.update(func(c *capture) { c.sent, c.failure = !failure.unsent, failure })
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		cap.update(func(c *capture) { c.refusal = refusalOf(resp) })
	}
	body := io.ReadCloser(&limitedBody{ReadCloser: resp.Body, left: maxMessage})
	switch mediaType(resp) {
	case "application/json":
		resp.Body = &jsonBody{ReadCloser: body, cap: cap}
	case "text/event-stream":
		resp.Body = &eventBody{ReadCloser: resp.Body, cap: cap}
	default:
		resp.Body = body
	}
	return resp, nil
}

func mediaType(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

func (w *wire) close() { w.base.CloseIdleConnections() }

// A refusal is an HTTP error status, and the scheme of credentials it asks for.
type refusal struct {
	status int
	scheme string
}

func refusalOf(resp *http.Response) refusal {
	// What follows the scheme may be anything, so nothing of it is shown.
	scheme, _, _ := strings.Cut(strings.TrimSpace(resp.Header.Get("Www-Authenticate")), " ")
	if strings.ContainsFunc(scheme, func(r rune) bool { return r != '-' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) {
		scheme = ""
	}
	return refusal{resp.StatusCode, bound(scheme, 32)}
}

// explain says in words what a status means, for a request that failed with
// err and that nothing but the status explains.
func (r refusal) explain(endpoint string, err error) error {
	status := fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
	switch {
	case errors.Is(err, mcp.ErrSessionMissing):
		return fmt.Errorf("the server answers %s: it does not know the session: %w", status, mcp.ErrSessionMissing)
	case r.status == http.StatusUnauthorized && r.scheme != "":
		return fmt.Errorf("the server answers %s and wants credentials (%s): headers: is the place for them", status, r.scheme)
	case r.status == http.StatusUnauthorized:
		return fmt.Errorf("the server answers %s: headers: is the place for credentials", status)
	case r.status == http.StatusForbidden:
		return fmt.Errorf("the server answers %s: the credentials in headers: do not suffice", status)
	case r.status == http.StatusNotFound:
		return fmt.Errorf("no MCP server answers at %s (%s): the url: is wrong, or the server is another one", address(endpoint), status)
	}
	return fmt.Errorf("the server answers %s: %w", status, err)
}

// address is a URL without what may be secret in it.
func address(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "url:"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// listen asks for a stream of notices. A server that does not offer one is as
// good as one that offers it: the SDK, which would wait for the first and give
// up the connection for the second, gets a stream on which nothing happens.
func (w *wire) listen(req *http.Request) (*http.Response, error) {
	late := &lateBody{got: make(chan *http.Response), done: req.Context().Done(), closed: make(chan struct{})}
	failed := make(chan error, 1)
	go func() { // ends with the request, which ends with the connection
		resp, err := w.base.RoundTrip(req)
		if err != nil {
			failed <- err
			return
		}
		select {
		case late.got <- resp:
		case <-late.done:
			resp.Body.Close()
		case <-late.closed:
			resp.Body.Close()
		}
	}()
	patience := time.NewTimer(listenPatience)
	defer patience.Stop()
	select {
	case resp := <-late.got:
		if resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
			w.listened.Store(true)
			return resp, nil
		}
		if w.listened.Load() {
			return resp, nil // a session may be lost: the SDK tells
		}
		resp.Body.Close()
	case err := <-failed:
		if w.listened.Load() {
			return nil, err // it is there: the SDK tries again
		}
	case <-patience.C:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: late, ContentLength: -1, Request: req,
	}, nil
}

// A lateBody is the body of a stream whose header may still come.
type lateBody struct {
	got    chan *http.Response
	done   <-chan struct{}
	closed chan struct{}
	once   sync.Once // closes closed
	body   io.ReadCloser
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.body == nil {
		select {
		case resp := <-b.got:
			b.body = resp.Body
			if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
				resp.Body.Close()
				b.body = nil
				<-b.done
				return 0, context.Canceled
			}
		case <-b.done:
			return 0, context.Canceled
		}
	}
	return b.body.Read(p)
}

func (b *lateBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	if b.body != nil {
		return b.body.Close()
	}
	return nil
}
