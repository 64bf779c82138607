package agsh

import (
	"context"
	"fmt"
	"os"
	"strings"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/term"
)

// The environment agsh reads; --help lists it.
const (
	envTarget = "AGENT_SHELL_TARGET"
	envTeam   = "AGENT_SHELL_TEAM"
	envToken  = "AGENT_SHELL_BEARER_TOKEN" //nolint:gosec // a variable's name, not a secret
)

// resolve finds the target and the bearer token: a flag beats the
// environment.
func resolve(t *term.Term, g argv.Globals) (target, token string, err error) {
	target = g.Target
	if target == "" {
		target = t.Getenv(envTarget)
	}
	if target == "" {
		return "", "", &argv.UsageError{Message: "no target: give --target <url>, or set " + envTarget +
			" (for example http://127.0.0.1:39400/executor)"}
	}
	if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
		return "", "", &argv.UsageError{Message: fmt.Sprintf("target %q is a name: names are found through a login, and there is none yet; give the agent's URL instead (http://… or https://…)", target)}
	}
	token = g.BearerToken
	if token == "" {
		token = t.Getenv(envToken)
	}
	if file, ok := strings.CutPrefix(token, "@"); ok {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", &argv.UsageError{Message: "read the bearer token: " + err.Error()}
		}
		token = strings.TrimSpace(string(b))
	}
	return target, token, nil
}

// onlyAgent chooses the agent for a URL without a slug: there is no choice
// when the server has one.
func onlyAgent(ctx context.Context, c *api.Client, target string) (*api.Client, error) {
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil, err
	}
	switch len(agents) {
	case 0:
		return nil, &argv.UsageError{Message: fmt.Sprintf("target %s serves no agent", target)}
	case 1:
		return c.WithAgent(agents[0].Slug), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "target %s serves %d agents; name one of them:", target, len(agents))
	for _, a := range agents {
		fmt.Fprintf(&b, "\n  --target %s/%s", strings.TrimRight(target, "/"), a.Slug)
	}
	return nil, &argv.UsageError{Message: b.String()}
}
