package text

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const ellipsis = "…"

// Width is how many cells s takes on one line. Control characters count as
// nothing: escape s first.
func Width(s string) int {
	n := displaywidth.String(s)
	if n == len(s) {
		return n // printable ASCII
	}
	// The library lets an emoji selector widen any character before it; a
	// space has no emoji form and stays one cell.
	return n - strings.Count(s, " \ufe0f")
}

// Pad returns s with spaces after it up to width cells. What is wider already
// is returned as it is.
func Pad(s string, width int) string {
	if n := width - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// Truncate returns s if it takes at most width cells; otherwise as many whole
// characters as leave room for an ellipsis, and the ellipsis. A width below 1
// gives the empty string.
func Truncate(s string, width int) string {
	if width < 1 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return displaywidth.TruncateString(s, width, ellipsis)
}
