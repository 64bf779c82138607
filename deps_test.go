package agsh_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "agsh.dev"

// TestBinaryDeps pins what each program must never link, and TestImports which
// package may know which; the linter says the same file by file.
func TestBinaryDeps(t *testing.T) {
	for _, tt := range []struct {
		pkg string
		bad map[string]string // dependency prefix: why not
	}{
		{"./cmd/agsh", map[string]string{
			module + "/internal/turn":       "agsh is a client",
			module + "/internal/host":       "agsh is a client",
			module + "/internal/toolset":    "agsh calls tools over HTTP",
			module + "/internal/session":    "agsh keeps no sessions",
			module + "/internal/model":      "agsh runs no model",
			module + "/agent":               "agsh knows an agent by its API only",
			"modernc.org/":                  "agsh links no storage",
			"database/sql":                  "agsh links no storage",
			"github.com/nats-io/":           "agsh talks HTTP only",
			"github.com/spf13/cobra":        "agsh makes its flags from schemas",
			"github.com/google/go-cmp":      "for tests only",
			"github.com/yuin/goldmark/html": "help is not HTML",
		}},
		{"./cmd/agent-sdk", map[string]string{
			module + "/internal/agsh": "the two programs meet over HTTP",
			"github.com/itchyny/gojq": "filters belong to the shell",
			"testing":                 "for tests only",
		}},
		{"./vfs", map[string]string{module + "/internal/": "vfs is a leaf", "net/http": "a file tree needs no network"}},
		{"./event", map[string]string{module + "/internal/": "event is a leaf", "net": "events are values"}},
		{"./api", map[string]string{module + "/internal/": "users import api", module + "/agent": "a client knows no definitions"}},
		{"./internal/toolset", map[string]string{"net/http": "the engine knows no front door", "database/sql": "storage is in session/*store"}},
		{"./internal/session", map[string]string{"database/sql": "storage is in session/*store", "net/http": "the engine knows no front door"}},
	} {
		t.Run(tt.pkg, func(t *testing.T) {
			for _, dep := range deps(t, tt.pkg) {
				if dep == "database/sql/driver" { // only interfaces: a colour of bubbletea implements one
					continue
				}
				for bad, why := range tt.bad {
					if dep == bad || strings.HasPrefix(dep, strings.TrimSuffix(bad, "/")+"/") {
						t.Errorf("%s links %s: %s", tt.pkg, dep, why)
					}
				}
			}
		})
	}
}

// TestImports holds for the packages' own imports, not for what those import.
func TestImports(t *testing.T) {
	leaf := []string{module + "/internal/term/text"}
	painting := append(leaf, module+"/internal/term/theme")
	for _, tt := range []struct {
		pkg  string
		ours []string // the only packages of this module it may import
	}{
		{"./event", nil},
		{"./vfs", nil},
		{"./kernel", nil},
		{"./api", []string{module + "/event"}},
		{"./agent", []string{module + "/event", module + "/vfs"}},
		{"./internal/term", leaf},
		{"./internal/term/text", nil},
		{"./internal/schema", leaf},
		{"./internal/agentdir", append(
			[]string{module + "/agent", module + "/vfs", module + "/internal/schema", module + "/internal/scripttool", module + "/internal/placeholder"},
			leaf...)},
		{"./internal/agsh/argv", leaf},
		{"./internal/term/theme", nil},
		{"./internal/placeholder", nil},
		{"./internal/agsh/manpage", painting},
		{"./internal/agsh/highlight", painting[1:]},
		{"./internal/agsh/shell", leaf},
		{"./internal/agsh/view", append(painting, module+"/internal/agsh/highlight")},
		{"./internal/session/memstore", []string{module + "/event", module + "/internal/session"}},
		{"./internal/session/sqlitestore", []string{module + "/event", module + "/internal/session"}},
		{"./cmd/agsh", []string{module + "/internal/agsh", module + "/internal/term"}},
		{"./cmd/agent-sdk", []string{module + "/internal/sdkcli", module + "/internal/term"}},
	} {
		t.Run(tt.pkg, func(t *testing.T) {
			out := list(t, `{{join .Imports "\n"}}`, tt.pkg)
			for imp := range strings.FieldsSeq(out) {
				if !strings.HasPrefix(imp, module+"/") || slices.Contains(tt.ours, imp) {
					continue
				}
				t.Errorf("%s imports %s; of this module it may import only %v", tt.pkg, imp, tt.ours)
			}
		})
	}
}

// TestNobodyImports holds for the packages at the top.
func TestNobodyImports(t *testing.T) {
	out := list(t, `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, "./...")
	for line := range strings.Lines(out) {
		from, imp, _ := strings.Cut(strings.TrimSpace(line), " ")
		top := imp == module+"/internal/sdkcli" || imp == module+"/internal/agsh" || strings.HasPrefix(imp, module+"/cmd/")
		if top && !strings.HasPrefix(from, module+"/cmd/") {
			t.Errorf("%s imports %s: only cmd may", from, imp)
		}
	}
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	return strings.Fields(list(t, "{{.ImportPath}}", "-deps", pkg))
}

func list(t *testing.T, format string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", format}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return string(out)
}
