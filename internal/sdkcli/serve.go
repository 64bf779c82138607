package sdkcli

import (
	"context"

	"github.com/spf13/cobra"

	"agsh.dev/agent"
	"agsh.dev/internal/serveflags"
	"agsh.dev/runner"
)

func newServe(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [folder]",
		Short: "Serve the project's agents over HTTP",
		Long: "serve serves every agent of the project at /<name> and keeps their sessions under the state root. Once it\n" +
			"answers requests it prints one line per agent on standard output, its name and its URL, and nothing else\n" +
			"there. It starts without a network or a credential, and not while validate finds errors. It ends on an\n" +
			"interrupt or a terminate signal, after running calls had --drain-timeout to finish.",
		Example: "  agent-sdk serve hello\n  agent-sdk serve --dir hello --addr 127.0.0.1:0 --state-root /tmp/state",
		Args:    a.folder,
	}
	var flags serveflags.Flags
	flags.Add(cmd.Flags(), runner.DefaultAddr)
	dev := cmd.Flags().Bool("dev", false, "serve changes of the project's files as they are made; with errors the last good version stays")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		project, _, err := a.load()
		if err != nil {
			return err
		}
		served := project // by then; --dev replaces it
		defer func() { _ = served.Close() }()
		cfg, err := flags.Config(a.Term, project.Agents, project.Dir)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		if *dev {
			r, err := newReloader(a, project)
			if err != nil {
				return err
			}
			cfg.Beside = func(ctx context.Context, replace func([]agent.Agent, func()) error) {
				r.run(ctx, replace)
				served = r.project
			}
		}
		serveflags.TuneGC(a.Getenv)
		return runner.Serve(cmd.Context(), runner.Config(cfg))
	}
	return cmd
}
