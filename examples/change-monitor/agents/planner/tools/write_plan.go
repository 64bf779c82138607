//go:build ignore

// ---
// title: Write the monitoring plan
// description: |
//   Writes the plan to `plan.json` and, for people, to `plan.md` in the workspace. A plan that is there is replaced.
// effect: write
// display: {kind: edit, detail: change}
// timeout: 30s
// input:
//   type: object
//   additionalProperties: false
//   required: [change, summary, checks, rollback]
//   properties:
//     change: {type: string, minLength: 1, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9._/^~-]*$", description: "The commit or range to watch, such as v1.3.0..main."}
//     summary: {type: string, minLength: 1, maxLength: 4000, description: What the change does and what it can break.}
//     owner: {type: string, minLength: 1, maxLength: 100, description: Who carries the plan out.}
//     window:
//       type: object
//       description: When to watch. Default is the first day after the release.
//       additionalProperties: false
//       properties:
//         after: {type: string, enum: [merge, canary, release], default: release, description: What it begins with.}
//         hours: {type: integer, minimum: 1, maximum: 720, default: 24, description: How long it is.}
//     checks:
//       type: array
//       description: What to look at, the most telling first.
//       minItems: 1
//       maxItems: 50
//       items:
//         type: object
//         additionalProperties: false
//         required: [what, source, expect]
//         properties:
//           what: {type: string, minLength: 1, maxLength: 500, description: What is looked at.}
//           source: {type: string, enum: [datadog, pagerduty, tracker, journal, repository], description: Where it is found.}
//           query: {type: string, maxLength: 1000, description: "What to ask there, such as a metric or the name of a monitor."}
//           expect: {type: string, minLength: 1, maxLength: 500, description: What is seen if all is well.}
//     rollback:
//       type: object
//       description: When and how to go back.
//       additionalProperties: false
//       required: [when, how]
//       properties:
//         when: {type: string, minLength: 1, maxLength: 1000}
//         how: {type: string, minLength: 1, maxLength: 1000}
// output:
//   type: object
//   required: [change, checks, files]
//   properties:
//     change: {type: string}
//     checks: {type: integer, description: How many checks the plan has.}
//     files: {type: array, items: {type: string}, description: Where it is in the workspace.}
// ---

// Write_plan is a tool of the change-monitor example. It reads its arguments
// from standard input; the comment above is its manifest.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type plan struct {
	Change   string   `json:"change"`
	Summary  string   `json:"summary"`
	Owner    string   `json:"owner,omitempty"`
	Window   window   `json:"window"`
	Checks   []check  `json:"checks"`
	Rollback rollback `json:"rollback"`
}

type window struct {
	After string `json:"after"`
	Hours int    `json:"hours"`
}

type check struct {
	What   string `json:"what"`
	Source string `json:"source"`
	Query  string `json:"query,omitempty"`
	Expect string `json:"expect"`
}

type rollback struct {
	When string `json:"when"`
	How  string `json:"how"`
}

// The text of a plan is somebody else's: it stays on the lines it is put on,
// and is not taken for Markdown.
var page = template.Must(template.New("plan.md").Funcs(template.FuncMap{"line": line}).Parse(`# Monitoring plan: {{line .Change}}

{{line .Summary}}

From the {{.Window.After}} on, for {{.Window.Hours}} h.{{with .Owner}} Carried out by {{line .}}.{{end}}

{{range $i, $c := .Checks}}{{if $i}}
{{end}}- [ ] {{line .What}} ({{.Source}}{{with .Query}}: {{line .}}{{end}}). Expected: {{line .Expect}}{{end}}

Go back when: {{line .Rollback.When}}

How: {{line .Rollback.How}}
`))

func line(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_[]<>#|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func run(in io.Reader, out io.Writer) error {
	p := plan{Window: window{After: "release", Hours: 24}}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return fmt.Errorf("read arguments: %w", err)
	}
	if len(p.Checks) == 0 {
		return errors.New("checks: there is none; name at least one thing to look at")
	}
	var text, data bytes.Buffer
	if err := page.Execute(&text, p); err != nil {
		return fmt.Errorf("write the plan for people: %w", err)
	}
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		return fmt.Errorf("write the plan as JSON: %w", err)
	}
	// The agent can write here too: it must not choose where we write.
	workspace, err := os.OpenRoot(".")
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	defer workspace.Close()
	for name, content := range map[string][]byte{"plan.json": data.Bytes(), "plan.md": text.Bytes()} {
		if err := replace(workspace, name, content); err != nil {
			return err
		}
	}
	return json.NewEncoder(out).Encode(map[string]any{
		"change": p.Change, "checks": len(p.Checks), "files": []string{"plan.json", "plan.md"},
	})
}

// replace puts a whole file in the place of what is called name, which stays
// as it is if that fails.
func replace(workspace *os.Root, name string, content []byte) error {
	fresh := fmt.Sprintf(".%s.%d", name, os.Getpid())
	if err := workspace.WriteFile(fresh, content, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := workspace.Rename(fresh, name); err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, workspace.Remove(fresh)))
	}
	return nil
}
