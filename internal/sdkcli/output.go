package sdkcli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agsh.dev/internal/agentdir"
)

// A format is how data is printed; it is the value of --output.
type format string

var formats = []string{"text", "json"}

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "text|json" }

// Set refuses what is not a format.
func (f *format) Set(s string) error {
	if !slices.Contains(formats, s) {
		return fmt.Errorf("want %s", strings.Join(formats, " or "))
	}
	*f = format(s)
	return nil
}

// outputFlag adds --output to a command.
func outputFlag(cmd *cobra.Command) *format {
	f := format("text")
	cmd.Flags().Var(&f, "output", "how to print")
	// The flag was defined on the line above.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// paint colours a word by severity: errors red, warnings yellow.
func paint(severity agentdir.Severity, s string) string {
	if severity == agentdir.Error {
		return "\x1b[31m" + s + "\x1b[0m"
	}
	return "\x1b[33m" + s + "\x1b[0m"
}

func plain(_ agentdir.Severity, s string) string { return s }

// count says a number of things: "1 error", "2 errors".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
