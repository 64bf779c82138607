package httpapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"agsh.dev/api"
	"agsh.dev/internal/session"
)

// A framing is how events stand on the wire.
type framing struct {
	contentType string
	// event appends a stored event to b.
	event func(b []byte, rec session.Record) []byte
	// live appends a frame that is not stored and has no place in the log.
	live func(b, frame []byte) []byte
}

// lines is one JSON value a line.
var lines = framing{
	contentType: "application/x-ndjson",
	event:       func(b []byte, rec session.Record) []byte { return append(append(b, rec.Data...), '\n') },
	live:        func(b, frame []byte) []byte { return append(append(b, frame...), '\n') },
}

// serverSent is the event stream of HTML, section 9.2. The id of an event is
// its sequence number; a live frame has none, so that it moves no cursor.
var serverSent = framing{
	contentType: "text/event-stream",
	event: func(b []byte, rec session.Record) []byte {
		b = strconv.AppendInt(append(b, "id: "...), rec.Seq, 10)
		return append(append(append(b, "\ndata: "...), rec.Data...), "\n\n"...)
	},
	live: func(b, frame []byte) []byte { return append(append(append(b, "data: "...), frame...), "\n\n"...) },
}

// framingFor is the framing a client accepts: lines, unless it asks for a
// server-sent stream.
func framingFor(r *http.Request) framing {
	if accepts(r, serverSent.contentType) {
		return serverSent
	}
	return lines
}

// accepts reports whether a client asks for a content type by its name.
func accepts(r *http.Request, contentType string) bool {
	for _, accept := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(accept, ",") {
			if kind, _, err := mime.ParseMediaType(kind); err == nil && kind == contentType {
				return true
			}
		}
	}
	return false
}

// resume is where a client that lost a server-sent stream goes on: behind the
// last event it saw. Its request is the one it began with, so this beats from.
func resume(r *http.Request, from int64) (int64, error) {
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		return from, nil
	}
	seq, err := strconv.ParseInt(last, 10, 64)
	if err != nil || seq < 0 {
		return 0, api.Errorf(api.CodeInvalidQuery, "Last-Event-ID: %q is not the id of an event", last).WithField("Last-Event-ID")
	}
	return seq + 1, nil
}

// heartbeat is the frame a silent follower gets.
func heartbeat() ([]byte, error) { return json.Marshal(api.Heartbeat{Type: "heartbeat"}) }
