package agsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/repl"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// maxScript bounds a script: it is read whole before anything of it runs.
const maxScript = 16 << 20

// runScript runs a script from standard input.
func runScript(ctx context.Context, t *term.Term, g argv.Globals, stopOnError bool) int {
	// The target is looked at first: with none, waiting for a script to be
	// typed would hide what is wrong.
	if _, _, err := resolve(t, g); err != nil {
		return report(t, g.BearerToken, err)
	}
	script, err := readScript(ctx, t.In)
	if err != nil {
		return report(t, g.BearerToken, err)
	}
	s, err := open(ctx, t, g)
	if err != nil {
		return report(t, g.BearerToken, err)
	}
	defer s.client.Close()
	code := s.runner(stopOnError).Run(ctx, script)
	s.sessionLine()
	return code
}

// readScript reads a script to its end and parses it whole, so that a syntax
// error on the last line keeps the first from running.
func readScript(ctx context.Context, in io.Reader) (*shell.Script, error) {
	type read struct {
		src []byte
		err error
	}
	done := make(chan read, 1)
	go func() { // a read of a pipe cannot be interrupted; the process ends anyway
		src, err := io.ReadAll(io.LimitReader(in, maxScript+1))
		done <- read{src, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return nil, &argv.UsageError{Message: "read the script: " + r.err.Error()}
		case len(r.src) > maxScript:
			return nil, &argv.UsageError{Message: fmt.Sprintf("the script is larger than %d MiB", maxScript>>20)}
		}
		return parse(string(r.src))
	}
}

// parse reads a script whose commands can be called: what is not UTF-8 cannot
// be sent as JSON. Filters take any bytes.
func parse(src string) (*shell.Script, error) {
	script, err := shell.Parse(src)
	if err != nil || utf8.ValidString(src) {
		return script, err
	}
	for _, p := range script.Pipelines {
		for _, w := range p.Stages[0].Words {
			if !utf8.ValidString(w) {
				return nil, &shell.SyntaxError{Pos: p.Stages[0].Pos, Msg: fmt.Sprintf("a word is not valid UTF-8: %.80q", w)}
			}
		}
	}
	return script, nil
}

// open connects a shell and binds its session, which stays for the whole run:
// the one that was named, else the latest, else a new one.
func open(ctx context.Context, t *term.Term, g argv.Globals) (*session, error) {
	s, err := connect(ctx, t, g)
	if err != nil {
		return nil, err
	}
	s.inShell = true
	if s.bound, err = s.bind(ctx); err != nil {
		s.client.Close()
		return nil, err
	}
	// The name that was given may come to mean another session; this one stays.
	s.catalog = catalog.New(s.client, s.binding())
	if _, err := s.catalog.List(ctx); err != nil {
		s.client.Close()
		return nil, err
	}
	return s, nil
}

func (s *session) bind(ctx context.Context) (string, error) {
	if token := s.globals.ContinuationToken; token != "" {
		list, err := s.client.Tools(ctx, api.Binding{ContinuationToken: token})
		return list.Session, err
	}
	id := s.globals.Session
	if id == "" {
		id = api.Latest
	}
	found, err := s.client.Session(ctx, id)
	var failed *api.Error
	if errors.As(err, &failed) && failed.Code == api.CodeSessionNotFound && s.globals.Session == "" {
		made, err := s.client.NewSession(ctx)
		return made.Session, err
	}
	return found.Session, err
}

// runner executes scripts in this session.
func (s *session) runner(stopOnError bool) *shell.Runner {
	return &shell.Runner{
		Exec: s.word, IsCommand: s.catalog.Has,
		Stdout: s.term.Out, Stderr: messages{s.term.Err}, Filtered: s.filtered(), StopOnError: stopOnError,
	}
}

// word runs a first stage: a shell word, unless a tool has its name, or a
// tool.
func (s *session) word(ctx context.Context, words []string, piped bool) (shell.Output, int) {
	switch words[0] {
	case "help":
		if out, code, done := s.help(ctx, words, piped); done {
			return out, code
		}
	case "exit":
		if !s.catalog.HasExact(ctx, "exit") {
			if len(words) > 1 {
				return shell.Output{}, s.report(&argv.UsageError{Message: "exit takes no arguments"})
			}
			s.left = true
			return shell.Output{Exit: true}, exitDone
		}
	}
	return s.exec(ctx, words, piped)
}

// runREPL is the shell on a terminal.
func runREPL(ctx context.Context, t *term.Term, g argv.Globals) int {
	ctx, interrupts, stop := term.Stops(ctx)
	defer stop()
	// Until there is a prompt to return to, an interrupt ends the program.
	launch, launched := term.Signals(ctx)
	waiting := func() {}
	if showsRow(t) {
		waiting = startRow(t.Err, t.Width, "waiting for the agent").stop
	}
	s, err := open(launch, t, g)
	waiting()
	launched()
	if err != nil {
		return report(t, g.BearerToken, err)
	}
	defer s.client.Close()
	s.sessionLine()
	history := openHistory(t)
	code, err := repl.Run(ctx, s.repl(history, interrupts))
	if err != nil {
		return s.report(err)
	}
	return code
}

// openHistory returns the history of this user. One that cannot be kept in a
// file is told about once.
func openHistory(t *term.Term) *repl.History {
	state := t.Getenv("XDG_STATE_HOME")
	if home := t.Getenv("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	// Below a relative name it would land wherever the shell was started.
	if !filepath.IsAbs(state) {
		fmt.Fprintln(t.Err, "warning: neither XDG_STATE_HOME nor HOME is set: this session's history will not be kept")
		return &repl.History{}
	}
	history, err := repl.OpenHistory(filepath.Join(state, "agsh", "history"))
	if err != nil {
		fmt.Fprintf(t.Err, "warning: %s\n", text.EscapeLine(err.Error()))
	}
	return history
}
