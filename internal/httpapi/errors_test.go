package httpapi_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/httpapi"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
)

// codes are those package api declares.
func codes(t *testing.T) map[api.Code]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../api/error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[api.Code]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Code" {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all[api.Code(code)] = true
		}
		return true
	})
	return all
}

// broken is a store whose reads fail.
type broken struct{ session.Store }

var errDisk = errors.New("the disk says /secret/path is bad")

func (broken) List(context.Context, session.Query) ([]session.Row, error) { return nil, errDisk }

// Every code the API has is provoked here, and every error has the one shape.
func TestErrors(t *testing.T) {
	s := serveAPI(t, nil, nil)
	hasty := serveAPI(t, nil, func(c *httpapi.Config) { c.BodyTimeout = 50 * time.Millisecond })
	gone := s.session().Session
	if a := s.do("DELETE", "/one/v1/sessions/"+gone, ""); a.status != http.StatusOK {
		t.Fatalf("DELETE = %d %s", a.status, a.body)
	}
	kept := s.session()
	locked := serveAPI(t, nil, func(c *httpapi.Config) { c.BearerToken = "secret" })
	bad := serveAPI(t, broken{memstore.New()}, nil)
	drained := serveAPI(t, nil, nil)
	drained.host.Close(t.Context())
	buggy := serveAPI(t, nil, func(c *httpapi.Config) { c.Host = nil })

	seen := map[api.Code]bool{}
	for _, tt := range []struct {
		on                 *served
		method, path, body string
		header             []string
		status             int
		code               api.Code
		field              string
	}{
		{on: s, method: "GET", path: "/nope", status: 404, code: api.CodeNotFound},
		{on: s, method: "GET", path: "/one/v1", status: 404, code: api.CodeNotFound},
		{on: s, method: "GET", path: "/one/v1/info/", status: 404, code: api.CodeNotFound},
		{on: s, method: "GET", path: "/one//v1/info", status: 404, code: api.CodeNotFound},
		{on: s, method: "GET", path: "/one/v1/tools/%2e%2e", status: 404, code: api.CodeNotFound},
		{on: s, method: "GET", path: "/One/v1/info", status: 404, code: api.CodeAgentNotFound},
		{on: s, method: "PATCH", path: "/one/v1/info", status: 405, code: api.CodeMethodNotAllowed},
		{on: s, method: "OPTIONS", path: "/one/v1/tools/echo", status: 405, code: api.CodeMethodNotAllowed},
		{on: s, method: "POST", path: "/healthz", status: 405, code: api.CodeMethodNotAllowed},
		{on: s, method: "GET", path: "/one/v1/info?x=1", status: 400, code: api.CodeInvalidQuery, field: "x"},
		{on: s, method: "POST", path: "/one/v1/tools/echo?session=latest", body: `{}`, status: 400, code: api.CodeInvalidQuery, field: "session"},
		{on: s, method: "GET", path: "/one/v1/tools?session=latest&session=x", status: 400, code: api.CodeInvalidQuery, field: "session"},
		{on: s, method: "GET", path: "/one/v1/tools?session=", status: 400, code: api.CodeInvalidQuery, field: "session"},
		{on: s, method: "GET", path: "/one/v1/tools?%zz", status: 400, code: api.CodeInvalidQuery},
		{on: s, method: "GET", path: "/one/v1/sessions?limit=1001", status: 400, code: api.CodeInvalidQuery, field: "limit"},
		{on: s, method: "GET", path: "/one/v1/sessions?after=ses_x", status: 404, code: api.CodeSessionNotFound, field: "after"},
		{on: s, method: "GET", path: "/one/v1/sessions/" + kept.Session + "/events?from=0", status: 400, code: api.CodeInvalidQuery, field: "from"},
		{on: s, method: "GET", path: "/one/v1/tools/ECHO", status: 404, code: api.CodeToolNotFound},
		{on: s, method: "GET", path: "/one/v1/tools/a%2Fb", status: 404, code: api.CodeToolNotFound},
		{on: s, method: "POST", path: "/one/v1/tools/Echo", body: `{}`, status: 404, code: api.CodeToolNotFound},
		{on: s, method: "POST", path: "/one/v1/tools/count", body: `{"args":{"n":"x"}}`, status: 400, code: api.CodeInvalidArguments, field: "args"},
		{on: s, method: "POST", path: "/one/v1/tools/ask", body: `{}`, status: 409, code: api.CodeApprovalRequired, field: "approve"},
		{on: s, method: "GET", path: "/one/v1/sessions/ses_nope", status: 404, code: api.CodeSessionNotFound, field: "session"},
		{on: s, method: "GET", path: "/two/v1/sessions/latest", status: 404, code: api.CodeSessionNotFound, field: "session"},
		{on: s, method: "GET", path: "/two/v1/sessions/" + kept.Session, status: 404, code: api.CodeSessionNotFound, field: "session"},
		{on: s, method: "GET", path: "/two/v1/tools?continuationToken=" + kept.ContinuationToken, status: 404, code: api.CodeSessionNotFound, field: "continuationToken"},
		{on: s, method: "GET", path: "/one/v1/sessions/" + gone + "/events", status: 410, code: api.CodeSessionDeleted, field: "session"},
		{on: s, method: "POST", path: "/one/v1/tools/echo", body: `{"session":"` + gone + `"}`, status: 410, code: api.CodeSessionDeleted, field: "session"},
		{on: s, method: "GET", path: "/one/v1/info", header: []string{"Host: evil.test"}, status: 403, code: api.CodeForbidden},
		{on: s, method: "POST", path: "/one/v1/tools/echo", body: "[]", status: 400, code: api.CodeInvalidBody},
		{on: locked, method: "GET", path: "/nope", status: 401, code: api.CodeUnauthorized},
		{on: bad, method: "GET", path: "/one/v1/sessions/latest", status: 500, code: api.CodeStorageFailed},
		{on: drained, method: "POST", path: "/one/v1/tools/echo", body: `{}`, status: 503, code: api.CodeDraining},
		{on: drained, method: "POST", path: "/one/v1/sessions", status: 503, code: api.CodeDraining},
		{on: drained, method: "GET", path: "/readyz", status: 503, code: api.CodeDraining},
		{on: buggy, method: "GET", path: "/one/v1/info", status: 500, code: api.CodeInternal},
	} {
		t.Run(string(tt.code)+" "+tt.method+" "+tt.path, func(t *testing.T) {
			a := tt.on.do(tt.method, tt.path, tt.body, tt.header...)
			if a.err == nil {
				t.Fatalf("%d %s is no error of the API", a.status, a.body)
			}
			if a.status != tt.status || a.err.Code != tt.code || a.err.Field != tt.field || a.err.Message == "" {
				t.Errorf("got %d %s, want %d %s on field %q", a.status, a.body, tt.status, tt.code, tt.field)
			}
			if kind := a.header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("Content-Type is %q", kind)
			}
			if strings.Contains(a.body, "/secret/path") || strings.Contains(a.body, "goroutine") {
				t.Errorf("the answer tells of the inside: %s", a.body)
			}
			if a.status == http.StatusInternalServerError && !strings.Contains(tt.on.log.String(), "errorId="+a.err.ErrorID) {
				t.Errorf("errorId %q is not in the log:\n%s", a.err.ErrorID, tt.on.log)
			}
			seen[a.err.Code] = true
		})
	}
	for code, tt := range map[api.Code]struct {
		on   *served
		body *slowBody
	}{
		api.CodeBodyTooLarge: {s, &slowBody{total: 50 << 20}}, api.CodeBodyTimeout: {hasty, &slowBody{total: 1 << 10, stall: hasty.closing}},
	} {
		a := tt.on.post(t, "/one/v1/tools/echo", tt.body)
		if a.err == nil || a.err.Code != code || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %s", code, a.status, a.body)
			continue
		}
		seen[a.err.Code] = true
	}
	for code := range codes(t) {
		if !seen[code] {
			t.Errorf("no request here provokes %s", code)
		}
	}
	if logged := bad.log.String() + buggy.log.String(); !strings.Contains(logged, "/secret/path") || !strings.Contains(logged, "nil pointer") {
		t.Errorf("the log does not have the causes:\n%s", logged)
	}
}

