package requesttool

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/event"
)

// serve runs handler and returns its URL.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func local(r agent.Request) agent.Request {
	r.Name, r.AllowPrivate = "ask", true
	return r
}

func TestAnswers(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00"
	for _, tt := range []struct {
		name         string
		status       int
		header, body string // Content-Type
		want         agent.Result
	}{
		{"an object is structured, byte for byte", 200, "application/json", "{\"z\":1.10,\"a\":12345678901234567890}\n", agent.Result{
			Content:    []event.Block{event.Text("{\"z\":1.10,\"a\":12345678901234567890}\n")},
			Structured: json.RawMessage(`{"z":1.10,"a":12345678901234567890}`),
		}},
		{"a JSON dialect", 201, "application/hal+json; charset=utf-8", "[1]", agent.Result{
			Content: []event.Block{event.Text("[1]")}, Structured: json.RawMessage("[1]"),
		}},
		{"a number is text", 200, "application/json", "1", agent.Result{Content: []event.Block{event.Text("1")}}},
		{"broken JSON is text", 200, "application/json", "{", agent.Result{Content: []event.Block{event.Text("{")}}},
		{"text that looks like JSON stays text", 200, "text/plain", "[1]", agent.Result{Content: []event.Block{event.Text("[1]")}}},
		{"no type", 200, "", "plain", agent.Result{Content: []event.Block{event.Text("plain")}}},
		{"no type, JSON", 200, "", "[1]", agent.Result{Content: []event.Block{event.Text("[1]")}, Structured: json.RawMessage("[1]")}},
		{"XML", 200, "application/atom+xml", "<a/>", agent.Result{Content: []event.Block{event.Text("<a/>")}}},
		{"latin-1", 200, "text/plain; charset=ISO-8859-1", "caf\xe9", agent.Result{Content: []event.Block{event.Text("café")}}},
		{"not the charset it says", 200, "text/plain; charset=utf-8", "caf\xe9", agent.Result{Content: []event.Block{
			event.Text("caf\uFFFD"), event.Text(`[the answer was not UTF-8 (its charset is "utf-8"): what could not be read was replaced by ` + "\uFFFD]"),
		}}},
		{"an image", 200, "image/png", png, agent.Result{Content: []event.Block{{Type: "image", MimeType: "image/png", Data: "iVBORw0KGgoA"}}}},
		{"something else", 200, "application/zip", "PK", agent.Result{Content: []event.Block{
			event.Text("[2 bytes of application/zip]"), {Type: "resource", URI: "SERVER/x", MimeType: "application/zip", Data: "UEs="},
		}}},
		{"nothing", 204, "", "", agent.Result{Content: []event.Block{event.Text("204 No Content")}}},
		{"an error keeps its body", 422, "application/json", `{"error":"no"}`, agent.Result{
			Content: []event.Block{event.Text("422 Unprocessable Entity"), event.Text(`{"error":"no"}`)}, Structured: json.RawMessage(`{"error":"no"}`), IsError: true,
		}},
		{"an error without words", 599, "", "", agent.Result{Content: []event.Block{event.Text("599")}, IsError: true}},
		{"exactly the limit", 200, "text/plain", strings.Repeat("x", 64), agent.Result{Content: []event.Block{event.Text(strings.Repeat("x", 64))}}},
		{"over the limit", 200, "text/plain", strings.Repeat("x", 63) + "é!", agent.Result{
			Content: []event.Block{event.Text(strings.Repeat("x", 63)), event.Text("[the answer has more than 64 bytes: the rest was not read]")}, Size: 66,
		}},
		{"half an image is none", 200, "image/png", strings.Repeat("x", 100), agent.Result{
			Content: []event.Block{event.Text("[an answer of type image/png was left out]"), event.Text("[the answer has more than 64 bytes: the rest was not read]")}, Size: 100,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.header != "" {
					w.Header().Set("Content-Type", tt.header)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			got, err := New(local(agent.Request{URL: url + "/x"}), Config{MaxBody: 64}).Run(t.Context(), json.RawMessage(`{"q":1}`))
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Content {
				got.Content[i].URI = strings.Replace(got.Content[i].URI, url, "SERVER", 1)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsSent(t *testing.T) {
	var got string
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s %s %s %q %s", r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), r.Header.Get("X-Key"), body)
	})
	r := local(agent.Request{Method: "PATCH", URL: url + "/a/{x}", Headers: map[string]string{"X-Key": "k"}})
	if _, err := New(r, Config{UserAgent: "sdk/1"}).Run(t.Context(), json.RawMessage(`{"x":"a/b","n":1.0}`)); err != nil {
		t.Fatal(err)
	}
	if want := `PATCH /a/a%2Fb application/json sdk/1 "k" {"n":1.0}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	r = local(agent.Request{URL: url + "/", Headers: map[string]string{"X-Key": "a\r\nX-Evil: 1"}})
	if _, err := New(r, Config{}).Run(t.Context(), nil); err == nil || strings.Contains(err.Error(), "Evil") {
		t.Errorf("a header of two lines: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server was asked, with %v", r.Header) })
	var mu sync.Mutex
	var asked []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		switch r.URL.Path {
		case "/once":
			w.Header().Set("Location", "end?b=2#frag")
			w.WriteHeader(302)
		case "/loop":
			w.Header().Set("Location", "/loop")
			w.WriteHeader(301)
		case "/other":
			w.Header().Set("Location", other+"/x?token=t0ken")
			w.WriteHeader(307)
		case "/scheme":
			w.Header().Set("Location", "https://"+r.Host+"/end")
			w.WriteHeader(308)
		case "/user":
			w.Header().Set("Location", "http://me:pw@"+r.Host+"/end")
			w.WriteHeader(302)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		case "/broken":
			w.Header().Set("Location", "http://[")
			w.WriteHeader(302)
		case "/nowhere":
			w.WriteHeader(302)
		}
	})
	for _, tt := range []struct {
		method, path, body string
		want               string // part of the error or text
		requests           int
	}{
		{"GET", "/once", "", "200 OK", 2},
		{"HEAD", "/once", "", "200 OK", 2},
		{"GET", "/loop", "", "301 Moved Permanently, which leads to " + url + "/loop: that would be redirect 6", 6},
		{"GET", "/other", "", "307 Temporary Redirect, which leads to " + other + "/x: that is another server: requests stay at " + url, 1},
		{"GET", "/scheme", "", "that is another server", 1},
		{"GET", "/user", "", "that is another server", 1},
		{"GET", "/file", "", "that is another server", 1},
		{"GET", "/broken", "", "a place that is no URL", 1},
		{"GET", "/nowhere", "", "302 Found", 1},
		{"GET", "/once", "json", "a request with a body is not sent on", 1},
		{"POST", "/once", "", "302 Found, which leads to " + url + "/end: a POST is not sent on", 1},
		{"DELETE", "/once", "", "a DELETE is not sent on", 1},
	} {
		t.Run(tt.method+tt.path+tt.body, func(t *testing.T) {
			asked = nil
			r := local(agent.Request{Method: tt.method, URL: url + tt.path, Body: tt.body, Headers: map[string]string{"Authorization": "Bearer s3cret-token"}})
			res, err := New(r, Config{}).Run(t.Context(), nil)
			got := fmt.Sprint(res.Content, err)
			if !strings.Contains(got, tt.want) || strings.Contains(got, "t0ken") || strings.Contains(got, "pw") {
				t.Errorf("got %s, want %q", got, tt.want)
			}
			if len(asked) != tt.requests {
				t.Errorf("asked %q, want %d requests", asked, tt.requests)
			}
		})
	}
}

func TestTheLimitCountsDecompressedBytes(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(bytes.Repeat([]byte("x"), 1<<20))
	w.Close()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	})
	res, err := New(local(agent.Request{URL: url}), Config{MaxBody: 1000}).Run(t.Context(), nil)
	if err != nil || len(res.Content) != 2 || len(res.Content[0].Text) != 1000 || res.Size <= 1000 {
		t.Errorf("%d blocks, size %d, %v", len(res.Content), res.Size, err)
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			enc := json.NewEncoder(w)
			enc.Encode(map[string]string{"a": r.Header.Get("Authorization"), "k": r.Header.Get("X-Api-Key"), "v": r.Header.Get("X-Api-Version"), "o": r.Header.Get("X-Org")})
		}
	}
	headers := map[string]string{"Authorization": "Bearer tok-123456", "X-Api-Key": `qu"ote<d>`, "X-Api-Version": "2026-01-01", "X-Org": "acme-corp"}
	for status, want := range map[int]string{
		200: `{"a":"[redacted]","k":"[redacted]","o":"acme-corp","v":"2026-01-01"}`,
		401: `{"a":"[redacted]","k":"[redacted]","o":"[redacted]","v":"2026-01-01"}`,
	} {
		res, err := New(local(agent.Request{URL: serve(t, echo(status)), Headers: headers}), Config{}).Run(t.Context(), nil)
		if err != nil || string(res.Structured) != want {
			t.Errorf("%d: %s, %v, want %s", status, res.Structured, err, want)
		}
		if all := fmt.Sprint(res.Content); strings.Contains(all, "tok-1") || strings.Contains(all, "ote") {
			t.Errorf("%d: %s", status, all)
		}
	}

	var log bytes.Buffer
	cfg := Config{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	leak := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://elsewhere.test/tok-123456?s=tok-123456")
		w.WriteHeader(302)
	})
	_, err := New(local(agent.Request{URL: leak + "/{x}", Headers: headers}), cfg).Run(t.Context(), json.RawMessage(`{"x":"tok-123456","q":"private"}`))
	if err == nil || !strings.Contains(err.Error(), "call GET "+leak+"/[redacted]: ") {
		t.Errorf("error %v", err)
	}
	for _, shown := range []string{err.Error(), log.String()} {
		if strings.Contains(shown, "tok-1") || strings.Contains(shown, "private") || !strings.Contains(shown, leak) {
			t.Errorf("shown: %s", shown)
		}
	}
}

func TestAServerThatDoesNotAnswerEndsWithTheTimeout(t *testing.T) {
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	r := local(agent.Request{URL: url})
	r.Timeout = 10 * time.Millisecond
	_, err := New(r, Config{}).Run(t.Context(), nil)
	if err == nil || err.Error() != "call GET "+url+"/: it did not finish within 10ms" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(local(agent.Request{URL: url}), Config{}).Run(ctx, nil); err == nil || !strings.Contains(err.Error(), "stopped: context canceled") {
		t.Errorf("error %v", err)
	}
}

func TestHeadersOfAnAnswerAreBounded(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Big", strings.Repeat("x", 2*maxHeader))
	})
	if _, err := New(local(agent.Request{URL: url}), Config{}).Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "headers exceeded") {
		t.Errorf("error %v", err)
	}
}

