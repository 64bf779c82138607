package api

import (
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
	"syscall"
	"unicode/utf8"
)

// An answer is a decoded body. lacks names a key that every answer of its kind
// has and this one has not, or is "".
type answer interface{ lacks() string }

func (a *Agents) lacks() string     { return lacking("agents", a.Agents == nil) }
func (a *Info) lacks() string       { return lacking("name", a.Name == "") }
func (a *ToolList) lacks() string   { return lacking("tools", a.Tools == nil) }
func (a *ToolDetail) lacks() string { return lacking("name", a.Name == "") }
func (a *SessionList) lacks() string {
	return lacking("sessions", a.Sessions == nil)
}
func (a *Session) lacks() string { return lacking("session", a.Session == "") }
func (a *Deleted) lacks() string { return lacking("session", a.Session == "") }

func (a *CallResult) lacks() string {
	return lacking("session", a.Session == "") + lacking("content", a.Session != "" && a.Content == nil)
}

func (a *NewSession) lacks() string {
	return lacking("session", a.Session == "") + lacking("continuationToken", a.Session != "" && a.ContinuationToken == "")
}

func lacking(key string, lacks bool) string {
	if lacks {
		return key
	}
	return ""
}

// decode reads an answer of this API: a success with a JSON body, or an error.
func (c *Client) decode(res *http.Response, b []byte, out answer) error {
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); {
	case res.StatusCode >= http.StatusBadRequest:
		var body ErrorBody
		if json.Unmarshal(b, &body) == nil && body.Error != nil && body.Error.Code != "" {
			return c.censor(body.Error, res.StatusCode)
		}
		err := c.nonsense(res, "expected JSON", b)
		if json.Valid(b) {
			err = c.nonsense(res, "its error is none of this API", b)
		}
		switch res.StatusCode { // a proxy in front has no words of this API for it
		case http.StatusUnauthorized:
			return &Error{Code: CodeUnauthorized, Message: err.Error(), Status: res.StatusCode}
		case http.StatusForbidden:
			return &Error{Code: CodeForbidden, Message: err.Error(), Status: res.StatusCode}
		}
		return err
	case res.StatusCode/100 != 2:
		return c.nonsense(res, "expected an answer", b)
	case kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return c.nonsense(res, "expected JSON", b)
	}
	if err := json.Unmarshal(b, out); err != nil {
		return c.nonsense(res, misfit(err), b)
	}
	if key := out.lacks(); key != "" {
		return c.nonsense(res, "expected an answer of this API: it has no "+key, b)
	}
	return nil
}

// misfit says why an answer cannot be decoded.
func misfit(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return "expected JSON"
	case wrong.Field == "":
		return "expected an answer of this API: it cannot be of type " + wrong.Value
	}
	return fmt.Sprintf("expected an answer of this API: its %s cannot be of type %s", wrong.Field, wrong.Value)
}

// censor takes the token out of an error, whoever echoes it.
func (c *Client) censor(e *Error, status int) *Error {
	return &Error{
		Code: Code(c.redact(string(e.Code))), Message: c.redact(e.Message), Hint: c.redact(e.Hint),
		Field: c.redact(e.Field), ErrorID: c.redact(e.ErrorID), Status: status,
	}
}

func (c *Client) redact(s string) string {
	if c.token == "" {
		return s
	}
	return strings.ReplaceAll(s, c.token, "[redacted]")
}

// nonsense is the error for an answer that is not one of this API. It shows
// where it came from and a little of it.
func (c *Client) nonsense(res *http.Response, what string, body []byte) error {
	msg := fmt.Sprintf("%s answered %s", c.base.Host, c.excerpt(res.Status))
	if kind := res.Header.Get("Content-Type"); kind != "" {
		msg += " (" + c.excerpt(kind) + ")"
	}
	msg += ": " + c.redact(what)
	if body != nil || res.ContentLength == 0 {
		if text := c.excerpt(string(body[:min(len(body), maxExcerpt*4+len(c.token))])); text != "" {
			msg += "; it begins with: " + text
		} else {
			msg += "; it is empty"
		}
	}
	return &UnreachableError{URL: c.URL(), Err: errors.New(msg)}
}

// excerpt is the beginning of what a server sent. The token goes first: of one
// cut in two, half would stay.
func (c *Client) excerpt(s string) string { return excerpt(c.redact(s)) }

// maxExcerpt is the most bytes an excerpt has.
const maxExcerpt = 160

func excerpt(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 4*maxExcerpt)], "\ufffd")), " ")
	if len(s) <= maxExcerpt {
		return s
	}
	cut := maxExcerpt
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// unreachable is the error for an exchange without an answer.
func (c *Client) unreachable(ctx context.Context, res *http.Response, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errRedirect):
		where := ""
		if res != nil {
			where = " to " + c.redact(shown(res.Header.Get("Location")))
		}
		err = fmt.Errorf("%s answered with a redirect%s; redirects are refused: give the agent's own address", c.base.Host, where)
	default:
		err = fmt.Errorf("cannot reach %s: %s", c.base.Host, c.cause(err))
	}
	return &UnreachableError{URL: c.URL(), Err: err}
}

// cause says why an exchange failed, without the method and the URL, and
// without more of what a server sent than is useful.
func (c *Client) cause(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("there was no whole answer within %v", Patience)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed before the answer was whole"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		err = op.Err // the address is told already
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "connection refused; is it being served?"
	}
	return c.excerpt(err.Error())
}
