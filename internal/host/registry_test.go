package host

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"agsh.dev/agent"
	"agsh.dev/internal/session"
)

// A session that could not be opened is opened again by the next one that
// wants it, also while others still learn of the failure.
func TestAFailedOpenIsNotKept(t *testing.T) {
	r := newRegistry()
	failed := r.reserve("a")
	r.opened(failed, nil, errors.New("no answer"))
	log := new(session.Log)
	s, err := r.acquire(t.Context(), "a", func() (*session.Log, error) { return log, nil })
	if err != nil || s.log != log {
		t.Fatalf("acquire = %v, want the log that was opened", err)
	}
	r.release(failed)
	again, err := r.acquire(t.Context(), "a", func() (*session.Log, error) { t.Error("a second log"); return nil, nil })
	if err != nil || again != s {
		t.Errorf("acquire = %v, %v", again, err)
	}
}

func TestAReservedSessionThatNeverCameLeavesNothing(t *testing.T) {
	r := newRegistry()
	r.release(r.reserve("a"))
	if len(r.open) != 0 || r.idle.Len() != 0 {
		t.Errorf("%d sessions are open, %d idle", len(r.open), r.idle.Len())
	}
}

func TestProgramsWaitForTheirTurn(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	tool := limited(make(chan struct{}, 1), func(context.Context, json.RawMessage) (agent.Result, error) {
		begun <- struct{}{}
		<-end
		return agent.Result{}, nil
	})
	ended := make(chan error, 2)
	call := func() { _, err := tool(t.Context(), nil); ended <- err }
	go call()
	<-begun
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool(gone, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has gone waits for a turn: %v", err)
	}
	go call()
	select {
	case <-begun:
		t.Error("two programs run in one slot")
	default:
	}
	end <- struct{}{}
	<-begun
	end <- struct{}{}
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Error(err)
	}
}
