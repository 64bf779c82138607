package sdkcli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/term/text"
)

func newSchema(a *app) *cobra.Command {
	var kinds []string
	for _, f := range agentdir.Forms() {
		kinds = append(kinds, f.Kind)
	}
	cmd := &cobra.Command{
		Use:   "schema [kind]",
		Short: "Print the JSON Schema of a kind of YAML",
		Long: "schema prints the JSON Schema of a kind of YAML that agents are made of, for editors to complete and check it;\n" +
			"without a kind it lists them. An editor with the YAML language server takes a schema from a file that the first\n" +
			"line of the YAML names:\n\n" +
			"  # yaml-language-server: $schema=../_connection.json",
		Example:   "  agent-sdk schema\n  agent-sdk schema connection > agent/_connection.json",
		ValidArgs: kinds,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("schema takes one kind, got %d; see agent-sdk schema --help", len(args))
			}
			if len(args) == 1 {
				return knownKind(args[0], kinds)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.printForms()
				return nil
			}
			raw, ok := agentdir.FormSchema(args[0])
			if !ok {
				return errors.New("schema: there is none of " + args[0])
			}
			if _, err := a.Out.Write(raw); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			return nil
		},
	}
	withoutDir(cmd)
	return cmd
}

// knownKind refuses a kind that there is no schema of.
func knownKind(kind string, kinds []string) error {
	hint := "want one of " + strings.Join(kinds, ", ")
	limit := 1 + len(kind)/4
	for _, k := range kinds {
		if k == kind {
			return nil
		}
		if d := text.Distance(strings.ToLower(kind), k); d <= limit && d < len(kind) {
			hint, limit = "did you mean "+k+"?", d-1
		}
	}
	return fmt.Errorf("there is no schema of %q; %s", kind, hint)
}

func (a *app) printForms() {
	width := 0
	for _, f := range agentdir.Forms() {
		width = max(width, len(f.Kind))
	}
	for _, f := range agentdir.Forms() {
		fmt.Fprintf(a.Out, "%s  %s\n", text.Pad(f.Kind, width), f.Files)
	}
}
