package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The limits of a [Client].
const (
	// MaxAnswer is the most bytes of an answer; a server's own answers are
	// never larger.
	MaxAnswer = 16 << 20
	// Patience is the longest wait for a whole answer to anything but a call,
	// which may take as long as its tool does.
	Patience = time.Minute
	// maxHeaders is the most bytes of an answer's header fields.
	maxHeaders = 1 << 20
)

// Config configures a [Client]. The zero value works.
type Config struct {
	// BearerToken goes with every request. It is never sent to another
	// origin, since redirects are refused.
	BearerToken string
	// Transport makes the requests; nil means a plain HTTP transport. With an
	// [http.RoundTripper] onto a handler the client works in process.
	Transport http.RoundTripper
	// UserAgent names the program; "" means agsh.
	UserAgent string
}

// A Client talks to one served agent. It is safe for concurrent use.
//
// Its methods return an [*Error] when the server answers with one, and an
// [*UnreachableError] when no usable answer comes.
type Client struct {
	base  *url.URL // of the agent, without a trailing slash
	token string
	agent string
	http  *http.Client
}

// errRedirect stops a redirect: it would carry the token elsewhere.
var errRedirect = errors.New("redirect")

// NewClient returns a client of the agent at target, an http or https URL
// whose path is the agent's slug, perhaps below a prefix. A bearer token for
// plain http is only accepted when the host is this machine.
func NewClient(target string, cfg Config) (*Client, error) {
	base, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	if cfg.BearerToken != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		return nil, fmt.Errorf("target %q: a bearer token over plain http would be readable on the way; use https", shown(target))
	}
	if strings.ContainsFunc(cfg.BearerToken, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, errors.New("the bearer token has a line break or another control character in it")
	}
	c := &Client{base: base, token: cfg.BearerToken, agent: cfg.UserAgent}
	if c.agent == "" {
		c.agent = "agsh"
	}
	rt := cfg.Transport
	if rt == nil {
		rt = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: maxHeaders,
			DisableCompression:     true,
			ForceAttemptHTTP2:      base.Scheme == "https",
			IdleConnTimeout:        time.Minute,
		}
	}
	c.http = &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
	return c, nil
}

// Agent is the slug of the agent, or "" when the target names none.
func (c *Client) Agent() string { return c.base.Path[strings.LastIndexByte(c.base.Path, '/')+1:] }

// WithAgent returns a client of another agent of the same server, at a target
// that names none.
func (c *Client) WithAgent(slug string) *Client {
	d := *c
	base := *c.base
	base.Path, base.RawPath = base.Path+"/"+slug, base.EscapedPath()+"/"+url.PathEscape(slug)
	d.base = &base
	return &d
}

// URL is the agent's base URL.
func (c *Client) URL() string { return c.base.String() }

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// A request is one exchange: in is encoded as the body unless nil, out gets
// the decoded answer.
type request struct {
	method string
	path   string // below the base, escaped
	query  url.Values
	in     any
	out    answer
	// patient waits for the answer as long as the caller does.
	patient bool
	// progress, if set, gets the lines that come before a result.
	progress func(Progress)
	etag     string // of the answer, set by do
}

func (c *Client) do(ctx context.Context, q *request) error {
	var body io.Reader
	if q.in != nil {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false) // a server's limit is for what the caller says
		if err := enc.Encode(q.in); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	}
	target := c.base.String() + q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	within := ctx
	if !q.patient {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, Patience)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(within, q.method, target, body)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	if q.progress != nil {
		req.Header.Set("Accept", "application/json, "+ndjson)
	}
	req.Header.Set("User-Agent", c.agent)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(ctx, res, err)
	}
	defer res.Body.Close()
	q.etag = res.Header.Get("ETag")
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); q.progress != nil && kind == ndjson && res.StatusCode == http.StatusOK {
		return c.readLines(ctx, q, res)
	}
	b, err := read(res)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.nonsense(res, fmt.Sprintf("the answer broke off after %d bytes: %s", len(b), c.cause(err)), nil)
	case len(b) > MaxAnswer:
		return c.nonsense(res, fmt.Sprintf("the answer is larger than %d MiB", MaxAnswer>>20), nil)
	}
	return c.decode(res, b, q.out)
}

// read reads a body up to one byte more than is taken.
func read(res *http.Response) ([]byte, error) {
	var b bytes.Buffer
	if n := res.ContentLength; n > 0 && n <= MaxAnswer {
		b.Grow(int(n) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(res.Body, MaxAnswer+1))
	return b.Bytes(), err
}
