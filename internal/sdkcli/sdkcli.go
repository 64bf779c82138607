// Package sdkcli is the agent-sdk command, a file a subcommand.
package sdkcli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agsh.dev/internal/term"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// commands are the subcommands in the order help lists them.
var commands = []func(a *app) *cobra.Command{newInit, newValidate, newServe, newInfo, newVersion}

// An app is what the subcommands share.
type app struct {
	*term.Term
	dir string // --dir
}

// Run runs agent-sdk with args, which do not hold the program's name, and
// returns its exit code.
func Run(ctx context.Context, t *term.Term, args []string) int {
	ctx, stop := term.Signals(ctx)
	defer stop()
	root := newRoot(&app{Term: t})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	if text := message(err); text != "" {
		fmt.Fprintf(t.Err, "agent-sdk: %s\n", text)
	}
	return code
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "agent-sdk",
		Short: "Define an agent as a folder, check it, and serve it",
		Long: "agent-sdk reads agents from a folder: dir/agent/ (one), dir/agents/<name>/ (several), or dir itself\n" +
			"when it has an agent.yaml. It checks them, serves them over HTTP and keeps their sessions.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage, 3 server unreachable, 4 not authorised, 130 interrupted.",
		Example:       "  agent-sdk init hello\n  agent-sdk validate --dir hello\n  agent-sdk info --dir hello --output json",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          known,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetUsageTemplate(root.UsageTemplate() + environmentHelp())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exitError{exitUsage, fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.PersistentFlags().StringVar(&a.dir, "dir", ".", "`folder` of the project")
	for _, command := range commands {
		root.AddCommand(failing(command(a)))
	}
	return root
}

// failing makes an error of a command's own run exit code 1 unless it says
// another. What cobra reports before that is wrong usage.
func failing(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if _, ok := errors.AsType[*exitError](err); err == nil || ok {
			return err
		}
		return &exitError{exitFailed, err}
	}
	return cmd
}

// known refuses a command that does not exist.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see agent-sdk --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("there is no command %q; %s", args[0], hint)
}

// An exitError ends the program with a code. Without an error the command has
// said all there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exitCode(ctx context.Context, err error) int {
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitUsage
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
