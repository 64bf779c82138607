package scripttool

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// A tape keeps what fits whole, and else a head and a tail that are the
// stream's, cut between characters.
func FuzzTape(f *testing.F) {
	f.Add([]byte("hello"), 10)
	f.Add([]byte("hello, wörld, how are you"), 8)
	f.Add([]byte("日本語日本語日本語"), 11)
	f.Add(bytes.Repeat([]byte("abc"), 2000), 3001)
	f.Add([]byte("ۘݺ"), 3)
	f.Add([]byte("ab😀"), 6)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if limit < 2 || limit > 1<<16 {
			return
		}
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
			tp := newTape(limit)
			tp.drain(r)
			got, whole := tp.text()
			if tp.size != int64(len(data)) {
				t.Fatalf("size = %d, want %d", tp.size, len(data))
			}
			if whole != (len(data) <= limit/2*2) {
				t.Fatalf("whole = %v for %d bytes and limit %d", whole, len(data), limit)
			}
			if whole && got != string(data) {
				t.Fatalf("text = %q, want %q", got, data)
			}
			if utf8.Valid(data) && !utf8.ValidString(got) {
				t.Fatalf("text of %q cuts a character: %q", data, got)
			}
			last := tp.last(limit / 2)
			if !bytes.HasSuffix(data, []byte(last)) || len(last) > limit/2 {
				t.Fatalf("last(%d) = %q, not the end of %q", limit/2, last, data)
			}
			if len(data) >= limit/2 && len(last) < limit/2-utf8.UTFMax+1 {
				t.Fatalf("last(%d) = %q, too little of %q", limit/2, last, data)
			}
		}
	})
}
