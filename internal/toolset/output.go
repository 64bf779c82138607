package toolset

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"agsh.dev/event"
)

// capOutput cuts the content of a result to at most limit bytes, both as it
// is and as JSON, so that an answer always fits a client that allows that
// much. The head and the tail of the text stay; structured content that does
// not fit is left out, since half a value is none.
func capOutput(done event.ToolCompleted, limit int) event.ToolCompleted {
	size := len(done.StructuredContent)
	for _, b := range done.Content {
		size += len(b.Text) + len(b.Data)
	}
	// No byte of text takes more than six in JSON.
	if size*6+len(done.Content)*blockSize < limit {
		return done
	}
	if size <= limit && encodedSize(done) <= limit {
		return done
	}
	if done.Truncated == nil {
		done.Truncated = &event.Truncated{Bytes: int64(size)}
	}
	done.StructuredContent = nil
	whole := done.Content
	for budget := limit; ; {
		done.Content = cutBlocks(whole, budget)
		enc := encodedSize(done)
		if enc <= limit+blockSize*len(done.Content) || budget < blockSize {
			return done
		}
		// Escapes made it too long: shrink by as much as they cost.
		budget = int(float64(budget) * float64(limit) / float64(enc) * 0.99)
	}
}

// blockSize is the most bytes a block takes beside its content, the marker of
// a cut included.
const blockSize = 128

// encodedSize is what the content takes in an answer beside the frame of its
// blocks.
func encodedSize(done event.ToolCompleted) int {
	n := 0
	if len(done.StructuredContent) > 0 {
		n = encoded(done.StructuredContent)
	}
	for _, b := range done.Content {
		n += encoded(b.Text) - len(`""`) + len(b.Data)
	}
	if len(done.Content) > 1 {
		n += len(done.Content) * len(`{"type":"text","text":""},`)
	}
	return n
}

func encoded(v any) int {
	b, _ := json.Marshal(v) // text, and JSON that was checked
	return len(b)
}

// cutBlocks gives each block in turn what is left of the budget.
func cutBlocks(blocks []event.Block, budget int) []event.Block {
	var out []event.Block
	for i, b := range blocks {
		switch {
		case budget <= 0 && i > 0:
			return append(out, event.Text(fmt.Sprintf("[… %d more blocks left out …]", len(blocks)-i)))
		case b.Data != "" && len(b.Data) > budget:
			b = event.Text(fmt.Sprintf("[%.64s of %d bytes left out: the output is too large]", b.MimeType, len(b.Data)/4*3))
			budget -= len(b.Text)
		case b.Data != "":
			budget -= len(b.Data)
		default:
			kept := Cut(b.Text, max(0, budget))
			budget -= len(b.Text)
			b.Text = kept
		}
		if i > 0 {
			budget -= blockSize
		}
		out = append(out, b)
	}
	return out
}

// Cut keeps at most limit bytes of s, half from its head and half from its
// tail, and puts a marker with the number of bytes left out between them. No
// character is cut in two. A string that fits comes back as it is.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := limit / 2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	tail := len(s) - (limit - limit/2)
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s[:head], tail-head, s[tail:])
}