func TestQueryStringsAreNotLogged(t *testing.T) {
	s := serveAPI(t, broken{memstore.New()}, nil)
	if a := s.do("GET", "/one/v1/tools?session=latest", ""); a.status != http.StatusInternalServerError {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	s.do("GET", "/one/v1/tools?continuationToken=ct_secret", "")
	if log := s.log.String(); !strings.Contains(log, "path=/one/v1/tools ") || strings.Contains(log, "latest") || strings.Contains(log, "ct_secret") {
		t.Errorf("log:\n%s", log)
	}
}

func TestHeadAnswersAsGetWithoutABody(t *testing.T) {
	s := serveAPI(t, nil, nil)
	id := s.session().Session
	for _, path := range []string{"/", "/healthz", "/one/v1/tools", "/one/v1/sessions/" + id, "/one/v1/sessions/" + id + "/events?follow=1", "/nope"} {
		head := s.do("HEAD", path, "")
		if !strings.Contains(path, "follow") {
			get := s.do("GET", path, "")
			if get.header.Get("Content-Length") != head.header.Get("Content-Length") {
				t.Errorf("HEAD %s has length %s, GET %s", path, head.header.Get("Content-Length"), get.header.Get("Content-Length"))
			}
		}
		if head.body != "" || path != "/nope" && head.status != http.StatusOK {
			t.Errorf("HEAD %s = %d with %d bytes", path, head.status, len(head.body))
		}
	}
}

func TestETag(t *testing.T) {
	s := serveAPI(t, nil, nil)
	etag := s.do("GET", "/one/v1/tools", "").header.Get("ETag")
	if etag == "" || etag[0] != '"' {
		t.Fatalf("ETag is %q", etag)
	}
	for _, path := range []string{"/one/v1/tools", "/one/v1/tools/echo"} {
		for given, status := range map[string]int{
			etag: 304, `"x", ` + etag: 304, "W/" + etag: 304, "*": 304, `"x"`: 200, strings.Trim(etag, `"`): 200,
		} {
			a := s.do("GET", path, "", "If-None-Match: "+given)
			if a.status != status || a.header.Get("ETag") != etag || status == 304 && a.body != "" {
				t.Errorf("GET %s with %s = %d, ETag %s, %d bytes; want %d", path, given, a.status, a.header.Get("ETag"), len(a.body), status)
			}
		}
	}
	if a := s.do("POST", "/one/v1/tools/echo", `{}`); a.header.Get("ETag") != etag {
		t.Errorf("a call's ETag is %s, want %s", a.header.Get("ETag"), etag)
	}
	if a := s.do("POST", "/one/v1/tools/nope", `{}`); a.status != 404 || a.header.Get("ETag") != etag {
		t.Errorf("a call of a tool that is not there = %d, ETag %s, want %s", a.status, a.header.Get("ETag"), etag)
	}
	if a := s.do("GET", "/one/v1/tools/nope", "", "If-None-Match: *"); a.status != 404 {
		t.Errorf("a tool that is not there = %d", a.status)
	}
}
