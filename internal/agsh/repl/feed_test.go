package repl

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
)

// What was typed while the loop was busy is no paste because it is read at
// once later.
func TestKeysCountFromWhenTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := make(keyboard)
		busy := make(chan struct{})
		var got []action
		f := &feeder{in: keys, send: func(msg tea.Msg) {
			<-busy
			if k, ok := msg.(key); ok {
				got = append(got, k.do)
			}
		}}
		stop, err := f.start()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"x", "a\r", "b\r", "\x1b", "[A", "\x1b"} {
			keys <- s
			gap := 2 * burstGap
			if s == "\x1b" {
				gap = time.Millisecond
			}
			<-time.After(gap)
		}
		<-time.After(time.Second)
		close(busy)
		<-time.After(time.Second)
		close(keys)
		synctest.Wait()
		stop()
		if diff := cmp.Diff([]action{insert, insert, enter, insert, enter, older, escape}, got); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
}
