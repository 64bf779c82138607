package scripttool

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrontMatter(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"after a shebang", "#!/bin/sh\n# ---\n# a: 1\n# ---\necho\n", "\n\n  a: 1\n"},
		{"without a shebang", "# ---\n# a: 1\n# ---\n", "\n  a: 1\n"},
		{"in a Go file", "//go:build ignore\n\n// ---\n// a:\n//   b: 1\n// ---\n\npackage main\n", "\n\n\n   a:\n     b: 1\n"},
		{"after a licence", "#!/bin/sh\n# Copyright\n#\n# ---\n# a: 1\n# ---\n", "\n\n\n\n  a: 1\n"},
		{"marks without a space", "#---\n#a: 1\n#---\n", "\n a: 1\n"},
		{"empty lines of the block", "# ---\n# a: |\n#   x\n#\n#   y\n# ---\n", "\n  a: |\n    x\n \n    y\n"},
		{"carriage returns", "#!/bin/sh\r\n# ---\r\n# a: 1\r\n# ---\r\n", "\n\n  a: 1\n"},
		{"an empty one", "# ---\n# ---\n", "\n"},
		{"the end of the file closes nothing more", "# ---\n# a: 1\n# ---", "\n  a: 1\n"},
		{"none", "#!/bin/sh\necho\n", ""},
		{"none in code", "#!/bin/sh\necho\n# ---\n# a: 1\n# ---\n", ""},
		{"none in an empty file", "", ""},
		{"more dashes are a comment", "# ------\n# a: 1\n# ------\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FrontMatter([]byte(tt.source))
			if err != nil {
				t.Fatalf("FrontMatter(%q) = %v", tt.source, err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("FrontMatter(%q) (-want +got):\n%s", tt.source, diff)
			}
		})
	}
}

func TestFrontMatterThatIsNotClosed(t *testing.T) {
	tests := []struct {
		name, source string
		line         int
	}{
		{"at the end", "#!/bin/sh\n# ---\n# a: 1\n", 2},
		{"before code", "#!/bin/sh\n# ---\n# a: 1\necho\n", 4},
		{"by another mark", "# ---\n# a: 1\n// ---\n", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := FrontMatter([]byte(tt.source))
			var e *FrontMatterError
			if !errors.As(err, &e) || e.Line != tt.line {
				t.Errorf("FrontMatter(%q) = %v, want an error on line %d", tt.source, err, tt.line)
			}
		})
	}
}

// Whatever is in a manifest stands where it stood in the file.
func FuzzFrontMatter(f *testing.F) {
	f.Add([]byte("#!/bin/sh\n# ---\n# a: 1\n#   b: [x]\n# ---\necho\n"))
	f.Add([]byte("//go:build x\n//---\n//a: 1\n//---\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		doc, err := FrontMatter(source)
		if err != nil {
			return
		}
		in := bytes.Split(source, []byte("\n"))
		for i, line := range strings.Split(string(doc), "\n") {
			for col := range len(line) {
				if line[col] != ' ' && line[col] != in[i][col] {
					t.Fatalf("line %d column %d is %q, in the file %q", i+1, col+1, line[col], in[i][col])
				}
			}
		}
	})
}
