package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"agsh.dev/agent"
)

const (
	firstPause = time.Second      // after the first failure to connect
	lastPause  = 30 * time.Second // it doubles up to this
	// relistPause is how long notices of a changed list are gathered before
	// the list is read again.
	relistPause = 50 * time.Millisecond
	// retryWait is how long a listing waits for a server that could not be
	// reached before.
	retryWait = time.Second
)

var (
	errConnecting = errors.New("still connecting")
	errGone       = errors.New("the server does not offer this tool, or not any more")
)

// A link is one connection for as long as the pool lives: it makes sessions,
// one at a time, when they are needed.
type link struct {
	conn   agent.Connection // with no timeout left 0
	cfg    Config
	dialer dialer
	hide   redactor
	log    *slog.Logger
	life   *life
	// changed is called, without the lock, after what is listed has changed.
	changed func()

	mu        sync.Mutex
	live      *session // nil while there is none
	tools     []Tool
	offered   map[string]bool // upstream names of tools
	err       error           // why live is nil
	attempt   *attempt        // being made; nil if none is
	failures  int             // in a row
	notBefore time.Time       // of the next attempt
}

// An attempt is one try to make a session. Many may wait for it.
type attempt struct {
	done    chan struct{}
	session *session // after done, as is err
	err     error
}

func newLink(c agent.Connection, cfg Config, life *life, changed func()) *link {
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = agent.DefaultConnectTimeout
	}
	if c.Timeout <= 0 {
		c.Timeout = agent.DefaultTimeout
	}
	if c.TotalTimeout <= 0 {
		c.TotalTimeout = max(agent.DefaultTotalTimeout, c.Timeout)
	}
	l := &link{
		conn: c, cfg: cfg, hide: newRedactor(c), log: cfg.Log.With("connection", c.Name),
		life: life, changed: changed, err: errConnecting,
	}
	l.dialer = dial(c, cfg, l.log, l.hide)
	return l
}

// listed is what the link contributes to a listing.
func (l *link) listed() Listed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == nil {
		return Listed{Name: l.conn.Name, Err: l.err}
	}
	return Listed{Name: l.conn.Name, Tools: l.tools}
}

// A wait is for what a listing should have in it.
type wait struct {
	done  <-chan struct{}
	retry bool // the last attempt failed
}

// refresh begins to connect if there is reason to, and returns what to wait
// for.
func (l *link) refresh() wait {
	l.bury()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live != nil {
		return wait{done: l.live.renewals.due()}
	}
	if a := l.try(); a != nil {
		return wait{a.done, l.failures > 0}
	}
	return wait{done: closed()} // it failed just now
}

