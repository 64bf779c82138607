package serveflags

import (
	"runtime/debug"
	"testing"
)

func TestGOGCHasTheLastWord(t *testing.T) {
	for gogc, want := range map[string]int{"": 400, "50": 100} {
		before := debug.SetGCPercent(100)
		TuneGC(func(string) string { return gogc })
		if got := debug.SetGCPercent(before); got != want {
			t.Errorf("with GOGC=%q the percentage is %d, want %d", gogc, got, want)
		}
	}
}
