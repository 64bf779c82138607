package agsh

import (
	"context"
	"fmt"
	"io"
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
	if err := checkURL(target, g.Team); err != nil {
		return "", "", err
	}
	token = g.BearerToken
	if token == "" {
		token = t.Getenv(envToken)
	}
	if file, ok := strings.CutPrefix(token, "@"); ok {
		if token, err = readToken(file); err != nil {
			return "", "", err
		}
	}
	return target, token, nil
}

// checkURL refuses a target that is a name: names are found through a login,
// which this version does not have. A team belongs to a name.
func checkURL(target, team string) error {
	hint := "give the agent's URL instead (http://… or https://…)"
	switch isURL := strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://"); {
	case isURL && team != "":
		return &argv.UsageError{Message: "--team is for a target that is a name; a URL is complete"}
	case isURL:
		return nil
	case strings.ContainsAny(target, ":/"):
		hint = "did you mean http://" + target + "?"
	}
	return &argv.UsageError{Message: fmt.Sprintf("target %q is not a URL, and names are found through a login, which there is none of yet; %s", target, hint)}
}

// readToken reads a bearer token from a file. An empty one is an error: the
// request would go out without a credential.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", &argv.UsageError{Message: "read the bearer token: " + err.Error()}
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	token := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		return "", &argv.UsageError{Message: "read the bearer token: " + err.Error()}
	case token == "":
		return "", &argv.UsageError{Message: fmt.Sprintf("read the bearer token: %s is empty", file)}
	case len(b) > maxToken:
		return "", &argv.UsageError{Message: fmt.Sprintf("read the bearer token: %s has more than %d bytes", file, maxToken)}
	}
	return token, nil
}

// maxToken bounds a token's file: it goes into a header.
const maxToken = 16 << 10

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
