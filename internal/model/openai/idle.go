package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// errIdle is the cause of a context that ended because the server was silent.
var errIdle = errors.New("the server sent nothing for too long")

// idle ends a context when nothing was heard for a while. Its timer is the
// only thing that runs beside the request, and stop ends it.
type idle struct {
	cancel context.CancelCauseFunc
	timer  *time.Timer

	mu    sync.Mutex
	after time.Duration
}

// watchIdle returns a context that ends, with errIdle as its cause, when
// nothing is heard for that long. The caller calls stop.
func watchIdle(ctx context.Context, after time.Duration) (context.Context, *idle) {
	ctx, cancel := context.WithCancelCause(ctx)
	silent := fmt.Errorf("%w: %s", errIdle, after)
	return ctx, &idle{cancel: cancel, timer: time.AfterFunc(after, func() { cancel(silent) }), after: after}
}

func (w *idle) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// heard begins the wait anew.
func (w *idle) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Reset(w.after)
}

// limit makes the wait at most that long from now on.
func (w *idle) limit(after time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if after < w.after {
		w.after = after
		w.timer.Reset(after)
	}
}

// reader returns r; every byte that is read from it is heard.
func (w *idle) reader(r io.Reader) io.Reader { return &heardReader{r, w} }

type heardReader struct {
	r io.Reader
	w *idle
}

func (h *heardReader) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	if n > 0 {
		h.w.heard()
	}
	return n, err
}
