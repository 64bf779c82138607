package view_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/agsh/view"
)

var update = flag.Bool("update", false, "rewrite the wanted text in testdata")

// TestGolden shows the result that each file in testdata gives in its sections
// "text" and "structured" as its sections "want WIDTH" and "want WIDTH color"
// say. ESC is written as \e there.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r view.Result
			rewritten, sections := split(string(data))
			for _, s := range sections {
				switch s.name {
				case "text":
					r.Blocks = append(r.Blocks, view.Block{Type: "text", Text: s.body})
				case "structured":
					r.Structured = []byte(s.body)
				default:
					var o view.Options
					if _, err := fmt.Sscanf(s.name, "want %d", &o.Width); err != nil {
						t.Fatalf("section %q: %v", s.name, err)
					}
					o.Color = strings.HasSuffix(s.name, " color")
					got := strings.ReplaceAll(view.Text(r, o), "\x1b", `\e`)
					if diff := cmp.Diff(s.body, got); diff != "" && !*update {
						t.Errorf("%s (-want +got):\n%s", s.name, diff)
					}
					s.body = got
				}
				rewritten += "-- " + s.name + " --\n" + s.body
			}
			if *update {
				if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type section struct{ name, body string }

// split takes a golden file apart at its "-- name --" lines.
func split(data string) (head string, sections []section) {
	for line := range strings.Lines(data) {
		name, ok := strings.CutPrefix(line, "-- ")
		if name, isName := strings.CutSuffix(name, " --\n"); ok && isName {
			sections = append(sections, section{name: name})
		} else if n := len(sections); n > 0 {
			sections[n-1].body += line
		} else {
			head += line
		}
	}
	return head, sections
}
