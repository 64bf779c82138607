package agsh

import (
	"context"
	"fmt"

	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/manpage"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term"
)

const usage = `agsh: a shell for a deployed agent

usage:
  agsh [options] <command> [arguments]   call one tool
  agsh [options] help [command]          list the commands, or explain one
  agsh [options] <command> --help        explain one; nothing is called
  agsh [options]                         a shell on a terminal; else a script from standard input
  agsh [options] -e                      the same; a script ends at its first failure
  agsh --version

options, anywhere on the line before a --:
  --target <url>                 the agent, such as http://127.0.0.1:39400/executor [AGENT_SHELL_TARGET]
  --team <team>                  the team of a named target [AGENT_SHELL_TEAM]
  --bearer-token <token|@file>   credential [AGENT_SHELL_BEARER_TOKEN]; a flag shows in process lists
  --session <id|latest>          the session to call in; latest is the default
  --continuation-token <token>   the same, by token
  --output <text|json>           readable views (default), or exactly one JSON value
  --json-args <json|@file|->     all arguments as one JSON object; flags beside it win
  --approve                      allow a call that needs approval
  -h, --help                     help

filters after a | in a script or the shell: head tail wc grep jq
colour: NO_COLOR and CLICOLOR_FORCE are honoured; COLUMNS sets the width when there is no terminal

exit codes:
  0    done
  1    the tool reported an error
  2    usage: bad flag, unknown command, no target, syntax; nothing was called
  3    the target could not be reached, or answered nonsense
  4    not authorised, or approval is needed
  130  interrupted
  A script ends with the code of its last pipeline.
`

// programHelp prints how agsh is used and, when there is a target, what its
// agent offers. It needs no target, and does not fail for one that is down.
func programHelp(ctx context.Context, t *term.Term, g argv.Globals) int {
	fmt.Fprint(t.Out, usage)
	if g.Target == "" && t.Getenv(envTarget) == "" {
		return exitDone
	}
	ctx, stop := term.Signals(ctx)
	defer stop()
	s, err := connect(ctx, t, g)
	if err != nil {
		report(t, g.BearerToken, err)
		return exitDone
	}
	defer s.client.Close()
	index, err := s.index(ctx, false)
	if err != nil {
		s.report(err)
		return exitDone
	}
	fmt.Fprintf(t.Out, "\n%s", index)
	return exitDone
}

// helpWord runs the word help, unless a tool has that name.
func (s *session) helpWord(ctx context.Context, words []string) (code int, done bool) {
	out, code, done := s.help(ctx, words, false)
	if done {
		if err := s.print(out); err != nil {
			code = max(code, exitToolError)
		}
	}
	return code, done
}

// help answers "help" and "help <command>". done is false when a tool has the
// name: then the word is that tool.
func (s *session) help(ctx context.Context, words []string, piped bool) (out shell.Output, code int, done bool) {
	if _, err := s.catalog.List(ctx); err != nil {
		return out, s.report(err), true
	}
	if s.catalog.HasExact("help") {
		return out, 0, false
	}
	if len(words) > 2 {
		return out, s.report(&argv.UsageError{Message: "help takes one command at most"}), true
	}
	if len(words) == 1 || words[1] == "--help" || words[1] == "-h" {
		index, err := s.index(ctx, piped)
		if err != nil {
			return out, s.report(err), true
		}
		return shell.Output{Text: []byte(index)}, exitDone, true
	}
	cmd, err := s.catalog.Lookup(ctx, words[1])
	if err != nil {
		return out, s.report(err), true
	}
	return s.manual(cmd, piped), exitDone, true
}

// index is the list of all commands, by where they come from.
func (s *session) index(ctx context.Context, piped bool) (string, error) {
	info, err := s.client.Info(ctx)
	if err != nil {
		return "", err
	}
	list, err := s.catalog.List(ctx)
	if err != nil {
		return "", err
	}
	return manpage.RenderIndex(catalog.Index(info, list), s.pageOptions(piped)), nil
}

func (s *session) manual(cmd *catalog.Command, piped bool) shell.Output {
	return shell.Output{Text: []byte(manpage.Render(cmd.Page(), s.pageOptions(piped)))}
}

func (s *session) pageOptions(piped bool) manpage.Options {
	if piped {
		return manpage.Options{}
	}
	return manpage.Options{Width: s.term.Width(), Color: s.term.Color()}
}
