package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mdLink is the target of a Markdown link.
var mdLink = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// TestLinks holds the documents to what is there: a path they point to exists.
func TestLinks(t *testing.T) {
	root := filepath.Dir(output(t, ".", "go", "env", "GOMOD"))
	found := 0
	for f := range strings.FieldsSeq(output(t, root, "git", "ls-files", "*.md")) {
		if strings.Contains(f, "testdata") || strings.HasPrefix(f, "internal/") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(f), m[1])); err != nil {
				t.Errorf("%s points to %s, which is not there", f, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no link was found")
	}
}
