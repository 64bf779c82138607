package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agsh.dev/agent"
	"agsh.dev/internal/host"
	"agsh.dev/internal/httpapi"
	"agsh.dev/internal/session/memstore"
)

// A call of a Go tool in a session, from the request to the answer, without a
// network or a disk.
func BenchmarkCall(b *testing.B) {
	type message struct {
		Message string `json:"message"`
	}
	store := memstore.New()
	defer store.Close()
	h, err := host.New(host.Config{Store: store, Dir: b.TempDir(), Agents: []agent.Agent{{
		Name: "a", Natives: []string{}, Tools: []agent.AnyTool{agent.Tool[message, string]{
			Name: "echo", Effect: agent.Read, Run: func(_ context.Context, in message) (string, error) { return in.Message, nil },
		}},
	}}})
	if err != nil {
		b.Fatal(err)
	}
	handler := httpapi.New(httpapi.Config{Host: h, Loopback: true})
	one := h.Agents()[0]
	b.ReportAllocs()
	id := ""
	for n := 0; b.Loop(); n++ {
		if n%1000 == 0 { // the store keeps everything
			b.StopTimer()
			if id, _, err = one.CreateSession(b.Context(), host.Principal{ID: "operator"}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		req := httptest.NewRequest(http.MethodPost, "/a/v1/tools/echo", strings.NewReader(`{"args":{"message":"hello"},"session":"`+id+`"}`))
		req.Host = "localhost"
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		if rec.Code != http.StatusOK {
			b.Fatal(rec.Body)
		}
	}
}
