package mcpclient

import (
	"context"
	"fmt"
	"time"
)

// A limit ends a call that is silent for too long, or takes too long in all.
// It is one timer for both, since calls are many.
type limit struct {
	silence, total time.Duration
	end            time.Time
	timer          *time.Timer
}

// newLimit starts the limit of a whole call; that of silence starts with
// extend. The cause that cancel gets says which was reached.
func newLimit(silence, total time.Duration, cancel context.CancelCauseFunc) *limit {
	l := &limit{silence: silence, total: total, end: time.Now().Add(total)}
	l.timer = time.AfterFunc(total, func() { cancel(l.reached()) })
	return l
}

func (l *limit) reached() error {
	if time.Now().Before(l.end) {
		return fmt.Errorf("the server gave neither an answer nor progress for %v (raise timeout: in the connection's file): %w", l.silence, context.DeadlineExceeded)
	}
	return fmt.Errorf("it did not end within %v (raise totalTimeout: in the connection's file): %w", l.total, context.DeadlineExceeded)
}

// extend begins the silence anew. It must not be called after stop.
func (l *limit) extend() { l.timer.Reset(max(0, min(l.silence, time.Until(l.end)))) }

func (l *limit) stop() { l.timer.Stop() }
