package agsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/repl"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term"
)

// maxScript bounds a script: it is read whole before anything of it runs.
const maxScript = 16 << 20

// runShell runs agsh without a command: a REPL on a terminal, a script from
// standard input otherwise.
func runShell(ctx context.Context, t *term.Term, g argv.Globals, stopOnError bool) int {
	if t.InTTY && t.OutTTY {
		return runREPL(ctx, t, g)
	}
	ctx, stop := term.Signals(ctx)
	defer stop()
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
		return shell.Parse(string(r.src))
	}
}

// open connects a shell and binds its session, which stays for the whole run:
// the one that was named, else the latest, else a new one.
func open(ctx context.Context, t *term.Term, g argv.Globals) (*session, error) {
	s, err := connect(ctx, t, g)
	if err != nil {
		return nil, err
	}
	s.kept = true
	if s.bound, err = s.bind(ctx); err != nil {
		s.client.Close()
		return nil, err
	}
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
		Stdout: s.term.Out, Stderr: s.term.Err, Filtered: s.filtered(), StopOnError: stopOnError,
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
		if !s.catalog.HasExact("exit") {
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
	s, err := open(ctx, t, g)
	if err != nil {
		return report(t, g.BearerToken, err)
	}
	defer s.client.Close()
	s.sessionLine()
	history, err := repl.OpenHistory(historyPath(t))
	if err != nil {
		fmt.Fprintf(t.Err, "warning: %v\n", err)
	}
	code, err := repl.Run(ctx, s.repl(history, interrupts))
	if err != nil {
		return s.report(err)
	}
	return code
}

func historyPath(t *term.Term) string {
	state := t.Getenv("XDG_STATE_HOME")
	if state == "" {
		state = filepath.Join(t.Getenv("HOME"), ".local", "state")
	}
	return filepath.Join(state, "agsh", "history")
}
