package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agsh.dev/internal/model"
	"agsh.dev/internal/model/openai"
)

func TestWhereRequestsGo(t *testing.T) {
	for base, want := range map[string]string{
		"":                                  "https://api.openai.com/v1/chat/completions",
		"http://localhost:11434":            "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/":           "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/v1":         "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/v1//":       "http://localhost:11434/v1/chat/completions",
		"https://openrouter.ai/api":         "https://openrouter.ai/api/v1/chat/completions",
		"https://h/v1beta/openai/":          "https://h/v1beta/openai/chat/completions",
		"https://h/inference":               "https://h/inference/v1/chat/completions",
		"https://h/x/chat/completions?v=20": "https://h/x/chat/completions?v=20",
		"https://h/openai/v1?api-version=3": "https://h/openai/v1/chat/completions?api-version=3",
	} {
		var got *url.URL
		m := newModel(t, openai.Config{BaseURL: base, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL
			return nil, io.EOF
		})}})
		if _, err := m.Stream(t.Context(), hello(), nil); got == nil || got.String() != want {
			t.Errorf("%q leads to %v, want %s: %v", base, got, want, err)
		}
	}
	for _, base := range []string{"localhost:11434", "ftp://h", "/v1", "http://", "http://u:secret@h:x"} {
		if _, err := openai.New(openai.Config{Model: "m", BaseURL: base}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%q) = %v", base, err)
		}
	}
	_, err := openai.New(openai.Config{})
	if failure := asError(t, err); failure.Code != model.ModelMissing {
		t.Errorf("without a name: %v", err)
	}
}

