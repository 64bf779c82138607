package sdkcli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agsh.dev/agent"
	"agsh.dev/api"
	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/host"
	"agsh.dev/internal/term/text"
)

func newInfo(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info [folder]",
		Short: "Show the project's agents and their tools",
		Long: "info shows what the project's agents are made of: name, model and tools, with what each tool does. As JSON it has\n" +
			"the shape of what a served agent answers at /v1/info. It runs nothing; a project with errors makes it exit 1.",
		Args: a.folder,
	}
	output := outputFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		project, problems, err := a.load()
		if err != nil {
			return err
		}
		defer func() { _ = project.Close() }()
		infos := []api.Info{}
		for _, ag := range project.Agents {
			in, err := info(ag, problems)
			if err != nil {
				return err
			}
			infos = append(infos, in)
		}
		if *output == "json" {
			return a.printJSON(map[string]any{"agents": infos})
		}
		for i, in := range infos {
			if i > 0 {
				fmt.Fprintln(a.Out)
			}
			a.printInfo(in, project.Sources[i])
		}
		return nil
	}
	return cmd
}

// info is the manifest of an agent, with what validate says of it.
func info(ag agent.Agent, problems []agentdir.Problem) (api.Info, error) {
	in, err := host.Describe(ag)
	if err != nil {
		return in, err
	}
	for _, p := range problems {
		if p.Agent == ag.Name {
			in.Diagnostics = append(in.Diagnostics, api.Diagnostic{Code: string(p.Code), Message: p.Message})
		}
	}
	return in, nil
}

func (a *app) printInfo(in api.Info, source agentdir.Source) {
	head := in.Name
	if in.Description != "" {
		head += "  " + text.EscapeLine(in.Description)
	}
	model := "none"
	if in.Model != nil {
		model = text.EscapeLine(in.Model.Provider + "/" + in.Model.Name)
	}
	fmt.Fprintf(a.Out, "%s\n  folder  %s\n  model   %s\n  tools\n", head, text.EscapeLine(source.Dir), model)
	width := 0
	for _, t := range in.Tools {
		width = max(width, len(t.Name))
	}
	for _, t := range in.Tools {
		about := t.Title
		if about == "" {
			about, _, _ = strings.Cut(strings.TrimSpace(t.Description), "\n")
		}
		line := fmt.Sprintf("    %s  %-5s  %s", text.Pad(t.Name, width), t.Effect, text.EscapeLine(about))
		if w := a.Width(); w > 0 {
			line = text.Truncate(line, w)
		}
		fmt.Fprintln(a.Out, strings.TrimRight(line, " "))
	}
}
