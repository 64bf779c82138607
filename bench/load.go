//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A load sends requests over connections of their own, each as soon as the one
// before it is answered. The requests are bytes made beforehand, so that the
// driver takes as little of the shared processors as it can.
type load struct {
	addr     string
	requests [][]byte // one for each connection, sent over and over
}

// post is a request with a JSON body.
func post(addr, path, body string) []byte {
	return []byte("POST " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// A flow is what a load measured.
type flow struct {
	answers  int
	rate     float64 // answers a second
	p50, p99 float64 // seconds to an answer
}

// enough is the least number of answers a flow is measured by, however long
// they take.
const enough = 50

// flow sends for d, or longer until there is enough to measure.
func (l load) flow(ctx context.Context, d time.Duration) (flow, error) {
	began := time.Now()
	var answers atomic.Int64
	took := make([][]time.Duration, len(l.requests))
	err := l.drive(ctx, func(conn int, sent, answered time.Time) bool {
		took[conn] = append(took[conn], answered.Sub(sent))
		return answers.Add(1) < enough || answered.Sub(began) < d
	})
	elapsed := time.Since(began)
	if err != nil {
		return flow{}, err
	}
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))].Seconds() }
	return flow{answers: len(all), rate: float64(len(all)) / elapsed.Seconds(), p50: at(.50), p99: at(.99)}, nil
}

// send sends about n requests in all.
func (l load) send(ctx context.Context, n int) error {
	var answered atomic.Int64
	return l.drive(ctx, func(int, time.Time, time.Time) bool {
		return answered.Add(1)+int64(len(l.requests)) <= int64(n)
	})
}

// drive sends on every connection until more, which is told of each answer,
// wants no other. It is called from several goroutines.
func (l load) drive(ctx context.Context, more func(conn int, sent, answered time.Time) bool) error {
	failed := make([]error, len(l.requests))
	conns := make([]net.Conn, len(l.requests))
	defer func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	for i := range conns {
		var err error
		if conns[i], err = (&net.Dialer{}).DialContext(ctx, "tcp", l.addr); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, func() {
		for _, c := range conns {
			_ = c.SetDeadline(time.Unix(1, 0))
		}
	})
	defer stop()
	var workers sync.WaitGroup
	for i, c := range conns {
		workers.Go(func() {
			r := bufio.NewReaderSize(c, 16<<10)
			for ok := true; ok; {
				sent := time.Now()
				_, err := c.Write(l.requests[i])
				if err == nil {
					err = answer(r)
				}
				if err != nil {
					failed[i] = err
					return
				}
				ok = more(i, sent, time.Now())
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(failed...)
}

// answer reads one answer, which must be a 200 with a known length and must
// not report an error of the tool.
func answer(r *bufio.Reader) error {
	status, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	bad := ""
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		bad = string(bytes.TrimSpace(status))
	}
	length, err := contentLength(r)
	switch {
	case err != nil:
		return err
	case bad != "":
		body, err := io.ReadAll(io.LimitReader(r, int64(length)))
		return errors.Join(fmt.Errorf("the server answered %s: %s", bad, body), err)
	}
	for length > 0 {
		part, err := r.Peek(min(length, r.Size()))
		if err != nil {
			return err
		}
		if bytes.Contains(part, []byte(`"isError":true`)) {
			return fmt.Errorf("the tool failed: %s", part)
		}
		_, _ = r.Discard(len(part)) // they are there
		length -= len(part)
	}
	return nil
}

// contentLength reads the headers of an answer.
func contentLength(r *bufio.Reader) (int, error) {
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		switch {
		case !found && length < 0:
			return 0, errors.New("an answer has no Content-Length")
		case !found:
			return length, nil
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
}
