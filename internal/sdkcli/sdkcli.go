// Package sdkcli is the agent-sdk command, a file a subcommand.
package sdkcli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// commands are the subcommands in the order help lists them.
var commands = []func(a *app) *cobra.Command{newInit, newValidate, newServe, newInfo, newSchema, newVersion}

// An app is what the subcommands share.
type app struct {
	*term.Term
	program string // as it was called
	dir     string // --dir
}

// Run runs agent-sdk with args, of which the first is the program as it was
// called, and returns its exit code.
func Run(ctx context.Context, t *term.Term, args []string) int {
	if len(args) == 0 {
		args = []string{"agent-sdk"}
	}
	ctx, stop := term.Signals(ctx)
	defer stop()
	out := &checked{Writer: t.Out}
	own := *t
	own.Out = out
	root := newRoot(&app{Term: &own, program: args[0]})
	root.SetArgs(args[1:])
	err := root.ExecuteContext(ctx)
	if failed := out.failed(); failed != nil && message(err) == "" {
		err = &exitError{exitFailed, failed}
	}
	if said := message(err); said != "" {
		fmt.Fprintf(t.Err, "agent-sdk: %s\n", text.Escape(said))
	}
	return exitCode(ctx, err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "agent-sdk",
		Short: "Define an agent as a folder, check it, and serve it",
		Long: "agent-sdk reads agents from a folder: dir/agent/ (one), dir/agents/<name>/ (several), or dir itself\n" +
			"when it has an agent.yaml. It checks them, serves them over HTTP and keeps their sessions.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage, 3 server unreachable, 4 not authorised, 130 interrupted.",
		Example:       "  agent-sdk init hello\n  agent-sdk validate hello\n  agent-sdk serve --dir hello\n  agent-sdk info hello --output json",
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          known,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetUsageTemplate(root.UsageTemplate() + environmentHelp())
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
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
