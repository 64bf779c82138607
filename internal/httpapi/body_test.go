package httpapi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/httpapi"
)

// A slowBody is a body of unknown length; with stall it stops in the middle
// until that is closed.
type slowBody struct {
	total int
	sent  atomic.Int64
	stall <-chan struct{}
}

func (b *slowBody) Read(p []byte) (int, error) {
	left := b.total - int(b.sent.Load())
	if left == 0 {
		if b.stall != nil {
			<-b.stall
		}
		return 0, io.EOF
	}
	n := min(left, len(p))
	for i := range p[:n] {
		p[i] = ' '
	}
	b.sent.Add(int64(n))
	return n, nil
}

// post sends a body and reads the answer. Who goes on sending long after the
// answer has its connection reset, which may overtake the answer: on a busy
// machine that happens, and the request is made again.
func (s *served) post(t *testing.T, path string, body *slowBody, header ...string) answer {
	t.Helper()
	for attempt := 1; ; attempt++ {
		res, err := s.tryPost(t, path, body, header...)
		if err == nil {
			return read(t, res)
		}
		if attempt == 5 || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			t.Fatal(err)
		}
		body.sent.Store(0)
	}
}

func (s *served) tryPost(t *testing.T, path string, body *slowBody, header ...string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, io.NopCloser(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	return new(http.Transport).RoundTrip(req)
}

// R77: a limit holds for what is sent, not for what is announced, and whoever
// has no credential is told so before anything is read.
func TestR77_BodiesAreBounded(t *testing.T) {
	open := serveAPI(t, nil, func(c *httpapi.Config) { c.BodyTimeout = 200 * time.Millisecond })
	locked := serveAPI(t, nil, func(c *httpapi.Config) { c.BearerToken = "secret" })
	const huge = 50 << 20
	for _, tt := range []struct {
		name   string
		on     *served
		path   string
		body   *slowBody
		header []string
		code   api.Code
		most   int64 // bytes the server lets the client send
	}{
		{"huge, without a length", open, "/one/v1/tools/echo", &slowBody{total: huge}, nil, api.CodeBodyTooLarge, 16 << 20},
		{"huge, where a body means nothing", open, "/one/v1/sessions", &slowBody{total: huge}, nil, api.CodeBodyTooLarge, 16 << 20},
		{"huge, on no route", open, "/nope", &slowBody{total: huge}, nil, api.CodeNotFound, 16 << 20},
		{"huge, without a credential", locked, "/one/v1/tools/echo", &slowBody{total: huge}, nil, api.CodeUnauthorized, 16 << 20},
		{"huge, with one", locked, "/one/v1/tools/echo", &slowBody{total: huge}, []string{"Authorization: Bearer secret"}, api.CodeBodyTooLarge, 16 << 20},
		{"one that stops", open, "/one/v1/tools/echo", &slowBody{total: 100, stall: open.closing}, nil, api.CodeBodyTimeout, 100},
		// Its deadline is 30 s: the answer does not wait for the body.
		{"one that stops, without a credential", locked, "/one/v1/tools/echo", &slowBody{total: 100, stall: locked.closing}, nil, api.CodeUnauthorized, 100},
		{"one that stops, on no route", locked, "/nope", &slowBody{total: 100, stall: locked.closing}, []string{"Authorization: Bearer secret"}, api.CodeNotFound, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			a := tt.on.post(t, tt.path, tt.body, tt.header...)
			if a.err == nil || a.err.Code != tt.code {
				t.Fatalf("got %d %s, want %s", a.status, a.body, tt.code)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("the answer took %s", took)
			}
			if sent := tt.body.sent.Load(); sent > tt.most {
				t.Errorf("%d bytes were taken, want at most %d", sent, tt.most)
			}
			runtime.ReadMemStats(&after)
			if grew := after.TotalAlloc - before.TotalAlloc; grew > 16<<20 {
				t.Errorf("%d bytes were allocated for it", grew)
			}
			if a := tt.on.do("GET", "/healthz", ""); a.status != http.StatusOK {
				t.Errorf("others get %d", a.status)
			}
		})
	}
}

// raw sends bytes as they are and reads one answer.
func (s *served) raw(t *testing.T, text string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, res)
}

