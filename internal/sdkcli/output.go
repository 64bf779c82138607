package sdkcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"agsh.dev/internal/agentdir"
)

// A format is how data is printed; it is the value of --output.
type format struct {
	name  string
	known []string
}

func (f *format) String() string { return f.name }
func (f *format) Type() string   { return strings.Join(f.known, "|") }

// Set refuses what is not a format.
func (f *format) Set(s string) error {
	if !slices.Contains(f.known, s) {
		last := len(f.known) - 1
		return fmt.Errorf("want %s or %s", strings.Join(f.known[:last], ", "), f.known[last])
	}
	f.name = s
	return nil
}

// outputFlag adds --output to a command. It knows text, json and more.
func outputFlag(cmd *cobra.Command, more ...string) *format {
	f := &format{name: "text", known: append([]string{"text", "json"}, more...)}
	cmd.Flags().Var(f, "output", "how to print")
	// The flag was defined on the line above.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(f.known, cobra.ShellCompDirectiveNoFileComp))
	return f
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

// A checked is standard output that remembers its first failure: a command
// that printed into a full disk has not done what it was asked.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// failed returns the failure, if somebody wants to know: not when the reader
// of a pipe has gone.
func (c *checked) failed() error {
	if c.err == nil || errors.Is(c.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("print: %w", c.err)
}
