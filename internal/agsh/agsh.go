// Package agsh is the operator's shell: it turns the live tools of a deployed
// agent into commands. It is a client only and speaks to the agent through
// package api.
package agsh

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/term"
)

// Exit codes: the contract with scripts.
const (
	exitDone        = 0
	exitToolError   = 1   // the tool reported an error
	exitUsage       = 2   // nothing was called
	exitUnreachable = 3   // the target could not be reached or answered nonsense
	exitDenied      = 4   // not authorised, or approval needed
	exitInterrupted = 130 // by a signal
)

// A session is one run of the program against one agent.
type session struct {
	term    *term.Term
	globals argv.Globals
	client  *api.Client
	catalog *catalog.Catalog
	// bound is the session calls run in, "" before one is known.
	bound string
	// inShell says that lines are read from a script or the REPL: then bound
	// was chosen at launch and stays.
	inShell bool
	left    bool // the word exit was run
	last    int  // the exit code of the last entry of the REPL
	// folders are those of the agent's tree, for completion.
	folders *folderCache
	// status shows what a long call is doing; nil shows it to nobody.
	status func(text string)
	// confirm asks a question; nil asks on term.
	confirm func(ctx context.Context, question string) (bool, error)
}

// Run runs agsh with its arguments, without the program's name, and returns
// its exit code.
func Run(ctx context.Context, t *term.Term, args []string) int {
	if len(args) == 1 && args[0] == "--version" { // programs ask for it often
		term.IgnorePipe()
		return write(t, []byte("agsh "+version()+"\n"))
	}
	globals, rest, err := split(args)
	if err != nil {
		return report(t, "", err)
	}
	bare := len(rest) == 0 || shellFlags(rest)
	if bare && !globals.Help && t.InTTY && t.OutTTY {
		return runREPL(ctx, t, globals)
	}
	ctx, stop := term.Signals(ctx)
	defer stop()
	switch {
	case bare && globals.Help:
		return programHelp(ctx, t, globals)
	case bare:
		return runScript(ctx, t, globals, len(rest) > 0)
	case rest[0] == "--version" && len(rest) == 1:
		return write(t, []byte("agsh "+version()+"\n"))
	case rest[0] == "--completion":
		return completionScript(t, rest[1:])
	case rest[0] == "--complete" && len(rest) == 2:
		return completeLine(ctx, t, rest[1])
	case rest[0] == "-e":
		return report(t, "", &argv.UsageError{Message: "-e is for a script, which is read from standard input: agsh -e < file"})
	case strings.HasPrefix(rest[0], "-"):
		return report(t, "", &argv.UsageError{Message: fmt.Sprintf("unknown flag %s; see agsh --help", rest[0])})
	}
	s, err := connect(ctx, t, globals)
	if err != nil {
		return report(t, globals.BearerToken, err)
	}
	defer s.client.Close()
	return s.oneShot(ctx, rest)
}

// version is the module's, with the commit when built from a checkout.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(unknown)"
}

// split takes the reserved flags out of the program's arguments. What is not
// UTF-8 cannot be sent as JSON, and is refused rather than sent as something
// else.
func split(args []string) (argv.Globals, []string, error) {
	for i, arg := range args {
		if !utf8.ValidString(arg) {
			return argv.Globals{}, nil, &argv.UsageError{Message: fmt.Sprintf("argument %d is not valid UTF-8: %q", i+1, clip(arg))}
		}
	}
	globals, rest, err := argv.SplitGlobals(args)
	switch bare := len(rest) == 0 || shellFlags(rest); {
	case err != nil:
		return globals, rest, err
	case globals.Session != "" && globals.ContinuationToken != "":
		return globals, rest, &argv.UsageError{Message: "--session and --continuation-token both name a session: give one of them"}
	case bare && globals.Set["--json-args"]:
		return globals, rest, &argv.UsageError{Message: "--json-args needs a command whose arguments they are"}
	}
	return globals, rest, nil
}

// shellFlags reports whether the arguments are those of the bare shell:
// nothing but -e, which ends a script at its first failure.
func shellFlags(rest []string) bool { return len(rest) == 1 && rest[0] == "-e" }

// connect makes the client of the target.
func connect(ctx context.Context, t *term.Term, g argv.Globals) (*session, error) {
	target, token, err := resolve(t, g)
	if err != nil {
		return nil, err
	}
	g.BearerToken = token
	client, err := api.NewClient(target, api.Config{BearerToken: token, UserAgent: "agsh/" + version()})
	if err != nil {
		return nil, &argv.UsageError{Message: err.Error()}
	}
	if client.Agent() == "" {
		if client, err = onlyAgent(ctx, client, target); err != nil {
			return nil, err
		}
	}
	s := &session{term: t, globals: g, client: client, folders: &folderCache{}}
	s.catalog = catalog.New(client, s.binding())
	return s, nil
}

// binding is the session that listings are asked for: the one that was named,
// or none. Latest is left out, since a listing must not depend on what
// somebody else did last.
func (s *session) binding() api.Binding {
	if s.bound != "" {
		return api.Binding{Session: s.bound}
	}
	return api.Binding{Session: s.globals.Session, ContinuationToken: s.globals.ContinuationToken}
}

// oneShot runs one command and ends.
func (s *session) oneShot(ctx context.Context, words []string) int {
	if words[0] == "help" {
		if code, done := s.helpWord(ctx, words); done {
			return code
		}
	}
	out, code := s.exec(ctx, words, false)
	code = max(code, write(s.term, out.Text))
	s.sessionLine()
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return code
}

// sessionLine tells which session the calls ran in, as the last line of
// standard error.
func (s *session) sessionLine() {
	if s.bound != "" {
		fmt.Fprintf(s.term.Err, "→ %s\n", escapeLine(s.bound))
	}
}
