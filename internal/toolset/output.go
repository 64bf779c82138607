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
	if size*6 < limit {
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
		if enc <= limit+markerSize*len(whole) || budget < 64 {
			return done
		}
		// Escapes made it too long: shrink by as much as they cost.
		budget = int(float64(budget) * float64(limit) / float64(enc) * 0.99)
	}
}

// markerSize is the most bytes a cut adds to a block: a limit holds for the
// content, not for the note that some is missing.
const markerSize = 64

// encodedSize is what the content takes in an answer.
func encodedSize(done event.ToolCompleted) int {
	n := len(done.StructuredContent)
	for _, b := range done.Content {
		enc, err := json.Marshal(b.Text)
		if err != nil {
			return 0
		}
		n += len(enc) - 2 + len(b.Data)
	}
	return n
}

// cutBlocks gives each block in turn what is left of the budget.
func cutBlocks(blocks []event.Block, budget int) []event.Block {
	out := make([]event.Block, 0, len(blocks))
	for _, b := range blocks {
		switch {
		case b.Data != "" && len(b.Data) > budget:
			b = event.Text(fmt.Sprintf("[%s of %d bytes left out: the output is too large]", b.MimeType, len(b.Data)/4*3))
		case b.Data != "":
			budget -= len(b.Data)
		default:
			kept := Cut(b.Text, budget)
			budget = max(0, budget-len(b.Text))
			b.Text = kept
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
