package sdkcli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agsh.dev/internal/term/text"
)

// laterCommands are known and not in this version.
var laterCommands = []string{
	"run", "sessions", "trajectory", "exec", "eval", "mcp", "acp", "chat", "shell", "login", "deploy",
}

// known refuses a command that does not exist.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if slices.Contains(laterCommands, args[0]) {
		return fmt.Errorf("%s is not in this version of agent-sdk", args[0])
	}
	hint := "see agent-sdk --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("there is no command %q; %s", args[0], hint)
}

// noArgs refuses operands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if cmd.InheritedFlags().Lookup("dir") != nil {
		hint = "the folder of the project is named by --dir"
	}
	return fmt.Errorf("%s takes no operands, got %q; %s", cmd.Name(), args[0], hint)
}

// folder takes the folder of the project as the operand of a command, in
// place of --dir.
func (a *app) folder(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return fmt.Errorf("%s takes one folder, got %d; see %s --help", cmd.Name(), len(args), cmd.CommandPath())
	case cmd.Flags().Changed("dir"):
		return fmt.Errorf("%s: the folder is said twice, %q and --dir %q", cmd.Name(), args[0], a.dir)
	}
	a.dir = args[0]
	return nil
}

// withoutDir hides --dir from a command that uses no project.
func withoutDir(cmd *cobra.Command) {
	cmd.Flags().String("dir", "", "")
	// The flag was defined on the line above.
	_ = cmd.Flags().MarkHidden("dir")
}

// flagError is what is said of flags that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		// A long flag with one dash is taken for a group of short ones.
		word := unknown.GetSpecifiedShortnames()
		if word == "" {
			word = unknown.GetSpecifiedName()
		}
		if guess := nearFlag(cmd, word); guess != "" {
			hint = "did you mean --" + guess + "?"
		}
	}
	return &exitError{exitUsage, fmt.Errorf("%w; %s", err, hint)}
}

// nearFlag returns the flag of cmd that word is most probably a slip of, or
// "".
func nearFlag(cmd *cobra.Command, word string) string {
	word, _, _ = strings.Cut(word, "=")
	best, limit := "", 1+len(word)/4
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := text.Distance(strings.ToLower(word), f.Name); d <= limit {
			best, limit = f.Name, d-1
		}
	})
	return best
}

// newHelp is the help command. Unlike cobra's it fails for a command that
// does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = known(cmd.Root(), rest)
			}
			if err != nil {
				return &exitError{exitUsage, err}
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
