package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"agsh.dev/internal/httpapi"
)

// R40: on a loopback address only this machine is served, whatever a page
// whose name was rebound, or a proxy, sends.
func TestR40_OnlyThisMachine(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.AllowedHosts = []string{"proxy.test", "exact.test:8443"} })
	for header, want := range map[string]int{
		"Host: localhost":                       200,
		"Host: LOCALHOST:1":                     200,
		"Host: 127.0.0.1":                       200,
		"Host: 127.8.9.1:80":                    200,
		"Host: [::1]":                           200,
		"Host: [::1]:39400":                     200,
		"Host: [::ffff:127.0.0.1]:1":            200,
		"Host: proxy.test":                      200,
		"Host: Proxy.Test:1234":                 200,
		"Host: exact.test:8443":                 200,
		"Host: exact.test":                      403,
		"Host: exact.test:1":                    403,
		"Host: evil.test":                       403,
		"Host: localhost.evil.test":             403,
		"Host: 127.0.0.1.evil.test":             403,
		"Host: evil.test:127":                   403,
		"Host: localhost@evil.test":             403,
		"Host: 10.0.0.1":                        403,
		"Host: 0.0.0.0":                         403,
		"Host: [::]":                            403,
		"Host: [fe80::1]":                       403,
		"Host: 2130706433":                      403,
		"Host: 127.1":                           403,
		"Origin: http://localhost:8080":         200,
		"Origin: https://127.0.0.1":             200,
		"Origin: http://[::1]:3000":             200,
		"Origin: https://proxy.test":            200,
		"Origin: null":                          403,
		"Origin: https://evil.test":             403,
		"Origin: http://localhost.evil.test":    403,
		"Origin: http://localhost@evil.test":    403,
		"Origin: file://localhost":              403,
		"Origin: localhost":                     403,
		"Origin: http://localhost, http://evil": 403,
		"Forwarded: for=1.2.3.4":                403,
		"X-Forwarded-For: 127.0.0.1":            403,
		"x-forwarded-host: localhost":           403,
		"X-Forwarded-Proto: https":              403,
	} {
		for _, path := range []string{"/one/v1/info", "/nope", "/one/v1/sessions/ses_x"} {
			a := s.do("GET", path, "", header)
			if refused := a.status == want || want == 200 && a.status != 403; !refused {
				t.Errorf("%s with %s = %d, want %d", path, header, a.status, want)
			}
		}
	}
	two := s.raw(t, "GET /one/v1/info HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n")
	if two.status != http.StatusBadRequest {
		t.Errorf("two Host headers = %d", two.status)
	}
}

func TestBearer(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.BearerToken = "secret"; c.Loopback = false })
	if a := s.raw(t, "GET /one/v1/info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nAuthorization: Bearer x\r\n\r\n"); a.status != http.StatusUnauthorized {
		t.Errorf("two credentials = %d", a.status)
	}
	for given, ok := range map[string]bool{
		"Bearer secret": true, "bearer secret": true, "Bearer  secret": true,
		"": false, "secret": false, "Bearer": false, "Bearer ": false, "Bearer secre": false, "Bearer secrets": false,
		"Bearer Secret": false, "Basic secret": false, "Bearer secret x": false, "Bearer secret, Bearer x": false,
	} {
		// Who calls is asked before anything else, also where nothing is.
		for _, at := range []string{"GET /", "GET /one/v1/info", "GET /nope", "GET /one//x", "PUT /one/v1/info", "GET /one/v1/info?x=1", "POST /one/v1/tools/nope", "DELETE /one/v1/sessions/ses_x", "GET /one/v1/sessions/ses_x/events"} {
			method, path, _ := strings.Cut(at, " ")
			var header []string
			if given != "" {
				header = []string{"Authorization: " + given}
			}
			a := s.do(method, path, "", header...)
			if (a.status != http.StatusUnauthorized) != ok {
				t.Errorf("%s with %q = %d", at, given, a.status)
			}
			if !ok && (a.header.Get("WWW-Authenticate") != "Bearer" || a.header.Get("Allow") != "") {
				t.Errorf("%s with %q has headers %v", at, given, a.header)
			}
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.do("GET", path, ""); a.status != http.StatusOK {
			t.Errorf("GET %s without a token = %d", path, a.status)
		}
	}
	proxied := s.do("GET", "/one/v1/info", "", "Authorization: Bearer secret", "Host: agents.example.com", "X-Forwarded-For: 1.2.3.4")
	if proxied.status != http.StatusOK {
		t.Errorf("behind a proxy, with a token: %d %s", proxied.status, proxied.body)
	}
}