func TestHeadTellsTheHeaders(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Set-Cookie", "a=b")
	})
	res, err := New(local(agent.Request{Method: "HEAD", URL: url}), Config{}).Run(t.Context(), nil)
	if err != nil || !strings.HasPrefix(res.Content[0].Text, "200 OK\n") || !strings.Contains(res.Content[0].Text, `Etag: "v1"`) || strings.Contains(res.Content[0].Text, "a=b") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	r := local(agent.Request{URL: server.URL})
	if _, err := New(r, Config{}).Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
	pool := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	res, err := New(r, Config{RootCAs: pool}).Run(t.Context(), nil)
	if err != nil || res.Content[0].Text != "HTTP/2.0" {
		t.Errorf("a known authority: %+v, %v", res, err)
	}
	old := httptest.NewUnstartedServer(nil)
	old.Config.ErrorLog = server.Config.ErrorLog
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	defer old.Close()
	if _, err := New(local(agent.Request{URL: old.URL}), Config{RootCAs: pool}).Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("an old TLS: %v", err)
	}
}

func TestCallsAtOnceShareTheTool(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })
	f := New(local(agent.Request{URL: url + "/{x}"}), Config{})
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			res, err := f.Run(t.Context(), json.RawMessage(fmt.Sprintf(`{"x":%d}`, i)))
			if err != nil || res.Content[0].Text != fmt.Sprintf("/%d", i) {
				t.Errorf("call %d: %+v, %v", i, res, err)
			}
		})
	}
	calls.Wait()
}
