// Package sse reads streams of server-sent events as the HTML standard defines
// them.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// An Event is one dispatched event.
type Event struct {
	// Type is its event field; empty means message.
	Type string
	// Data is its data lines, joined by newlines. It is valid until the next
	// event is asked for.
	Data []byte
}

// ErrTooLong is the error of a line, or of an event's data, that is longer
// than the limit.
var ErrTooLong = errors.New("longer than the limit")

// Events returns the events of r until its end. How the bytes are cut into
// reads does not matter, and an event is yielded as soon as the last byte of
// its blank line is there. As the standard wants, an event that r ends in the
// middle of is dropped.
//
// No line and no event's data may be longer than limit bytes. An error, of r
// or an [ErrTooLong], is the last thing that is yielded; the end of r is none.
func Events(r io.Reader, limit int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		p := parser{limit: limit}
		buf := make([]byte, 16<<10)
		for {
			n, err := r.Read(buf)
			for rest := buf[:n]; len(rest) > 0; {
				var event Event
				var ok bool
				var bad error
				event, rest, ok, bad = p.feed(rest)
				if bad != nil {
					yield(Event{}, bad)
					return
				}
				if ok && !yield(event, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// A parser is the state between two bytes of a stream.
type parser struct {
	limit   int
	line    []byte // the line so far
	skipLF  bool   // the last byte was the CR that ended a line
	begun   bool   // the first line is over, and with it the place of a BOM
	kind    string
	data    []byte
	hasData bool
	given   bool // data was yielded and may be overwritten
}

var bom = []byte("\ufeff")

// feed takes bytes up to the end of an event, or all of them, and returns the
// rest. It reports true with an event.
func (p *parser) feed(b []byte) (event Event, rest []byte, ok bool, err error) {
	for len(b) > 0 {
		if p.skipLF {
			p.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		end := bytes.IndexAny(b, "\r\n")
		part := b
		if end >= 0 {
			part = b[:end]
		}
		if len(p.line)+len(part) > p.limit {
			return Event{}, nil, false, fmt.Errorf("read a line of an event stream: %w of %d bytes", ErrTooLong, p.limit)
		}
		p.line = append(p.line, part...)
		if end < 0 {
			return Event{}, nil, false, nil
		}
		p.skipLF = b[end] == '\r'
		b = b[end+1:]
		line := p.line
		p.line = p.line[:0]
		if !p.begun {
			p.begun = true
			line = bytes.TrimPrefix(line, bom)
		}
		if event, ok, err = p.endLine(line); ok || err != nil {
			return event, b, ok, err
		}
	}
	return Event{}, nil, false, nil
}

// endLine takes a whole line. It reports true with an event if it is the blank
// line that ends one.
func (p *parser) endLine(line []byte) (Event, bool, error) {
	if len(line) == 0 {
		event, ok := Event{p.kind, p.data}, p.hasData
		p.kind, p.hasData, p.given = "", false, true
		return event, ok, nil
	}
	if p.given {
		p.data, p.given = p.data[:0], false
	}
	name, value, _ := bytes.Cut(line, []byte(":")) // a comment has the name ""
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		p.kind = string(value)
	case "data":
		if p.hasData {
			p.data = append(p.data, '\n')
		}
		if len(p.data)+len(value) > p.limit {
			return Event{}, false, fmt.Errorf("read an event's data: %w of %d bytes", ErrTooLong, p.limit)
		}
		p.data, p.hasData = append(p.data, value...), true
	}
	return Event{}, false, nil
}
