package sdkcli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"agsh.dev/agent"
	"agsh.dev/internal/agentdir"
)

func newValidate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [folder]",
		Short: "Report every problem of the project's agents",
		Long: "validate reads all agents of the project and reports every problem in one pass, each with its file, line and\n" +
			"column, a stable code and the fix. It runs nothing and needs no network: connections are read, not made. Variables that\n" +
			"they name as ${NAME} must be set. Any error makes it exit 1.",
		Args: a.folder,
	}
	output := outputFlag(cmd, "sarif")
	cmd.RunE = func(*cobra.Command, []string) error {
		project, problems, err := agentdir.Read(a.dir, agentdir.Config{Getenv: a.Getenv})
		if err != nil {
			return err
		}
		defer func() { _ = project.Close() }()
		switch output.name {
		case "json":
			err = a.printJSON(newReport(project, problems))
		case "sarif":
			err = a.printJSON(newSARIF(project.Dir, problems))
		default:
			a.printProblems(project, problems)
		}
		if failed, _ := agentdir.Count(problems); err == nil && failed > 0 {
			return &exitError{code: exitFailed}
		}
		return err
	}
	return cmd
}

// A report is the JSON of validate.
type report struct {
	Problems []agentdir.Problem `json:"problems"`
	Agents   []reportAgent      `json:"agents"`
}

type reportAgent struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Dir         string   `json:"dir"`
	Tools       []string `json:"tools"`
	Skills      []string `json:"skills"`
	Connections []string `json:"connections"`
}

func newReport(project *agentdir.Project, problems []agentdir.Problem) report {
	r := report{Problems: append([]agentdir.Problem{}, problems...), Agents: []reportAgent{}}
	for i, ag := range project.Agents {
		line := reportAgent{
			Name: ag.Name, Description: ag.Description, Dir: project.Sources[i].Dir,
			Tools: toolNames(ag), Skills: []string{}, Connections: []string{},
		}
		for _, s := range ag.Skills {
			line.Skills = append(line.Skills, s.Name)
		}
		for _, c := range slices.Concat(ag.Connections, ag.HostConnections) {
			line.Connections = append(line.Connections, c.Name)
		}
		r.Agents = append(r.Agents, line)
	}
	return r
}

// toolNames are the agent's own tools, those of a kind together.
func toolNames(ag agent.Agent) []string {
	names := []string{}
	for _, t := range ag.Executables {
		names = append(names, t.Name)
	}
	for _, t := range ag.Commands {
		names = append(names, t.Name)
	}
	for _, t := range ag.Requests {
		names = append(names, t.Name)
	}
	return names
}

func (a *app) printProblems(project *agentdir.Project, problems []agentdir.Problem) {
	colour := plain
	if a.Color() {
		colour = paint
	}
	for _, p := range problems {
		fmt.Fprintln(a.Out, p.Text(colour))
	}
	tools := 0
	for _, ag := range project.Agents {
		tools += len(toolNames(ag))
	}
	found := "no problems"
	if len(problems) > 0 {
		failed, warned := agentdir.Count(problems)
		found = count(failed, "error") + ", " + count(warned, "warning")
	}
	fmt.Fprintf(a.Out, "%s, %s: %s\n", count(len(project.Agents), "agent"), count(tools, "tool"), found)
}

// load reads the project for a command that uses it. Problems go to standard
// error; with an error among them the command ends. The caller closes the
// project.
func (a *app) load() (*agentdir.Project, []agentdir.Problem, error) {
	project, problems, err := agentdir.Read(a.dir, agentdir.Config{Getenv: a.Getenv})
	if err != nil {
		return nil, nil, err
	}
	for _, p := range problems {
		fmt.Fprintln(a.Err, p)
	}
	if failed, _ := agentdir.Count(problems); failed > 0 {
		return nil, nil, &exitError{exitFailed, fmt.Errorf("the project has %s; agent-sdk validate lists them", count(failed, "error"))}
	}
	return project, problems, nil
}
