// Package docs_test holds the manual to the code.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table of the API's codes has every code once, in order, with the status
// the server sends and the exit code of agsh.
func TestAPICodesAreDocumented(t *testing.T) {
	codes := constants(t, "../api/error.go", "Code")
	statuses := table(t, "../internal/httpapi/write.go", "statuses")
	exits := table(t, "../internal/agsh/report.go", "codes")
	exitCodes := constants(t, "../internal/agsh/agsh.go", "exit")
	var want []string
	for name, code := range codes {
		exit := "exitUnreachable" // what is in no table
		if e, ok := exits["api."+name]; ok {
			exit = e
		}
		want = append(want, fmt.Sprintf("%s %d %s", code, status(t, statuses["api."+name]), exitCodes[exit]))
	}
	slices.Sort(want)

	var got []string
	row := regexp.MustCompile("^\\| `([a-z_]+)` \\| (\\d+) \\| [^|]+\\. \\| [^|]+\\. \\| (\\d+) \\|$")
	for line := range strings.Lines(section(t, "HTTP API codes")) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Errorf("not a row of the table: %s", line)
			continue
		}
		got = append(got, strings.Join(m[1:], " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/errors.md (-code +manual):\n%s", diff)
	}
}

// The table of exit codes has every exit code of agsh, and those of agent-sdk
// beside them.
func TestExitCodesAreDocumented(t *testing.T) {
	var agsh, sdk []string
	for line := range strings.Lines(section(t, "Exit codes")) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.Contains(line, "agent-sdk |") || strings.Contains(line, "---") {
			continue
		}
		agsh = append(agsh, strings.TrimPrefix(cells[0], "| "))
		if cells[1] != "-" {
			sdk = append(sdk, cells[1])
		}
	}
	for file, got := range map[string][]string{"../internal/agsh/agsh.go": agsh, "../internal/sdkcli/sdkcli.go": sdk} {
		var want []string
		for _, code := range constants(t, file, "exit") {
			want = append(want, code)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("exit codes of %s (-code +manual):\n%s", file, diff)
		}
	}
}

// section is what stands below a heading of errors.md.
func section(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile("errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("errors.md has no section %s", heading)
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// constants are the constants of a file whose names have a prefix: their
// values by name, as text.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, d := range parse(t, file).Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, prefix) {
				continue
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				value := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
				out[v.Names[0].Name] = strings.Trim(value.ExactString(), `"`)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no constants %s…", file, prefix)
	}
	return out
}

// table is a map literal of a file: the source of its values by that of its
// keys.
func table(t *testing.T, file, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	ast.Inspect(parse(t, file), func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != name || len(v.Values) != 1 {
			return true
		}
		if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
			for _, e := range lit.Elts {
				kv := e.(*ast.KeyValueExpr)
				out[types.ExprString(kv.Key)] = types.ExprString(kv.Value)
			}
		}
		return false
	})
	if len(out) == 0 {
		t.Fatalf("%s has no table %s", file, name)
	}
	return out
}

// status is the number of an http.Status constant.
func status(t *testing.T, name string) int {
	t.Helper()
	word := strings.ToLower(strings.TrimPrefix(name, "http.Status"))
	for code := 400; code < 600; code++ {
		text := strings.NewReplacer(" ", "", "-", "", "'", "").Replace(http.StatusText(code))
		if strings.ToLower(text) == word {
			return code
		}
	}
	t.Errorf("%q is no status", name)
	return 0
}
