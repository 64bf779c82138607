//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// version is how long agsh takes to do nothing, and how big it is.
func (b *bench) version(ctx context.Context) ([]row, error) {
	p, err := b.batches(ctx, program{path: b.ours("agsh"), args: []string{"--version"}}, program{path: b.floor("hello")})
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(b.ours("agsh"))
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "agsh --version", unit: millis, pairs: p, goal: atMost(2.5)},
		{name: "agsh, size", unit: megabytes, pairs: pairs{ours: []float64{float64(info.Size())}}, goal: ourMost(15e6)},
	}, nil
}

// agent serves the bench's agent; the caller stops it.
func (b *bench) agent(ctx context.Context, group string) (*server, error) {
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	return serve(ctx, b.floor("agent"), "-state-root", dir, "-cpuprofile", b.profile(group))
}

// oneshot is one tool call by one process, which asks for the tool and calls
// it, in the latest session.
func (b *bench) oneshot(ctx context.Context) (rows []row, err error) {
	s, err := b.agent(ctx, "oneshot")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.session(ctx); err != nil {
		return nil, err
	}
	ours := func(url string) program {
		return program{path: b.ours("agsh"), args: []string{"--target", url, "echo", "--message", "hi"}}
	}
	floor := func(url string) program {
		return program{path: b.floor("client"), args: []string{"-url", url}}
	}
	if err := sameRequests(ctx, s.url, ours, floor); err != nil {
		return nil, err
	}
	wall, err := b.batches(ctx, ours(s.url), floor(s.url))
	if err != nil {
		return nil, err
	}
	oursPeak, floorPeak, err := interleave(ctx, b.batchPairs, b.peak(ours(s.url)), b.peak(floor(s.url)))
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "one call by agsh", unit: millis, pairs: wall, goal: atMost(1.5)},
		{name: "one call by agsh, peak memory", unit: mebibytes, pairs: pairs{oursPeak, floorPeak}, goal: ourMost(16 << 20)},
	}, nil
}

// scriptCalls is how many calls a script makes.
const scriptCalls = 1000

// script is many calls by one process, one after another in one session.
func (b *bench) script(ctx context.Context) (rows []row, err error) {
	s, err := b.agent(ctx, "script")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	session, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	script := filepath.Join(b.tmp, "script")
	if err := os.WriteFile(script, []byte(strings.Repeat("echo --message hi\n", scriptCalls)), 0o600); err != nil {
		return nil, err
	}
	ours := program{path: b.ours("agsh"), args: []string{"--target", s.url, "--session", session}, stdin: script}
	floor := program{path: b.floor("client"), args: []string{"-url", s.url, "-session", session, "-n", strconv.Itoa(scriptCalls)}}
	for _, p := range []program{ours, floor} {
		out, err := p.output(ctx)
		if err != nil {
			return nil, err
		}
		if n := strings.Count(out, "hi\n"); n != scriptCalls {
			return nil, fmt.Errorf("%s printed %d results, want %d", p.path, n, scriptCalls)
		}
	}
	o, f, err := interleave(ctx, b.scriptPairs, ours.time, floor.time)
	if err != nil {
		return nil, err
	}
	return []row{{name: "1,000 calls by one agsh", unit: millis, pairs: pairs{o, f}, goal: atMost(1.5)}}, nil
}

// sameRequests fails unless both programs ask the agent at target for the same
// things and print the same: else their times could not be compared.
func sameRequests(ctx context.Context, target string, ours, floor func(url string) program) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	spy := &spy{to: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: u.Scheme, Host: u.Host})
	}}}
	srv := &http.Server{Handler: spy} //nolint:gosec // for our own two programs
	defer func() { _ = srv.Close() }()
	go func() { _ = srv.Serve(ln) }() // it ends with Close
	via := "http://" + ln.Addr().String() + u.Path

	printed, asked := make([]string, 2), make([][]string, 2)
	for i, p := range []program{ours(via), floor(via)} {
		if printed[i], err = p.output(ctx); err != nil {
			return err
		}
		asked[i] = spy.take()
	}
	if strings.TrimSpace(printed[0]) != strings.TrimSpace(printed[1]) {
		return fmt.Errorf("ours prints %q and the floor %q", printed[0], printed[1])
	}
	if !slices.Equal(asked[0], asked[1]) {
		return fmt.Errorf("the programs ask for different things:\n  ours:  %s\n  floor: %s", strings.Join(asked[0], ", "), strings.Join(asked[1], ", "))
	}
	return nil
}

// A spy passes requests on and keeps what they ask for.
type spy struct {
	to http.Handler

	mu   sync.Mutex
	seen []string
}

func (s *spy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	s.mu.Unlock()
	s.to.ServeHTTP(w, r)
}

func (s *spy) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}
