package toolset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agsh.dev/event"
)

const (
	// maxBlocks is the most blocks of content a result has.
	maxBlocks = 1000
	// blockFrame is what a block takes in JSON beside its strings.
	blockFrame = len(`{"type":"","text":"","data":"","mimeType":"","uri":"","name":""},`)
	// firstFrame is not counted against the limit, so that one text may be as
	// long as it.
	firstFrame = blockFrame + len("text")
	// noteSize is the most bytes of a note about what was left out.
	noteSize = 128
)

// capOutput cuts a result to at most maxBlocks blocks and to limit bytes of
// JSON, in which nothing is escaped only for HTML. The head and the tail of
// the text stay; structured content that does not fit is left out, since half
// a value is none. A result is not said to be cut when its text repeats what
// was left out.
func capOutput(done event.ToolCompleted, limit int) event.ToolCompleted {
	size := 0
	for _, b := range done.Content {
		size += blockSize(b)
	}
	fits := func(size int) bool {
		return size <= limit+firstFrame*min(1, len(done.Content)) && len(done.Content) <= maxBlocks
	}
	if fits(size + len(done.StructuredContent)) {
		return done
	}
	if fits(size) && textRepeats(done) {
		done.StructuredContent = nil
		return done
	}
	if done.Truncated == nil {
		done.Truncated = &event.Truncated{Bytes: outputSize(done)}
	}
	done.StructuredContent = nil
	done.Content = cutBlocks(done.Content, limit)
	return done
}

// outputSize is how many bytes the tool gave. Text that only repeats the
// structured content is not counted again.
func outputSize(done event.ToolCompleted) int64 {
	n := 0
	for _, b := range done.Content {
		n += len(b.Text) + len(b.Data)
	}
	if !textRepeats(done) {
		n += len(done.StructuredContent)
	}
	return int64(n)
}

// textRepeats reports whether a text of the result is its structured content.
func textRepeats(done event.ToolCompleted) bool {
	value := string(bytes.TrimSpace(done.StructuredContent))
	return slices.ContainsFunc(done.Content, func(b event.Block) bool { return strings.TrimSpace(b.Text) == value })
}

// cutBlocks gives each block in turn what is left of the budget.
func cutBlocks(blocks []event.Block, budget int) []event.Block {
	out := make([]event.Block, 0, min(len(blocks), maxBlocks+1))
	budget += firstFrame
	for i, b := range blocks {
		room := budget // the last block may take all, others leave room for a note
		if i < len(blocks)-1 {
			room -= noteSize
		}
		if i == maxBlocks || i > 0 && room < blockFrame+noteSize {
			return append(out, event.Text(fmt.Sprintf("[… %d more blocks left out …]", len(blocks)-i)))
		}
		if blockSize(b) > room {
			b = cutBlock(b, room-firstFrame)
		}
		budget -= blockSize(b)
		out = append(out, b)
	}
	return out
}

// cutBlock returns a text block of at most room bytes for one that is larger.
func cutBlock(b event.Block, room int) event.Block {
	if b.Type != "text" {
		return event.Text(fmt.Sprintf("[%.40q of %d bytes left out: the output is too large]", b.MimeType, len(b.Text)+len(b.Data)/4*3))
	}
	return event.Text(Cut(b.Text, room-markerSize))
}

// blockSize is what a block takes in JSON.
func blockSize(b event.Block) int {
	size := blockFrame
	for _, s := range []string{b.Type, b.Text, b.Data, b.MimeType, b.URI, b.Name} {
		size += encodedSize(s)
	}
	return size
}

// encodedSize is what text takes between the quotes of a JSON string.
func encodedSize(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == lineSeparator[0] {
			n += escapes(s[i:])
		}
	}
	return n
}

// lineSeparator and the character after it are escaped in JSON, for programs
// that take it for JavaScript.
const lineSeparator = "\u2028"

// escapes is how many bytes more the first character of s takes in JSON.
func escapes(s string) int {
	switch c := s[0]; {
	case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
		return 1
	case c < ' ':
		return len(`\u0000`) - 1
	case strings.HasPrefix(s, lineSeparator), strings.HasPrefix(s, "\u2029"):
		return len(`\u2028`) - len(lineSeparator)
	}
	return 0
}

// markerSize is the most bytes the marker of [Cut] takes in JSON.
const markerSize = len(`\n[… 9223372036854775807 bytes left out …]\n`)

// Cut keeps at most limit bytes of s as they count in JSON, half from its head
// and half from its tail, and puts a marker with the number of bytes left out
// between them. No character is cut in two. A string that fits comes back as
// it is.
func Cut(s string, limit int) string {
	if len(s)*len(`\u0000`) <= limit || encodedSize(s) <= limit {
		return s
	}
	head, tail := 0, len(s)
	for room := limit / 2; head < len(s); {
		_, width := utf8.DecodeRuneInString(s[head:])
		if room -= width + escapes(s[head:]); room < 0 {
			break
		}
		head += width
	}
	for room := limit - limit/2; tail > head; {
		_, width := utf8.DecodeLastRuneInString(s[:tail])
		if room -= width + escapes(s[tail-width:]); room < 0 {
			break
		}
		tail -= width
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s[:head], tail-head, s[tail:])
}
