package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Binding names the session a request is about: by id, by [Latest] or by
// continuation token. The zero value names none.
type Binding struct {
	Session           string
	ContinuationToken string
}

func (b Binding) query() url.Values {
	q := url.Values{}
	if b.Session != "" {
		q.Set("session", b.Session)
	}
	if b.ContinuationToken != "" {
		q.Set("continuationToken", b.ContinuationToken)
	}
	return q
}

// Agents lists the agents of the server the target is on. The target may
// lack a slug.
func (c *Client) Agents(ctx context.Context) ([]AgentRef, error) {
	root := *c
	root.base = &url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Path: parent(c.base.Path), RawPath: parent(c.base.EscapedPath())}
	var out Agents
	err := root.do(ctx, &request{method: http.MethodGet, path: "/", out: &out})
	return out.Agents, err
}

// parent is a path without its last element.
func parent(path string) string {
	return strings.TrimRight(path[:strings.LastIndexByte(path, '/')+1], "/")
}

// Info returns the agent's manifest.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var out Info
	err := c.do(ctx, &request{method: http.MethodGet, path: "/v1/info", out: &out})
	return out, err
}

// Tools lists the live namespace.
func (c *Client) Tools(ctx context.Context, b Binding) (ToolList, error) {
	var out ToolList
	q := request{method: http.MethodGet, path: "/v1/tools", query: b.query(), out: &out}
	err := c.do(ctx, &q)
	out.ETag = q.etag
	return out, err
}

// Tool describes one tool. With fold a name that differs only in case finds
// it too; the answer has the real name.
func (c *Client) Tool(ctx context.Context, name string, fold bool, b Binding) (ToolDetail, error) {
	var out ToolDetail
	query := b.query()
	if fold {
		query.Set("fold", "1")
	}
	path, err := toolPath(name)
	if err != nil {
		return out, err
	}
	q := request{method: http.MethodGet, path: path, query: query, out: &out}
	err = c.do(ctx, &q)
	out.ETag = q.etag
	if err == nil && out.Name != name && (!fold || !strings.EqualFold(out.Name, name)) {
		return out, &UnreachableError{URL: c.URL(), Err: fmt.Errorf("%s was asked for the tool %q and describes %q", c.base.Host, name, c.excerpt(out.Name))}
	}
	return out, err
}

// Call runs a tool by its exact name. It ends the call on the server too
// when ctx ends.
func (c *Client) Call(ctx context.Context, name string, req CallRequest) (CallResult, error) {
	var out CallResult
	path, err := toolPath(name)
	if err != nil {
		return out, err
	}
	q := request{method: http.MethodPost, path: path, in: req, out: &out, patient: true, progress: req.OnProgress}
	err = c.do(ctx, &q)
	out.ETag = q.etag
	return out, err
}

// toolPath refuses what a URL path cannot carry: no tool has such a name.
func toolPath(name string) (string, error) {
	if !isSegment(name) {
		return "", Errorf(CodeToolNotFound, "no tool can have the name %q", name)
	}
	return "/v1/tools/" + url.PathEscape(name), nil
}

func sessionPath(id string) (string, error) {
	if !isSegment(id) {
		return "", Errorf(CodeSessionNotFound, "no session can have the id %q", id)
	}
	return "/v1/sessions/" + url.PathEscape(id), nil
}

// isSegment reports whether s can be one segment of a path.
func isSegment(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\x00")
}

// NewSession starts an empty session.
func (c *Client) NewSession(ctx context.Context) (NewSession, error) {
	var out NewSession
	err := c.do(ctx, &request{method: http.MethodPost, path: "/v1/sessions", out: &out})
	return out, err
}

// Session describes one session, which may be [Latest].
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	var out Session
	path, err := sessionPath(id)
	if err != nil {
		return out, err
	}
	err = c.do(ctx, &request{method: http.MethodGet, path: path, out: &out})
	return out, err
}

// Sessions lists sessions by activity, newest first, from after on.
func (c *Client) Sessions(ctx context.Context, after string) (SessionList, error) {
	q := url.Values{}
	if after != "" {
		q.Set("after", after)
	}
	var out SessionList
	err := c.do(ctx, &request{method: http.MethodGet, path: "/v1/sessions", query: q, out: &out})
	return out, err
}

// DeleteSession cancels and deletes a session.
func (c *Client) DeleteSession(ctx context.Context, id string) (Deleted, error) {
	var out Deleted
	path, err := sessionPath(id)
	if err != nil {
		return out, err
	}
	err = c.do(ctx, &request{method: http.MethodDelete, path: path, out: &out})
	return out, err
}
