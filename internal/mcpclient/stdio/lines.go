package stdio

import (
	"bytes"
	"io"
)

const (
	smallBuffer = 32 << 10 // what the buffer of lines begins with
	bigBuffer   = 1 << 20  // what it may keep after a long line
)

// lines splits a stream into lines. Its buffer grows with the lines, up to
// one byte more than max.
type lines struct {
	r        io.Reader
	max      int // bytes of a line, without its end
	buf      []byte
	from, to int // what of buf has been read but not returned
}

// next returns a line without its "\n", valid until the next call; what
// stands after the last one counts as a line unless it is empty. A line
// longer than max goes by without being kept, and what was seen of it is
// returned in its place.
func (l *lines) next() (line []byte, long *skim, err error) {
	for seen := 0; ; {
		rest := l.buf[l.from:l.to]
		i := bytes.IndexByte(rest[seen:], '\n')
		if i >= 0 {
			rest = rest[:seen+i]
		}
		switch seen = len(rest); {
		case seen > l.max:
			return nil, l.skip(), nil
		case i >= 0:
			l.from += seen + 1
			return rest, nil, nil
		}
		if err := l.fill(); err != nil {
			// A later call comes here again.
			if seen == 0 {
				return nil, nil, err
			}
			line, l.from = l.buf[l.from:l.to], l.to
			return line, nil, nil
		}
	}
}

// skip passes over the rest of the line.
func (l *lines) skip() *skim {
	s := new(skim)
	for {
		rest := l.buf[l.from:l.to]
		i := bytes.IndexByte(rest, '\n')
		if i >= 0 {
			s.feed(rest[:i])
			l.from += i + 1
			return s
		}
		s.feed(rest)
		l.from = l.to
		if l.fill() != nil {
			return s
		}
	}
}

// fill reads at least one byte or returns an error.
func (l *lines) fill() error {
	if l.from == l.to {
		l.from, l.to = 0, 0
		if len(l.buf) == 0 || len(l.buf) > bigBuffer {
			l.buf = make([]byte, smallBuffer)
		}
	}
	if l.to == len(l.buf) {
		into := l.buf
		if l.from == 0 {
			into = make([]byte, max(min(2*len(l.buf), l.max+1), len(l.buf)+1))
		}
		l.to = copy(into, l.buf[l.from:l.to])
		l.from, l.buf = 0, into
	}
	for {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		if n > 0 {
			return nil // the error, if any, comes again
		}
		if err != nil {
			return err
		}
	}
}
