package httpapi

import (
	"context"
	"net/http"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/session"
)

// page is how many events are read and written at once.
const page = 256

// events serves a session's stream, as lines of JSON or server-sent: what is
// stored from a sequence number on and, with follow, what comes after it.
func (h *handler) events(req *request) (any, error) {
	s, err := parseStream(req.query)
	if err != nil {
		return nil, err
	}
	s.framing = framingFor(req.Request)
	if s.framing.contentType == serverSent.contentType {
		if s.from, err = resume(req.Request, s.from); err != nil {
			return nil, err
		}
	}
	log, release, err := req.agent.Log(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, stop := context.WithCancel(req.Context())
	defer stop()
	defer context.AfterFunc(h.cfg.Closing, stop)()

	s.log, s.next = log, s.from
	if s.from < 0 {
		s.next = max(1, log.State().LastSeq+s.from+1)
	}
	header := req.w.Header()
	header.Set("Content-Type", s.framing.contentType)
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // a proxy that buffers would hold live events back
	if req.Method == http.MethodHead {
		req.w.WriteHeader(http.StatusOK)
		return nil, nil
	}
	s.out, s.heartbeat = newSender(req.w, h.cfg.WriteTimeout), h.cfg.Heartbeat
	err = s.run(ctx)
	s.out.done()
	if err != nil {
		if ctx.Err() == nil {
			h.cfg.Log.Error("an event stream broke off", "path", req.URL.Path, "err", err)
		}
		// The status is sent. A clean end would look like the end of the
		// stream, so the connection is cut.
		panic(http.ErrAbortHandler)
	}
	return nil, nil
}

// A stream is one client reading a log.
type stream struct {
	from    int64
	follow  bool
	settled bool // end as soon as nothing is open

	framing   framing
	log       *session.Log
	next      int64 // the next event to send
	reached   int64 // the last event that is known to be stored
	out       sender
	heartbeat time.Duration
	buf       []byte
}

func parseStream(q values) (s *stream, err error) {
	s = &stream{}
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
		case !s.follow:
			return nil
		}
		state, err := s.state(ctx)
		if err != nil {
			return err
		}
		if s.over(state) {
			return nil
		}
		// A follower may be ahead of the log, which may end before it gets
		// there: every event is a reason to look.
		after := min(s.next-1, state.LastSeq)
		if err := s.wait(ctx, after); err != nil {
			return err
		}
		s.reached = max(s.reached, after+1)
	}
}

// state is the session's, not older than what was seen of its log: events can
// be read a moment before the log that appended them has folded them.
func (s *stream) state(ctx context.Context) (session.State, error) {
	if state := s.log.State(); state.LastSeq >= s.reached {
		return state, nil
	}
	return s.log.Stored(ctx)
}

// over reports whether everything is sent and nothing is to come.
func (s *stream) over(state session.State) bool {
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
		s.buf = s.framing.event(s.buf, rec)
		s.next, s.reached = rec.Seq+1, rec.Seq
	}
	return len(records) > 0, s.out.send(s.buf)
}

// wait returns when the log has events behind after; meanwhile it sends
// heartbeats, which also find out that the client has gone.
func (s *stream) wait(ctx context.Context, after int64) error {
	for {
		beat, cancel := context.WithTimeout(ctx, s.heartbeat)
		err := s.log.Wait(beat, after)
		timedOut := beat.Err() != nil
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || !timedOut:
			return err
		}
		frame, err := heartbeat()
		if err != nil {
			return err
		}
		s.buf = s.framing.live(s.buf[:0], frame)
		if err := s.out.send(s.buf); err != nil {
			return err
		}
	}
}
