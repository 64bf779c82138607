package httpapi

import (
	"net/http/httptest"
	"testing"

	"agsh.dev/internal/session"
)

func TestFramingIsWhatTheClientAccepts(t *testing.T) {
	for accept, want := range map[string]string{
		"":                                    "application/x-ndjson",
		"*/*":                                 "application/x-ndjson",
		"application/json":                    "application/x-ndjson",
		"text/event-stream":                   "text/event-stream",
		"text/html, text/event-stream; q=0.9": "text/event-stream",
		";;,text/event-stream-not":            "application/x-ndjson",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := framingFor(r).contentType; got != want {
			t.Errorf("Accept: %q gets %s, want %s", accept, got, want)
		}
	}
}

func TestFramingsPutEventsOnTheWire(t *testing.T) {
	rec := session.Record{Seq: 7, Data: []byte(`{"seq":7}`)}
	for _, tt := range []struct {
		framing     framing
		event, live string
	}{
		{lines, "{\"seq\":7}\n", "{\"type\":\"heartbeat\"}\n"},
		{serverSent, "id: 7\ndata: {\"seq\":7}\n\n", "data: {\"type\":\"heartbeat\"}\n\n"},
	} {
		frame, err := heartbeat()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(tt.framing.event(nil, rec)); got != tt.event {
			t.Errorf("%s: event = %q, want %q", tt.framing.contentType, got, tt.event)
		}
		if got := string(tt.framing.live(nil, frame)); got != tt.live {
			t.Errorf("%s: live frame = %q, want %q", tt.framing.contentType, got, tt.live)
		}
	}
}

func TestResumeGoesOnBehindTheLastEvent(t *testing.T) {
	for _, tt := range []struct {
		last string
		want int64
		ok   bool
	}{
		{"", 5, true}, {"0", 1, true}, {"41", 42, true}, {"-1", 0, false}, {"x", 0, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Last-Event-ID", tt.last)
		if got, err := resume(r, 5); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("resume with Last-Event-ID %q = %d, %v; want %d", tt.last, got, err, tt.want)
		}
	}
}