func TestBodiesThatLieAboutThemselves(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.BodyTimeout = 100 * time.Millisecond })
	const head = "POST /one/v1/tools/echo HTTP/1.1\r\nHost: localhost\r\n"
	for name, tt := range map[string]struct {
		text   string
		status int
	}{
		"shorter than it says":             {head + "Content-Length: 100\r\n\r\n{}", 408},
		"longer than it says":              {head + "Content-Length: 2\r\n\r\n{}{}", 200},
		"huge, as it says":                 {head + "Content-Length: 52428800\r\n\r\n{", 413},
		"waiting to be asked":              {head + "Expect: 100-continue\r\nContent-Length: 52428800\r\n\r\n", 413},
		"waiting, on no route":             {strings.Replace(head, "echo", "echo/x", 1) + "Expect: 100-continue\r\nContent-Length: 52428800\r\n\r\n", 404},
		"a broken chunk":                   {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		"compressed":                       {head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 400},
		"as it is, said so":                {head + "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", 200},
		"an absolute target elsewhere":     {"GET http://evil.test/one/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n", 403},
		"an absolute target here":          {"GET http://localhost/one/v1/info HTTP/1.1\r\nHost: evil.test\r\n\r\n", 200},
		"an empty Host":                    {"GET /one/v1/info HTTP/1.1\r\nHost:\r\n\r\n", 403},
		"a tunnel":                         {"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", 403},
		"a new session, empty and chunked": {"POST /one/v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 201},
	} {
		if a := s.raw(t, tt.text); a.status != tt.status {
			t.Errorf("%s: got %d %s, want %d", name, a.status, a.body, tt.status)
		}
	}
}

func TestBodiesAreReadExactly(t *testing.T) {
	s := serveAPI(t, nil, nil)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tt := range map[string]struct {
		body, says string // says "" means that it is accepted
	}{
		"empty":                   {"  \n", "not a JSON object"},
		"a list":                  {`[]`, "not a JSON object"},
		"cut":                     {`{"args":{`, "ends in the middle"},
		"a comma too many":        {`{"args":{},}`, "not valid JSON"},
		"two":                     {`{}{}`, "behind its JSON object"},
		"unknown":                 {`{"arg":{}}`, `unknown field \"arg\"`},
		"another case":            {`{"Args":{}}`, `unknown field \"Args\"`},
		"twice":                   {`{"approve":false,"approve":true}`, "given twice"},
		"a wrong type":            {`{"session":1}`, `\"session\" cannot be a number`},
		"a session nobody set":    {`{"session":""}`, "session is empty"},
		"a token nobody set":      {`{"continuationToken":""}`, "continuationToken is empty"},
		"both":                    {`{"session":"latest","continuationToken":"ct_x"}`, "both"},
		"no UTF-8":                {"{\"args\":{\"a\":\"\xff\"}}", "not UTF-8"},
		"deep":                    {`{"args":{"a":` + nested(999) + `}}`, "deep"},
		"less deep":               {`{"args":{"a":` + nested(150) + `}}`, ""},
		"brackets in text":        {`{"args":{"a":"` + strings.Repeat(`\"[`, 3000) + `"}}`, ""},
		"white space around":      {" \r\n{\"args\" : { } }\n ", ""},
		"null where it is absent": {`{"session":null,"continuationToken":null,"approve":null}`, ""},
	} {
		a := s.do("POST", "/one/v1/tools/echo", tt.body)
		switch {
		case tt.says == "" && a.status != http.StatusOK:
			t.Errorf("%s: got %d %s", name, a.status, a.body)
		case tt.says != "" && (a.status != http.StatusBadRequest || !strings.Contains(a.body, tt.says)):
			t.Errorf("%s: got %d %s, want it to say %q", name, a.status, a.body, tt.says)
		}
	}
	if a := s.do("POST", "/one/v1/sessions", `{"agent":"two"}`); a.status != http.StatusBadRequest {
		t.Errorf("a session with wishes = %d %s", a.status, a.body)
	}
}

func TestNumbersAreKeptToTheLastDigit(t *testing.T) {
	s := serveAPI(t, nil, nil)
	id := s.session().Session
	const args = `{"big":123456789012345678901234567890.1000,"e":1E400,"z":-0.0}`
	a := s.do("POST", "/one/v1/tools/echo", fmt.Sprintf(`{"session":%q,"args":%s}`, id, args))
	if !strings.Contains(a.body, `"structuredContent":`+args) {
		t.Errorf("the answer is %s", a.body)
	}
	if b := s.do("GET", "/one/v1/sessions/"+id+"/events", "").body; strings.Count(b, args) != 2 {
		t.Errorf("the events are %s", b)
	}
}

// What is special in HTML is not in JSON: an answer is as long as its output.
func TestMarkupIsSentAsItIs(t *testing.T) {
	s := serveAPI(t, nil, nil)
	a := s.do("POST", "/one/v1/tools/markup", "{}")
	if a.status != http.StatusOK || strings.Contains(a.body, `"truncated"`) || len(a.body) > 10<<20+1<<10 {
		t.Errorf("an output of 10 MiB is answered by %d and %d bytes: %.100q…%.100q", a.status, len(a.body), a.body, a.body[len(a.body)-100:])
	}
}
