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
	"unicode/utf8"
)

// MaxAnswer is the most bytes of an answer a [Client] takes; a server's own
// answers are never larger.
const MaxAnswer = 16 << 20

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
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("target %q: want a URL such as http://127.0.0.1:39400/executor", redactURL(target))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("target %q: a target has no user, query or fragment; give a credential as a bearer token", redactURL(target))
	}
	if cfg.BearerToken != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("target %q: a bearer token over plain http would be readable on the way; use https", target)
	}
	if strings.ContainsAny(cfg.BearerToken, "\r\n\x00") {
		return nil, errors.New("the bearer token has a line break in it")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	c := &Client{base: u, token: cfg.BearerToken, agent: cfg.UserAgent}
	if c.agent == "" {
		c.agent = "agsh"
	}
	rt := cfg.Transport
	if rt == nil {
		rt = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			MaxIdleConnsPerHost:   4,
			DisableCompression:    true,
			ForceAttemptHTTP2:     u.Scheme == "https",
			IdleConnTimeout:       time.Minute,
			ResponseHeaderTimeout: 0, // a call may take as long as its tool may
		}
	}
	c.http = &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
	return c, nil
}

func redactURL(s string) string {
	if u, err := url.Parse(s); err == nil {
		return u.Redacted()
	}
	return s
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Agent is the slug of the agent, or "" when the target names none.
func (c *Client) Agent() string { return c.base.Path[strings.LastIndexByte(c.base.Path, '/')+1:] }

// WithAgent returns a client of another agent of the same server.
func (c *Client) WithAgent(slug string) *Client {
	d := *c
	d.base = c.base.JoinPath(url.PathEscape(slug))
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
	out    any
	header http.Header // of the answer, set by do
}

func (c *Client) do(ctx context.Context, q *request) error {
	var body io.Reader
	if q.in != nil {
		b, err := json.Marshal(q.in)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	target := c.base.String() + q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, q.method, target, body)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(ctx, res, err)
	}
	defer res.Body.Close()
	q.header = res.Header
	b, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.nonsense(res, fmt.Sprintf("the answer broke off after %d bytes: %v", len(b), transportCause(err)), nil)
	case len(b) > MaxAnswer:
		return c.nonsense(res, fmt.Sprintf("the answer is larger than %d MiB", MaxAnswer>>20), nil)
	}
	return c.decode(res, b, q.out)
}

// decode reads an answer by what it is, not by what it claims to be.
func (c *Client) decode(res *http.Response, b []byte, out any) error {
	if res.StatusCode >= 400 {
		var body ErrorBody
		if json.Unmarshal(b, &body) == nil && body.Error != nil && body.Error.Code != "" {
			body.Error.Status = res.StatusCode
			return body.Error
		}
		return c.nonsense(res, "expected JSON", b)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind != "application/json" {
		return c.nonsense(res, "expected JSON", b)
	}
	if err := json.Unmarshal(b, out); err != nil {
		return c.nonsense(res, "expected JSON, and what came cannot be read as such", b)
	}
	return nil
}

// nonsense is the error for an answer that is not one of this API. It shows
// where it came from and a little of it.
func (c *Client) nonsense(res *http.Response, what string, body []byte) error {
	msg := fmt.Sprintf("%s answered %s", c.base.Host, res.Status)
	if kind := res.Header.Get("Content-Type"); kind != "" {
		msg += " (" + kind + ")"
	}
	msg += ": " + what
	if body != nil {
		if text := excerpt(body); text != "" {
			msg += "; it begins with: " + text
		} else {
			msg += "; it is empty"
		}
	}
	return &UnreachableError{URL: c.URL(), Err: errors.New(strings.ReplaceAll(msg, c.secret(), "[redacted]"))}
}

// secret is what must not be echoed: never the empty string.
func (c *Client) secret() string {
	if c.token == "" {
		return "\x00"
	}
	return c.token
}

func excerpt(b []byte) string {
	const most = 160
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 4*most)]), "�")), " ")
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func (c *Client) unreachable(ctx context.Context, res *http.Response, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errRedirect) {
		where := ""
		if res != nil {
			where = " to " + redactURL(res.Header.Get("Location"))
		}
		return &UnreachableError{URL: c.URL(), Err: fmt.Errorf("%s answered with a redirect%s; redirects are refused: give the agent's own address", c.base.Host, where)}
	}
	return &UnreachableError{URL: c.URL(), Err: fmt.Errorf("cannot reach %s: %w", c.base.Host, transportCause(err))}
}

// transportCause takes off the wrapping that repeats method and URL.
func transportCause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the connection was closed before the answer was whole")
	}
	return err
}
