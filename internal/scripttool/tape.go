package scripttool

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A tape keeps the head and the tail of a stream, and the size of all of it.
type tape struct {
	half int // the most bytes of the head, and of the tail
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring goes on
	size int64
	// ended says that the stream was read to its end.
	ended bool
}

func newTape(limit int) tape { return tape{half: max(limit/2, 1)} }

// drain reads r to its end or first error, so that no writer ever waits for
// room.
func (t *tape) drain(r io.Reader) {
	for {
		room := t.room()
		n, err := r.Read(room)
		t.advance(n)
		if err != nil {
			t.ended = err == io.EOF
			return
		}
	}
}

// firstRead is how much room the first read gets; most tools print less.
const firstRead = 1 << 10

// room is where the next bytes go. They are read in place: a big output is
// not copied.
func (t *tape) room() []byte {
	if len(t.head) < t.half {
		t.head = grow(t.head, t.half)
		return t.head[len(t.head):min(cap(t.head), t.half)]
	}
	if len(t.tail) < t.half {
		t.tail = grow(t.tail, t.half)
		return t.tail[len(t.tail):min(cap(t.tail), t.half)]
	}
	return t.tail[t.next:]
}

func grow(b []byte, limit int) []byte {
	if len(b) < cap(b) {
		return b
	}
	return slices.Grow(b, min(max(firstRead, len(b)), limit-len(b)))
}

func (t *tape) advance(n int) {
	t.size += int64(n)
	switch {
	case len(t.head) < t.half:
		t.head = t.head[:len(t.head)+n]
	case len(t.tail) < t.half:
		t.tail = t.tail[:len(t.tail)+n]
	default:
		t.next = (t.next + n) % t.half
	}
}

// text returns what was kept. When bytes are missing, a marker with their
// number stands in their place and whole is false. Around the marker no
// character is cut in two.
func (t *tape) text() (s string, whole bool) {
	missing := t.size - int64(len(t.head)+len(t.tail))
	if missing == 0 {
		if len(t.tail) == 0 {
			return string(t.head), true
		}
		return string(t.head) + string(t.tail), true
	}
	head := t.head[:len(t.head)-partial(t.head)]
	tail := t.ordered()
	cut := leading(tail)
	missing += int64(len(t.head) - len(head) + cut)
	var b strings.Builder
	b.Grow(len(head) + len(tail) + 64)
	b.Write(head)
	fmt.Fprintf(&b, "\n[… %d of %d bytes left out …]\n", missing, t.size)
	b.Write(tail[cut:])
	return b.String(), false
}

// last returns at most n bytes of the end, beginning with a whole character.
func (t *tape) last(n int) string {
	end := t.ordered()
	if len(end) < n && t.size == int64(len(t.head)+len(t.tail)) {
		end = slices.Concat(t.head, end)
	}
	if len(end) <= n {
		return string(end)
	}
	end = end[len(end)-n:]
	return string(end[leading(end):])
}

func (t *tape) ordered() []byte {
	if t.next == 0 {
		return t.tail
	}
	return slices.Concat(t.tail[t.next:], t.tail[:t.next])
}

// partial is how many bytes at the end of b begin a character they do not
// finish.
func partial(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// leading is how many bytes at the start of b finish a character that is not
// there.
func leading(b []byte) int {
	most := min(len(b), utf8.UTFMax-1)
	for i := range most {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return most
}
