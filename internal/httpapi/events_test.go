package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agsh.dev/api"
	"agsh.dev/internal/httpapi"
	"agsh.dev/internal/session"
	"agsh.dev/internal/session/memstore"
	"agsh.dev/internal/session/sqlitestore"
)

// seqs reads a stream that ends by itself and returns its sequence numbers.
func (s *served) seqs(path string) string {
	s.t.Helper()
	a := s.do("GET", path, "")
	if a.status != http.StatusOK {
		s.t.Fatalf("GET %s = %d %s", path, a.status, a.body)
	}
	var out []string
	for dec := json.NewDecoder(strings.NewReader(a.body)); ; {
		var l line
		if err := dec.Decode(&l); err != nil {
			break
		}
		out = append(out, fmt.Sprint(l.Seq))
	}
	return strings.Join(out, " ")
}

func TestEventsFrom(t *testing.T) {
	s := serveAPI(t, nil, nil)
	id := s.session().Session
	for range 2 {
		s.do("POST", "/one/v1/tools/echo", `{"session":"`+id+`"}`)
	}
	for query, want := range map[string]string{
		"": "1 2 3 4 5", "?from=1": "1 2 3 4 5", "?from=4": "4 5", "?from=5": "5", "?from=6": "", "?from=9223372036854775807": "",
		"?from=-1": "5", "?from=-2": "4 5", "?from=-5": "1 2 3 4 5", "?from=-100": "1 2 3 4 5", "?from=-9223372036854775808": "1 2 3 4 5",
		"?follow=1&until=settled": "1 2 3 4 5", "?follow=1&until=settled&from=-1": "5", "?follow=1&until=settled&from=100": "",
	} {
		if got := s.seqs("/one/v1/sessions/" + id + "/events" + query); got != want {
			t.Errorf("events%s has %q, want %q", query, got, want)
		}
	}
}

// follow reads a stream until its end and checks that it has no gap.
func follow(dec *json.Decoder, from int64, saw ...func(seq int64)) (last int64, heartbeats int, err error) {
	for last = from - 1; ; {
		var l line
		if err := dec.Decode(&l); err != nil {
			return last, heartbeats, err
		}
		if l.Type == "heartbeat" {
			heartbeats++
			continue
		}
		if last++; l.Seq != last {
			return last, heartbeats, fmt.Errorf("event %d where %d is next", l.Seq, last)
		}
		for _, f := range saw {
			f(last)
		}
	}
}

// Many follow while many call: every follower gets every event once, in
// order, and the end.
func TestFollowersSeeEverythingOnce(t *testing.T) {
	store, err := sqlitestore.Open(t.TempDir(), sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := serveAPI(t, store, nil)
	id := s.session().Session
	const followers, callers, calls = 50, 10, 20
	var reading, calling sync.WaitGroup
	lasts := make([]atomic.Int64, followers)
	moved := make(chan struct{}, 1) // somebody got an event
	for i := range followers {
		from := int64(i%7) + 1
		dec := s.stream(t.Context(), fmt.Sprintf("/one/v1/sessions/%s/events?follow=1&from=%d", id, from))
		reading.Go(func() {
			_, _, err := follow(dec, from, func(seq int64) {
				lasts[i].Store(seq)
				select {
				case moved <- struct{}{}:
				default:
				}
			})
			if !errors.Is(err, io.EOF) {
				t.Errorf("follower %d after event %d: %v", i, lasts[i].Load(), err)
			}
		})
	}
	client, err := api.NewClient(s.url+"/one", api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range callers {
		calling.Go(func() {
			for range calls {
				if _, err := client.Call(t.Context(), "echo", api.CallRequest{Session: id}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	calling.Wait()
	end, err := client.Session(t.Context(), id)
	if err != nil || end.LastSeq < 1+2*callers*calls || end.OpenCalls != 0 {
		t.Errorf("Session = %+v, %v", end, err)
	}
	// A delete takes away what is not read yet, and then ends every follower.
	for i := range lasts {
		for lasts[i].Load() < end.LastSeq && !t.Failed() {
			<-moved
		}
	}
	if _, err := client.DeleteSession(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
	for i := range lasts {
		if last := lasts[i].Load(); last != end.LastSeq+1 {
			t.Errorf("follower %d ended with event %d, want %d", i, last, end.LastSeq+1)
		}
	}
}

func TestHeartbeat(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.Heartbeat = 10 * time.Millisecond })
	id := s.session().Session
	dec := s.stream(t.Context(), "/one/v1/sessions/"+id+"/events?follow=1")
	var got []string
	for len(got) < 4 {
		var l line
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d", l.Type, l.Seq))
	}
	if want := "session.started 1,heartbeat 0,heartbeat 0,heartbeat 0"; strings.Join(got, ",") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ","), want)
	}
}

// A stream that waits for the end of all calls ends with the last result,
// not before it, however far ahead it began.
func TestUntilSettled(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.Heartbeat = time.Millisecond })
	id := s.session().Session
	for _, from := range []int64{1, 1000} {
		called := s.later("/one/v1/tools/hold", `{"session":"`+id+`"}`)
		<-s.holding
		dec := s.stream(t.Context(), fmt.Sprintf("/one/v1/sessions/%s/events?follow=1&until=settled&from=%d", id, from))
		// A heartbeat says that it has sent what there is, and waits.
		next := from
		for {
			var l line
			if err := dec.Decode(&l); err != nil {
				t.Fatalf("from %d: it ended with %v while a call ran", from, err)
			}
			if l.Type == "heartbeat" {
				break
			}
			next = l.Seq + 1
		}
		s.holds <- struct{}{}
		if _, _, err := follow(dec, next); !errors.Is(err, io.EOF) {
			t.Errorf("from %d: it ended with %v, want a clean end", from, err)
		}
		<-called // its answer is on the way still
	}
}

func TestADeleteEndsFollowersCleanly(t *testing.T) {
	s := serveAPI(t, nil, nil)
	id := s.session().Session
	var ended sync.WaitGroup
	for _, from := range []int64{1, 1000} {
		dec := s.stream(t.Context(), fmt.Sprintf("/one/v1/sessions/%s/events?follow=1&from=%d", id, from))
		ended.Go(func() {
			if _, _, err := follow(dec, from); !errors.Is(err, io.EOF) {
				t.Errorf("the follower from %d ended with %v, want a clean end", from, err)
			}
		})
	}
	if a := s.do("DELETE", "/one/v1/sessions/"+id, ""); a.status != http.StatusOK {
		t.Fatalf("DELETE = %d %s", a.status, a.body)
	}
	ended.Wait()
}

// What was cut off must not look complete.
func TestAStoppingServerCutsFollowers(t *testing.T) {
	s := serveAPI(t, nil, nil)
	id := s.session().Session
	dec := s.stream(t.Context(), "/one/v1/sessions/"+id+"/events?follow=1")
	s.stop()
	if last, _, err := follow(dec, 1); last != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the follower got %d events and %v, want an unexpected end", last, err)
	}
	if log := s.log.String(); strings.Contains(log, "broke off") {
		t.Errorf("an orderly stop is logged as a failure:\n%s", log)
	}
}

