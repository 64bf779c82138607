package agsh

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name that completes is an operand as it stands, and nothing that a shell
// would expand.
func TestCompletedPathsAreOperands(t *testing.T) {
	s := newServer(t, "Read", "LS")
	s.effect = "read"
	s.call = func(w http.ResponseWriter, _ *http.Request) {
		const list = "/:\n  - -dash\n  - план.md\n  - 한글/\n  - two words\n  - $x\n  - ;x\n  - .hidden\n"
		s.answer(w, 200, map[string]any{"session": "ses_a", "content": []map[string]string{{"type": "text", "text": list}}})
	}
	for line, want := range map[string]string{
		"agsh read ":        "./-dash\nплан.md\n한글/\n",
		"agsh read п":       "план.md\n",
		"agsh read 한글/":     "한글/-dash\n한글/план.md\n한글/한글/\n",
		"agsh read --path ": "./-dash\nплан.md\n한글/\n",
	} {
		got, stderr, code := s.run(t, "", "--complete", line)
		if diff := cmp.Diff(want, got); diff != "" || code != 0 {
			t.Errorf("%q: code %d, %s (-want +got):\n%s", line, code, stderr, diff)
		}
	}
}
