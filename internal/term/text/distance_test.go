package text_test

import (
	"strings"
	"testing"

	"agsh.dev/internal/term/text"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"read", "read", 0},
		{"raed", "read", 1},
		{"rea", "read", 1},
		{"rread", "read", 1},
		{"reed", "read", 1},
		{"", "abc", 3},
		{"kitten", "sitting", 3},
	} {
		if got := text.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := text.Distance(tt.b, tt.a); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
	if got := text.Distance(strings.Repeat("a", 1000), "a"); got < 1000 {
		t.Errorf("Distance of a very long word = %d, want infinitely far", got)
	}
}
