package agentdir

import (
	"strings"

	"agsh.dev/internal/term/text"
)

// near returns the one of words that word is most probably a slip of, or "".
func near(word string, words []string) string {
	best, limit := "", 1+len(word)/4
	for _, w := range words {
		if d := text.Distance(strings.ToLower(word), strings.ToLower(w)); d <= limit && d < len(word) {
			best, limit = w, d-1
		}
	}
	return best
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
