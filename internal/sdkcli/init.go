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
	"agsh.dev/runner"
)

// template is the agent that init writes.
//
//go:embed template
var template embed.FS

// executable marks the files of the template that are programs: embedding
// forgets the mode.
var executable = map[string]bool{"tools/greet": true}

func newInit(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init <dir>",
		Short: "Write a small agent that works, to start from",
		Long: "init writes an agent with one tool to <dir>/agent. The folder is made if need be; one that is not empty is left\n" +
			"as it is, and an error.",
		Example: "  agent-sdk init hello",
		Args:    oneFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			abs, err := filepath.Abs(dir)
			if err != nil {
				return fmt.Errorf("init %s: %w", dir, err)
			}
			name := slug(filepath.Base(abs))
			if err := writeTemplate(dir, name); err != nil {
				return err
			}
			a.printNext(dir, name)
			return nil
		},
	}
	withoutDir(cmd)
	return cmd
}

// printNext says what to do with the agent in dir, called name, in commands that can be
// pasted where this program was started. agsh is built beside it.
func (a *app) printNext(dir, name string) {
	agsh := "agsh"
	if filepath.Base(a.program) != a.program {
		agsh = strings.TrimSuffix(a.program, filepath.Base(a.program)) + agsh
	}
	sdk, folder := text.ShellWord(a.program), text.ShellWord(dir)
	fmt.Fprintf(a.Out, "Wrote an agent with one tool to %s. Next:\n\n", text.EscapeLine(filepath.Join(dir, "agent")))
	fmt.Fprintf(a.Out, "  %s validate --dir %s\n  %[1]s serve --dir %s\n\n", sdk, folder)
	fmt.Fprintf(a.Out, "and, while it serves, in another terminal:\n\n  %s --target http://%s/%s help\n", text.ShellWord(agsh), runner.DefaultAddr, name)
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

// writeTemplate writes the template, for an agent of that name, to dir/agent.
func writeTemplate(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("init %s: the folder is not empty: it has %s; name a new one", dir, entries[0].Name())
	}
	files, err := fs.Sub(template, "template")
	if err != nil {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	return fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		target := filepath.Join(dir, "agent", filepath.FromSlash(file))
		if err == nil && d.IsDir() {
			err = os.MkdirAll(target, 0o755)
		} else if err == nil {
			err = writeFile(files, file, target, name)
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
