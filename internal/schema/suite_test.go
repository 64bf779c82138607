package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOfficialSuite runs the JSON Schema organisation's own cases, as the
// library we compare with ships them. Cases that need other documents, dynamic
// references or the metaschema say so in Dropped, and are left out.
func TestOfficialSuite(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("find the library whose cases these are: %v", err)
	}
	ran, left := 0, 0
	for _, draft := range []string{"draft2020-12", "draft7"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema/testdata", draft, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			if err := json.Unmarshal(raw, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				if g.Schema[0] != '{' {
					continue
				}
				if draft == "draft7" && !bytes.Contains(g.Schema, []byte(`"$schema"`)) {
					g.Schema = append([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#",`), g.Schema[1:]...)
				}
				s, err := Compile(g.Schema)
				if err != nil {
					t.Errorf("%s: %s: %v", file, g.Description, err)
					continue
				}
				if s.Dropped() != nil {
					left++
					continue
				}
				for _, tt := range g.Tests {
					ran++
					got := s.Validate(tt.Data)
					if (got == nil) != tt.Valid {
						t.Errorf("%s/%s: %s: %s: got %v, want valid %t", draft, filepath.Base(file), g.Description, tt.Description, got, tt.Valid)
					}
				}
			}
		}
	}
	if ran < 1500 || left > 60 {
		t.Errorf("ran %d cases and left out %d groups, want over 1500 and at most 60", ran, left)
	}
}
