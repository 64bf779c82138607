package sdkcli

import (
	"github.com/spf13/cobra"

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
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		project, _, err := a.load()
		if err != nil {
			return err
		}
		defer func() { _ = project.Close() }()
		cfg, err := flags.Config(a.Term, project.Agents, project.Dir)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		serveflags.TuneGC(a.Getenv)
		return runner.Serve(cmd.Context(), runner.Config(cfg))
	}
	return cmd
}