func TestErrorsOfServers(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		code   model.Code
		says   string
		after  time.Duration
	}{
		"429 with seconds":  {429, map[string]string{"Retry-After": "7"}, `{"error":{"message":"slow"}}`, model.RateLimited, "slow", 7 * time.Second},
		"503 with a date":   {503, map[string]string{"Retry-After": "Mon, 04 May 2026 03:03:01 GMT"}, ``, model.Overloaded, "503 Service Unavailable and says nothing", time.Minute},
		"milliseconds":      {429, map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, `{"error":"slow"}`, model.RateLimited, "slow", 1500 * time.Millisecond},
		"a date that was":   {429, map[string]string{"Retry-After": "Mon, 04 May 2026 03:00:01 GMT"}, `{}`, model.RateLimited, "{}", 0},
		"a wait of years":   {429, map[string]string{"Retry-After": "1e300"}, `{"detail":"no"}`, model.RateLimited, "no", 24 * time.Hour},
		"no money":          {429, nil, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, model.Quota, "quota", 0},
		"a bad key":         {401, nil, `{"error":{"message":"Incorrect API key provided: sk-verysecret","code":"invalid_api_key"}}`, model.Auth, "provided: [redacted]", 0},
		"too long":          {400, nil, `{"error":{"message":"This model's maximum context length is 8 tokens","code":"context_length_exceeded"}}`, model.ContextTooLong, "8 tokens", 0},
		"llama.cpp":         {400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, model.ContextTooLong, "available", 0},
		"no model":          {404, nil, `{"error":{"message":"model 'm' not found"}}`, model.ModelUnknown, "not found", 0},
		"no such route":     {404, nil, `404 page not found`, model.InvalidRequest, "404 page", 0},
		"Gemini":            {503, nil, `[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]`, model.Overloaded, "busy", 0},
		"a web page":        {502, map[string]string{"Content-Type": "text/html"}, `<html>sk-verysecret`, model.ServerError, "502 Bad Gateway with a web page: check baseUrl", 0},
		"200 with a page":   {200, map[string]string{"Content-Type": "text/html; charset=utf-8"}, `<html>`, model.StreamError, "a web page", 0},
		"200 with an error": {200, map[string]string{"Content-Type": "application/json"}, `{"error":{"message":"overloaded","code":529}}`, model.Overloaded, "overloaded", 0},
		"FastAPI":           {422, nil, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, model.InvalidRequest, "field required", 0},
		"plain text":        {500, nil, "boom", model.ServerError, "boom", 0},
		"529":               {529, nil, "", model.Overloaded, "529 and says nothing", 0},
		"a filter":          {400, nil, `{"error":{"message":"no","code":"content_filter"}}`, model.ContentFilter, "no", 0},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer sk-verysecret" || r.Header.Get("X-Team") != "team-secret" {
					t.Errorf("headers %v", r.Header)
				}
				for name, value := range tt.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer srv.Close()
			m := newModel(t, openai.Config{
				BaseURL: srv.URL, Key: func() string { return "sk-verysecret" }, Headers: map[string]string{"X-Team": "team-secret"},
				Now: func() time.Time { return now },
			})
			_, err := m.Stream(t.Context(), hello(), nil)
			failure := asError(t, err)
			if failure.Code != tt.code || failure.RetryAfter != tt.after || !strings.Contains(failure.Message, tt.says) || failure.Retryable != tt.code.Retryable() {
				t.Errorf("%+v", failure)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestAnAnswerThatIsNotStreamed(t *testing.T) {
	body := `{"model":"m","choices":[{"message":{"content":"Hi","tool_calls":[{"id":"c","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	m := newModel(t, openai.Config{Client: answering(200, "application/json; charset=utf-8", strings.NewReader(body))})
	r, err := m.Stream(t.Context(), hello(), nil)
	if err != nil || len(r.Calls()) != 1 || r.Finish != model.FinishToolCalls || r.Usage.Output != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRedirectsStayAtTheServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came with %v", r.Method, r.URL, r.Header)
	}))
	defer other.Close()
	srv := httptest.NewServer(nil)
	defer srv.Close()
	for name, tt := range map[string]struct {
		status int
		to     string
		says   string // "" if it is followed
	}{
		"to another server": {307, other.URL + "/v1?token=t", "another server"},
		"that loses a POST": {302, "/there", "makes a POST a GET"},
		"in a circle":       {307, "/v1/chat/completions", "on and on"},
		"at the server":     {308, "/there", ""},
	} {
		srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/there" {
				if body, _ := io.ReadAll(r.Body); r.Method != http.MethodPost || len(body) == 0 {
					t.Errorf("%s: %s of %q", name, r.Method, body)
				}
				_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
				return
			}
			http.Redirect(w, r, tt.to, tt.status)
		})
		_, err := newModel(t, openai.Config{BaseURL: srv.URL}).Stream(t.Context(), hello(), nil)
		if (err == nil) != (tt.says == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			if failure := asError(t, err); failure.Code != model.InvalidRequest || !strings.Contains(failure.Message, tt.says) || strings.Contains(failure.Message, "token") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	_, err := newModel(t, openai.Config{BaseURL: srv.URL + "/v1?key=query-secret"}).Stream(t.Context(), hello(), nil)
	if failure := asError(t, err); failure.Code != model.Unreachable || !failure.Retryable || strings.Contains(failure.Message, "query-secret") {
		t.Errorf("%v", err)
	}
}

// slow gives each piece after that long, until ctx ends.
func slow(ctx context.Context, after time.Duration, pieces ...string) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		for _, p := range pieces {
			select {
			case <-time.After(after):
			case <-ctx.Done():
				return
			}
			if _, err := io.WriteString(w, p); err != nil {
				return
			}
		}
	}()
	return r
}

// slowly is a client of a server that is that slow, and then silent.
func slowly(after time.Duration, pieces ...string) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body := slow(r.Context(), after, pieces...)
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
	})}
}

const (
	piece  = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	finish = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
)

func TestSilence(t *testing.T) {
	for name, tt := range map[string]struct {
		after   time.Duration
		pieces  []string
		total   time.Duration
		code    model.Code // "" if it is an answer
		elapsed time.Duration
	}{
		"for too long":                      {time.Second, []string{piece}, 0, model.Timeout, 61 * time.Second},
		"that comments break":               {50 * time.Second, []string{piece, ": ping\n\n", ": ping\n\n", finish, "data: [DONE]\n\n"}, 0, "", 210 * time.Second},
		"after the finish is no failure":    {time.Second, []string{piece, finish}, 0, "", 12 * time.Second},
		"is not what the total time bounds": {50 * time.Second, []string{piece, piece, piece, finish}, 2 * time.Minute, model.Timeout, 2 * time.Minute},
		"before anything":                   {time.Hour, []string{piece}, 0, model.Timeout, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, begin := t.Context(), time.Now()
				if tt.total > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.total)
					defer cancel()
				}
				m := newModel(t, openai.Config{IdleTimeout: time.Minute, Client: slowly(tt.after, tt.pieces...)})
				_, err := m.Stream(ctx, hello(), nil)
				if tt.code == "" {
					if err != nil {
						t.Error(err)
					}
				} else if failure := asError(t, err); failure.Code != tt.code || !failure.Retryable {
					t.Error(err)
				}
				if elapsed := time.Since(begin); elapsed != tt.elapsed {
					t.Errorf("it took %v, want %v", elapsed, tt.elapsed)
				}
				synctest.Wait()
			})
		})
	}
}

func TestCancelKeepsWhatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := newModel(t, openai.Config{Client: slowly(0, piece)}).Stream(ctx, hello(), func(model.Delta) { cancel() })
		failure := asError(t, err)
		if failure.Code != model.Cancelled || failure.Retryable || !errors.Is(err, context.Canceled) || len(failure.Partial.Parts) != 1 {
			t.Errorf("%+v", failure)
		}
	})
}

// endless is bytes without an end.
type endless struct {
	text string
	n    int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.n:])
	e.n = (e.n + n) % len(e.text)
	return n, nil
}

func TestAnswersAreBounded(t *testing.T) {
	long := "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("a", 1<<10) + "\"}}]}\n\n"
	calls := "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" + strings.Repeat(`{"function":{"name":"a"}},`, 99) + "{}]}}]}\n\n"
	for name, body := range map[string]string{"a line": "data", "events": long, "calls": calls} {
		m := newModel(t, openai.Config{MaxAnswer: 64 << 10, Client: answering(200, "text/event-stream", &endless{text: body})})
		_, err := m.Stream(t.Context(), hello(), nil)
		if failure := asError(t, err); failure.Code != model.StreamError || failure.Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
