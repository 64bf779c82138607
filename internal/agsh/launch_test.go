package agsh

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agsh.dev/internal/term"
)

// A shell whose server is slow to answer says what it waits for, and takes
// that away when it has it.
func TestALaunchThatTakesLongSaysSo(t *testing.T) {
	s := newServer(t, "Read")
	tm, out, errOut := term.Test("")
	tm.InTTY, tm.OutTTY, tm.ErrTTY = true, true, true
	const row = "waiting for the agent 1s"
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for patience := time.After(20 * time.Second); !strings.Contains(errOut.String(), row); {
			select {
			case <-look.C:
			case <-patience:
				t.Error("nothing tells that the server is waited for")
				return
			case <-r.Context().Done():
				return
			}
		}
		s.ServeHTTP(w, r)
	}))
	defer slow.Close()
	if code := Run(t.Context(), tm, []string{"--target", slow.URL + "/agent"}); code != exitDone {
		t.Errorf("code %d, %q", code, errOut.String())
	}
	if got := errOut.String(); !strings.Contains(got, row+"\r\x1b[K→ ses_made\n") || strings.Contains(out.String(), row) {
		t.Errorf("standard error %q, output %q", got, out.String())
	}
}
