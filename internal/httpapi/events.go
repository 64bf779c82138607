package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/host"
	"agsh.dev/internal/session"
)

const (
	// page is how many events are read and written at once.
	page = 256
	// writeTimeout bounds one write to a client that does not read.
	writeTimeout = 30 * time.Second
)

// events serves a session's stream as lines of JSON: what is stored from a
// sequence number on and, with follow, what comes after it.
func (h *handler) events(w http.ResponseWriter, r *http.Request, a *host.Agent) (any, error) {
	s, err := parseStream(r)
	if err != nil {
		return nil, err
	}
	log, release, err := a.Log(r.Context(), principal(r), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, stop := h.untilClosing(r.Context())
	defer stop()

	s.log, s.next = log, s.from
	if s.from < 0 {
		s.next = max(1, log.State().LastSeq+s.from+1)
	}
	header := w.Header()
	header.Set("Content-Type", "application/x-ndjson")
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // a proxy that buffers would hold live events back
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil, nil //nolint:nilnil // answered
	}
	s.w, s.rc, s.heartbeat = w, http.NewResponseController(w), h.cfg.Heartbeat
	err = s.run(ctx)
	_ = s.rc.SetWriteDeadline(time.Time{}) // the connection may serve on
	if err != nil {
		if r.Context().Err() == nil {
			h.cfg.Log.Error("an event stream broke off", "path", r.URL.Path, "err", err)
		}
		// The status is sent. A clean end would look like the end of the
		// stream, so the connection is cut.
		panic(http.ErrAbortHandler)
	}
	return nil, nil //nolint:nilnil // answered
}

// untilClosing returns a context that also ends when the server closes. stop
// waits for what it started.
func (h *handler) untilClosing(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-h.cfg.Closing:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(); wg.Wait() }
}

// A stream is one client reading a log.
type stream struct {
	from    int64
	follow  bool
	settled bool // end as soon as nothing is open

	log       *session.Log
	next      int64 // the next event to send
	w         http.ResponseWriter
	rc        *http.ResponseController
	heartbeat time.Duration
	buf       []byte
}

func parseStream(r *http.Request) (*stream, error) {
	q, err := query(r, "from", "follow", "until")
	if err != nil {
		return nil, err
	}
	s := &stream{}
	if s.from, err = q.number("from", 1); err != nil {
		return nil, err
	}
	if s.from == 0 {
		return nil, api.Errorf(api.CodeInvalidQuery, "from=0: events count from 1; a negative number counts from the end").WithField("from")
	}
	if s.follow, err = q.flag("follow"); err != nil {
		return nil, err
	}
	switch until := q["until"]; until {
	case "":
	case "settled":
		s.settled = true
	default:
		return nil, api.Errorf(api.CodeInvalidQuery, "until=%q: want settled", until).WithField("until")
	}
	return s, nil
}

// run sends events until the stream is over; an error means it broke off.
func (s *stream) run(ctx context.Context) error {
	for {
		more, err := s.send(ctx)
		switch {
		case err != nil:
			return err
		case more:
			continue
		case !s.follow || s.over():
			return nil
		}
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
}

// over reports whether everything is sent and nothing is to come.
func (s *stream) over() bool {
	state := s.log.State()
	if s.next <= state.LastSeq {
		return false
	}
	return state.Status == session.Deleted || s.settled && len(state.Open) == 0
}

// send writes one page and flushes it. more says that there may be another.
func (s *stream) send(ctx context.Context) (more bool, err error) {
	records, err := s.log.Raw(ctx, s.next, page)
	if err != nil {
		return false, err
	}
	s.buf = s.buf[:0]
	for _, rec := range records {
		s.buf = append(append(s.buf, rec.Data...), '\n')
		s.next = rec.Seq + 1
	}
	return len(records) > 0, s.flush()
}

// wait returns when there is something to send; meanwhile it sends
// heartbeats, which also find out that the client has gone.
func (s *stream) wait(ctx context.Context) error {
	for {
		beat, cancel := context.WithTimeout(ctx, s.heartbeat)
		err := s.log.Wait(beat, s.next-1)
		timedOut := beat.Err() != nil
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || !timedOut:
			return err
		}
		line, err := json.Marshal(api.Heartbeat{Type: "heartbeat"})
		if err != nil {
			return err
		}
		s.buf = append(append(s.buf[:0], line...), '\n')
		if err := s.flush(); err != nil {
			return err
		}
	}
}

func (s *stream) flush() error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(s.buf); err != nil {
		return err
	}
	return s.rc.Flush()
}
