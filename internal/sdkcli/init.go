package sdkcli

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"agsh.dev/internal/term/text"
)

// template is the agent that init writes.
//
//go:embed template
var template embed.FS

// executable marks the files of the template that are programs: embedding
// forgets the mode.
var executable = map[string]bool{"tools/greet": true}

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init <dir>",
		Short: "Write a small agent that works, to start from",
		Long: "init writes an agent with one tool to <dir>/agent. The folder is made if need be; one that is not empty is left\n" +
			"as it is, and an error.",
		Example: "  agent-sdk init hello",
		Args:    oneFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			if err := writeTemplate(dir); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "Wrote an agent with one tool to %s. Next:\n\n  agent-sdk validate --dir %[2]s\n  agent-sdk serve --dir %[2]s\n",
				text.EscapeLine(filepath.Join(dir, "agent")), shellWord(dir))
			return nil
		},
	}
}

// oneFolder wants the name of the folder as the one operand.
func oneFolder(cmd *cobra.Command, args []string) error {
	switch {
	case cmd.Flags().Changed("dir"):
		return errors.New("init takes the folder as its operand, not as --dir: agent-sdk init <dir>")
	case len(args) != 1:
		return fmt.Errorf("init takes one folder, got %d: agent-sdk init <dir>", len(args))
	case args[0] == "":
		return errors.New("init: the name of the folder is empty; . is the current one")
	}
	return nil
}

// writeTemplate writes the template to dir/agent.
func writeTemplate(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("init %s: the folder is not empty: it has %s; name a new one", dir, entries[0].Name())
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	files, err := fs.Sub(template, "template")
	if err != nil {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		target := filepath.Join(dir, "agent", filepath.FromSlash(name))
		if err == nil && d.IsDir() {
			err = os.MkdirAll(target, 0o755)
		} else if err == nil {
			err = writeFile(files, name, target, slug(filepath.Base(abs)))
		}
		if err != nil {
			return fmt.Errorf("init %s: %w", dir, err)
		}
		return nil
	})
}

func writeFile(files fs.FS, name, target, agentName string) error {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if executable[name] {
		mode = 0o755
	}
	return os.WriteFile(target, bytes.ReplaceAll(content, []byte("{{name}}"), []byte(agentName)), mode)
}

var notInSlug = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// slug makes the name of an agent from that of a folder.
func slug(folder string) string {
	name := strings.Trim(notInSlug.ReplaceAllString(folder, "-"), "-_")
	name = strings.TrimLeft(name, "0123456789-_")
	if name == "" {
		return "agent"
	}
	return name[:min(len(name), 64)]
}

// shellWord quotes s for a shell when it needs that.
func shellWord(s string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,~-]+$`).MatchString(s) && !strings.HasPrefix(s, "-") {
		return s
	}
	if strings.ContainsFunc(s, text.IsControl) {
		return "$'" + text.EscapeLine(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
