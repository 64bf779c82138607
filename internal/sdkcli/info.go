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
		Short: "Show what the project's agents are made of",
		Long: "info shows what the project's agents are made of: name, model, tools with what each does, skills and\n" +
			"connections. As JSON it has the shape of what a served agent answers at /v1/info. It runs nothing; a project with errors makes it exit 1.",
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
		if output.name == "json" {
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
	var tools, skills, connections [][]string
	for _, t := range in.Tools {
		about := t.Title
		if about == "" {
			about = t.Description
		}
		tools = append(tools, []string{t.Name, fmt.Sprintf("%-5s", t.Effect), about})
	}
	for _, s := range in.Skills {
		skills = append(skills, []string{s.Name, s.Description})
	}
	for _, c := range in.Connections {
		who := "model"
		if c.Host {
			who = "tools"
		}
		connections = append(connections, []string{c.Name, "for " + who, c.Description})
	}
	a.printRows(tools)
	for _, part := range []struct {
		name string
		rows [][]string
	}{{"skills", skills}, {"connections", connections}} {
		if len(part.rows) > 0 {
			fmt.Fprintf(a.Out, "  %s\n", part.name)
			a.printRows(part.rows)
		}
	}
}

// printRows prints names and what is known of each, of which the last is text
// that may be long.
func (a *app) printRows(rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		last := len(row) - 1
		about, _, _ := strings.Cut(strings.TrimSpace(row[last]), "\n")
		line := "    " + text.Pad(row[0], width) + "  "
		for _, cell := range row[1:last] {
			line += cell + "  "
		}
		line += text.EscapeLine(about)
		if w := a.Width(); w > 0 {
			line = text.Truncate(line, w)
		}
		fmt.Fprintln(a.Out, strings.TrimRight(line, " "))
	}
}
