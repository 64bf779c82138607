package term

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// A Buffer keeps what is written to it. It is safe for concurrent use; the
// zero value is empty.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends p. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns everything written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Test returns a terminal for a test, and the buffers behind its Out and Err.
// In reads the given text. The environment is the "NAME=value" entries and
// nothing else; a later entry wins. No stream is a terminal and Width is
// COLUMNS or 0, until the test sets other fields.
func Test(in string, env ...string) (t *Term, out, err *Buffer) {
	vars := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		vars[name] = value
	}
	columns, _ := strconv.Atoi(vars["COLUMNS"]) // 0 if it is no number
	out, err = &Buffer{}, &Buffer{}
	t = &Term{
		In: strings.NewReader(in), Out: out, Err: err,
		Getenv: func(name string) string { return vars[name] },
		Width:  func() int { return max(columns, 0) },
	}
	return t, out, err
}
