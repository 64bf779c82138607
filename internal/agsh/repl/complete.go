package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

// A Completion is what may stand in place of a part of a text, from Start (a
// byte offset) up to the cursor.
type Completion struct {
	Start      int
	Candidates []Candidate
}

// A Candidate is one way to go on. Text is what is inserted, quoted as the
// language wants it and with a blank after it if the word is whole. Title, if
// any, is shown beside it.
type Candidate struct {
	Text, Title string
}

// maxListed bounds a list of candidates.
const maxListed = 60

// complete inserts what all candidates have in common and, if that is
// nothing, shows them.
func (e *editor) complete(ctx context.Context) {
	if e.Complete == nil {
		return
	}
	c := e.candidates(ctx)
	if len(c.Candidates) == 0 || c.Start < 0 || c.Start > e.line.at {
		return
	}
	common := c.Candidates[0].Text
	for _, other := range c.Candidates[1:] {
		common = commonPrefix(common, other.Text)
	}
	typed := e.line.text[c.Start:e.line.at]
	if len(c.Candidates) == 1 || len(common) > len(typed) && strings.HasPrefix(common, typed) {
		e.line, _ = e.line.cut(c.Start)
		e.line = e.line.insert(common)
		return
	}
	e.screen.leave("")
	e.screen.write(listing(c.Candidates, e.screen.cells()))
	e.screen.begin()
}

// candidates asks what may stand at the cursor. Keys that are pressed meanwhile
// are kept for later, and Ctrl-C ends the wait.
func (e *editor) candidates(ctx context.Context) Completion {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	reading, stop := context.WithCancel(ctx)
	defer stop()
	found := make(chan Completion, 1)
	go func(text string, at int) {
		defer stop()
		found <- e.Complete(asking, text, at)
	}(e.line.text, e.line.at)
	for reading.Err() == nil {
		data, err := e.src.read(reading)
		if errors.Is(err, errInterrupted) {
			data = []byte{interruptKey}
		}
		e.rest = append(e.rest, data...)
		if err != nil || bytes.IndexByte(data, interruptKey) >= 0 {
			break
		}
	}
	if reading.Err() == nil {
		cancel()
	}
	return <-found
}

// interruptKey is what Ctrl-C sends.
const interruptKey = 0x03

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// listing shows one candidate a row.
func listing(candidates []Candidate, width int) string {
	shown := candidates[:min(len(candidates), maxListed)]
	column := 0
	for _, c := range shown {
		column = max(column, text.Width(text.EscapeLine(c.Text)))
	}
	var b strings.Builder
	for _, c := range shown {
		row := text.EscapeLine(strings.TrimRight(c.Text, " "))
		if c.Title != "" {
			row = text.Pad(row, column) + "  " + text.EscapeLine(c.Title)
		}
		b.WriteString(text.Truncate(row, width-1) + "\r\n")
	}
	if more := len(candidates) - len(shown); more > 0 {
		fmt.Fprintf(&b, "… and %d more\r\n", more)
	}
	return b.String()
}
