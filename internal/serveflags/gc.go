package serveflags

import "runtime/debug"

// TuneGC makes a program that only serves collect garbage less often. Its heap
// is a few megabytes, so that by Go's default it would collect every few
// hundred calls, for a fifth of its processor time; the price is some ten
// megabytes. GOGC, if it is set, has the last word.
func TuneGC(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