// What is appended can be read a moment before the log that appended it knows.
func TestASettledStreamDoesNotTrustAnOlderState(t *testing.T) {
	store := lateAppends{memstore.New(), make(chan struct{}, 1)}
	s := serveAPI(t, store, nil)
	store.known <- struct{}{}
	id := s.session().Session
	dec := s.stream(t.Context(), "/one/v1/sessions/"+id+"/events?follow=1&from=-1")
	called := s.later("/one/v1/tools/hold", `{"session":"`+id+`"}`)
	var l line
	for l.Type != "tool.requested" {
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
	}
	// The request is visible, so the session is not settled.
	settled := s.stream(t.Context(), "/one/v1/sessions/"+id+"/events?follow=1&until=settled")
	store.known <- struct{}{}
	<-s.holding
	s.holds <- struct{}{}
	// The result is visible, so it is.
	last := line{}
	for {
		var l line
		if err := settled.Decode(&l); err != nil {
			break
		}
		last = l
	}
	if last.Type != "tool.completed" {
		t.Errorf("the stream ended with %s", last.Type)
	}
	store.known <- struct{}{}
	<-called
}

// lateAppends is a store whose appends are visible, and return once known says
// so.
type lateAppends struct {
	session.Store
	known chan struct{}
}

func (s lateAppends) Append(ctx context.Context, b session.Batch) error {
	err := s.Store.Append(ctx, b)
	<-s.known
	return err
}

// A client that stops reading is cut off; one that only is slow is not.
func TestAClientThatStandsStillIsCutOff(t *testing.T) {
	s := serveAPI(t, nil, func(c *httpapi.Config) { c.WriteTimeout = 100 * time.Millisecond })
	id := s.session().Session
	for range 2 {
		if a := s.do("POST", "/one/v1/tools/big", `{"session":"`+id+`"}`); a.status != http.StatusOK {
			t.Fatalf("big = %d", a.status)
		}
	}
	for _, target := range []string{
		"GET /one/v1/sessions/" + id + "/events?follow=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /one/v1/tools/big HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
		_, _ = io.WriteString(conn, target)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		<-s.closed // the client stands still until then
		n, err := io.Copy(io.Discard, conn)
		if errors.Is(err, os.ErrDeadlineExceeded) || n >= 3<<20 {
			t.Errorf("%.20s: %d bytes came after all, then %v", target, n, err)
		}
		conn.Close()
	}
	slow, err := http.Get(s.url + "/one/v1/sessions/" + id + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Body.Close()
	n := int64(0)
	for err == nil {
		var m int64
		m, err = io.CopyN(io.Discard, slow.Body, 1<<20)
		n += m
		time.Sleep(20 * time.Millisecond)
	}
	if !errors.Is(err, io.EOF) || n < 6<<20 {
		t.Errorf("a slow client got %d bytes and %v", n, err)
	}
}