// session returns the live session, connecting if there is none.
func (l *link) session(ctx context.Context) (*session, error) {
	l.bury()
	l.mu.Lock()
	s, err := l.live, l.err
	var a *attempt
	if s == nil {
		a = l.try()
	}
	l.mu.Unlock()
	switch {
	case s != nil:
		return s, nil
	case a == nil:
		return nil, err // it failed just now
	}
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// try returns the attempt that is under way, a new one, or nil if it is too
// early for that. The caller holds the lock.
func (l *link) try() *attempt {
	if l.attempt != nil {
		return l.attempt
	}
	if time.Now().Before(l.notBefore) {
		return nil
	}
	a := &attempt{done: make(chan struct{})}
	if !l.life.begin(func(ctx context.Context) { l.serve(ctx, a) }) {
		a.err = errClosed
		close(a.done)
		return a
	}
	l.attempt = a
	return a
}

// serve makes the session of an attempt and keeps it until it is over.
func (l *link) serve(ctx context.Context, a *attempt) {
	limited, cancel := context.WithTimeoutCause(ctx, l.conn.ConnectTimeout, fmt.Errorf(
		"the server does not answer within %v (connectTimeout: in the connection's file): %w", l.conn.ConnectTimeout, context.DeadlineExceeded))
	defer cancel()
	type made struct {
		session *session
		offers  []offer
		err     error
	}
	ready := make(chan made, 1)
	go func() {
		s, offers, err := l.connect(limited)
		ready <- made{s, offers, err}
	}()
	select {
	case m := <-ready:
		l.settle(ctx, a, m.session, m.offers, m.err)
		if m.err == nil {
			l.keep(ctx, m.session)
			m.session.close()
		}
	case <-limited.Done():
		// A program may take its time to end, for which nobody waits.
		l.settle(ctx, a, nil, nil, context.Cause(limited))
		if m := <-ready; m.err == nil {
			m.session.close()
		}
	}
}

// settle makes known how an attempt ended.
func (l *link) settle(ctx context.Context, a *attempt, s *session, offers []offer, err error) {
	if err != nil {
		err = l.hide.error(err)
	}
	l.mu.Lock()
	l.attempt = nil
	l.live, l.err = s, err
	if err != nil {
		l.notBefore = time.Now().Add(min(firstPause<<min(l.failures, 10), lastPause))
		l.failures++
	} else {
		l.failures = 0
		l.offer(offers)
	}
	l.mu.Unlock()
	l.changed()
	a.session, a.err = s, err
	close(a.done)
	if err != nil && ctx.Err() == nil {
		l.log.Warn("an MCP server cannot be reached", "error", err.Error())
	}
}

func (l *link) connect(ctx context.Context) (*session, []offer, error) {
	roots := l.cfg.Roots
	if l.conn.NoRoots {
		roots = ""
	}
	if err := makeRoots(roots); err != nil {
		return nil, nil, err
	}
	s, err := open(ctx, l.dialer, l.cfg, roots, l.log, l.hide)
	if err != nil {
		return nil, nil, err
	}
	offers, err := s.list(ctx, l.log)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		s.close()
		return nil, nil, err
	}
	return s, offers, nil
}

// offer takes over what the server offers. The caller holds the lock.
func (l *link) offer(offers []offer) {
	l.tools = tools(l.conn, offers, l.runner)
	l.offered = make(map[string]bool, len(l.tools))
	for _, t := range l.tools {
		l.offered[t.Upstream] = true
	}
}

// keep reads the list again when the server says that it changed, and returns
// when the session is over or ctx ends.
func (l *link) keep(ctx context.Context, s *session) {
	defer s.renewals.end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			l.drop(s, s.err)
			return
		case <-s.changed:
			if !pause(ctx, relistPause) {
				return
			}
			select { // all notices up to here are answered by the list that follows
			case <-s.changed:
			default:
			}
			renewed := s.renewals.begin()
			l.relist(ctx, s)
			renewed()
		}
	}
}

// pause waits for d and reports whether ctx lasted that long.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *link) relist(ctx context.Context, s *session) {
	ctx, cancel := context.WithTimeout(ctx, l.conn.ConnectTimeout)
	defer cancel()
	offers, err := s.list(ctx, l.log)
	if err != nil {
		if !s.isOver() {
			l.log.Warn("the changed list of an MCP server cannot be read; the old one stays", "error", l.hide.text(err.Error()))
		}
		return
	}
	l.mu.Lock()
	if l.live == s {
		l.offer(offers)
	}
	l.mu.Unlock()
	l.changed()
}

// drop gives up a session that is broken, unless that was done already. The
// next call or listing connects anew.
func (l *link) drop(s *session, err error) {
	l.mu.Lock()
	mine := l.live == s
	if mine {
		l.live, l.tools, l.offered = nil, nil, nil
		l.err = l.hide.error(fmt.Errorf("the connection broke: %w", err))
	}
	l.mu.Unlock()
	if mine {
		l.log.Warn("the connection to an MCP server broke", "error", l.hide.text(err.Error()))
		l.changed()
	}
}

// bury drops the live session if it is known to be over, before the one that
// keeps it has come to that.
func (l *link) bury() {
	l.mu.Lock()
	s := l.live
	l.mu.Unlock()
	if s != nil && s.isOver() {
		l.drop(s, s.err)
	}
}

// offers says whether a tool can be called.
func (l *link) offers(upstream string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offered[upstream]
}
