package agsh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/manpage"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/term"
)

const usage = `agsh: a shell for a deployed agent

usage:
  agsh [options] <command> [arguments]   call one tool
  agsh [options] help [command]          list the commands, or explain one
  agsh [options] <command> --help        explain one; nothing is called
  agsh [options]                         a shell on a terminal; else a script from standard input
  agsh [options] -e                      the same; a script ends at its first failure
  agsh --completion <bash|zsh|fish>      a script that completes commands and flags from the live agent
  agsh --version

options, anywhere on the line before a --:
  --target <url>                 the agent, such as http://127.0.0.1:39400/executor [AGENT_SHELL_TARGET]
  --team <team>                  the team of a named target [AGENT_SHELL_TEAM]
  --bearer-token <token|@file>   credential [AGENT_SHELL_BEARER_TOKEN]; a flag shows in process lists
  --session <id|latest>          the session to call in; latest is the default
  --continuation-token <token>   the same, by token
  --output <text|json>           readable views (default), or exactly one JSON value; help too
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
	if code := write(t, []byte(usage)); code != exitDone || g.Target == "" && t.Getenv(envTarget) == "" {
		return code
	}
	s, err := connect(ctx, t, g)
	if err != nil {
		report(t, g.BearerToken, err)
		return exitDone
	}
	defer s.client.Close()
	index, err := s.index(ctx, "text", false)
	if err != nil {
		s.report(err)
		return exitDone
	}
	return write(t, append([]byte("\n"), index.Text...))
}

// helpWord runs the word help, unless a tool has that name.
func (s *session) helpWord(ctx context.Context, words []string) (code int, done bool) {
	out, code, done := s.help(ctx, words, false)
	if done {
		code = max(code, write(s.term, out.Text))
	}
	return code, done
}

// help answers "help" and "help <command>". done is false when a tool has the
// name: then the word is that tool.
func (s *session) help(ctx context.Context, words []string, piped bool) (out shell.Output, code int, done bool) {
	s.catalog.Expire()
	if _, err := s.catalog.List(ctx); err != nil {
		return out, s.report(err), true
	}
	if s.catalog.HasExact(ctx, "help") {
		return out, exitDone, false
	}
	globals, args, err := s.lineGlobals(words[1:])
	switch {
	case err != nil:
	case len(args) == 0:
		out, err = s.index(ctx, globals.Output, piped)
	case len(args) > 1:
		err = &argv.UsageError{Message: "help takes one command at most"}
	default:
		out, err = s.explain(ctx, args[0], globals.Output, piped)
	}
	if err != nil {
		return shell.Output{}, s.report(err), true
	}
	return out, exitDone, true
}

// explain is the manual of a tool or, if none has the name, of a word of the
// shell itself.
func (s *session) explain(ctx context.Context, name, output string, piped bool) (shell.Output, error) {
	cmd, err := s.catalog.Lookup(ctx, name)
	if err == nil {
		return s.manual(cmd, output, piped)
	}
	w, ok := wordNamed(name)
	if _, unknown := errors.AsType[*catalog.UnknownError](err); !ok || !unknown {
		return shell.Output{}, err
	}
	p := manpage.Page{Name: w.Name, Title: w.Title, Synopsis: w.Synopsis}
	for _, option := range w.Options {
		p.Options = append(p.Options, manpage.Entry{Term: option})
	}
	return s.page(manpage.Render(p, s.pageOptions(piped)), w, output, piped)
}

// A word is what the shell knows that is no tool.
type word struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Synopsis string   `json:"synopsis"`
	Options  []string `json:"options,omitempty"`
}

func wordNamed(name string) (word, bool) {
	words := []word{
		{Name: "help", Title: "List the commands, or explain one", Synopsis: "help [command]"},
		{Name: "exit", Title: "Leave the shell", Synopsis: "exit"},
	}
	for _, f := range shell.Filters() {
		words = append(words, word{f.Name, f.Title, "command | " + f.Synopsis, f.Options})
	}
	i := slices.IndexFunc(words, func(w word) bool { return w.Name == name })
	if i < 0 {
		return word{}, false
	}
	return words[i], true
}

// index is the list of all commands, by where they come from.
func (s *session) index(ctx context.Context, output string, piped bool) (shell.Output, error) {
	info, err := s.client.Info(ctx)
	if err != nil {
		return shell.Output{}, err
	}
	list, err := s.catalog.List(ctx)
	if err != nil {
		return shell.Output{}, err
	}
	return s.page(manpage.RenderIndex(catalog.Index(info, list), s.pageOptions(piped)), struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		api.ToolList
	}{info.Name, info.Description, list}, output, piped)
}

func (s *session) manual(cmd *catalog.Command, output string, piped bool) (shell.Output, error) {
	return s.page(manpage.Render(cmd.Page(), s.pageOptions(piped)), cmd.Detail, output, piped)
}

// page is help as an output: its text, or value as the one JSON value that
// --output json promises and jq reads.
func (s *session) page(text string, value any, output string, piped bool) (shell.Output, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return shell.Output{}, fmt.Errorf("write help as JSON: %w", err)
	}
	line := view.OneLine(b.Bytes())
	out := shell.Output{Text: []byte(text), JSON: func() (json.RawMessage, error) { return line, nil }}
	if output == "json" {
		out.Text = append(s.paintJSON(line, piped), '\n')
	}
	return out, nil
}

func (s *session) pageOptions(piped bool) manpage.Options {
	if piped {
		return manpage.Options{}
	}
	return manpage.Options{Width: s.term.Width(), Color: s.term.Color(), Theme: s.theme()}
}
