package agsh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/highlight"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/term/theme"
)

// maxArgs bounds the arguments of a call: a server takes no more. One that is
// sent more may hang up before its answer can be read.
const maxArgs = 1 << 20

// exec runs one command line of words: a tool call, or the help of one. It
// reports its own errors. piped says that the output goes to a filter.
func (s *session) exec(ctx context.Context, words []string, piped bool) (shell.Output, int) {
	globals, args, err := s.lineGlobals(words[1:])
	if err != nil {
		return shell.Output{}, s.report(err)
	}
	cmd, err := s.catalog.Lookup(ctx, words[0])
	if err != nil {
		return shell.Output{}, s.report(err)
	}
	if globals.Help {
		out, err := s.manual(cmd, globals.Output, piped)
		if err != nil {
			return out, s.report(err)
		}
		return out, exitDone
	}
	jsonArgs, err := s.jsonArgs(globals.JSONArgs)
	if err != nil {
		return shell.Output{}, s.report(err)
	}
	body, err := cmd.Args.Parse(args, jsonArgs)
	if err != nil {
		return shell.Output{}, s.report(err)
	}
	if len(body) > maxArgs {
		return shell.Output{}, s.report(&argv.UsageError{
			Message: fmt.Sprintf("%s: the arguments are %d bytes as JSON, and a server takes %d at most", cmd.Detail.Name, len(body), maxArgs),
		})
	}
	res, err := s.call(ctx, cmd, body, globals.Approve)
	if err != nil {
		return shell.Output{}, s.report(err)
	}
	return s.render(cmd, body, res, globals.Output, piped)
}

// lineGlobals takes the reserved flags out of one line's arguments and adds
// those of the program's own command line. A line inside the shell cannot
// change where the shell is connected.
func (s *session) lineGlobals(args []string) (argv.Globals, []string, error) {
	if !s.inShell {
		return s.globals, args, nil // they were taken out of the whole line already
	}
	g, rest, err := argv.SplitGlobals(args)
	if err != nil {
		return g, nil, err
	}
	for _, name := range []string{"--target", "--team", "--bearer-token", "--session", "--continuation-token"} {
		if g.Set[name] {
			return g, nil, &argv.UsageError{Message: name + " cannot change inside the shell: start another agsh"}
		}
	}
	if g.JSONArgs == "-" {
		return g, nil, &argv.UsageError{Message: "--json-args - reads standard input, which the shell itself reads; give the JSON, or @file"}
	}
	if g.Output == "" {
		g.Output = s.globals.Output
	}
	g.Approve = g.Approve || s.globals.Approve
	return g, rest, nil
}

// jsonArgs reads the value of --json-args: JSON, @file or - for standard
// input. No value is nil.
func (s *session) jsonArgs(arg string) (json.RawMessage, error) {
	switch file, isFile := strings.CutPrefix(arg, "@"); {
	case arg == "":
		return nil, nil
	case arg == "-":
		b, err := io.ReadAll(io.LimitReader(s.term.In, maxArgs+1))
		return limited(b, err, "standard input")
	case isFile:
		f, err := os.Open(file)
		if err != nil {
			return nil, &argv.UsageError{Message: "--json-args: " + err.Error()}
		}
		defer func() { _ = f.Close() }()
		b, err := io.ReadAll(io.LimitReader(f, maxArgs+1))
		return limited(b, err, file)
	}
	return json.RawMessage(arg), nil
}

func limited(b []byte, err error, from string) (json.RawMessage, error) {
	switch {
	case err != nil:
		return nil, &argv.UsageError{Message: fmt.Sprintf("--json-args: read %s: %v", from, err)}
	case len(b) > maxArgs:
		return nil, &argv.UsageError{Message: fmt.Sprintf("--json-args: %s is larger than %d bytes", from, maxArgs)}
	case !utf8.Valid(b):
		return nil, &argv.UsageError{Message: fmt.Sprintf("--json-args: %s is not valid UTF-8, which JSON is", from)}
	}
	return b, nil
}

// call runs the tool on the server, asking for approval when the server does
// and a person is there.
func (s *session) call(ctx context.Context, cmd *catalog.Command, args json.RawMessage, approve bool) (api.CallResult, error) {
	defer s.folders.forget() // the tree may have changed
	req := s.request(args, approve)
	name := cmd.Detail.Name
	res, err := s.watched(ctx, name, req)
	s.catalog.Seen(res.ETag) // also of a failure: it may be that the tool is not what it was
	var failed *api.Error
	if errors.As(err, &failed) && failed.Code == api.CodeApprovalRequired && !approve {
		if !s.term.InTTY || !s.term.ErrTTY {
			return res, failed.WithHint("nobody is here to ask; allow it with --approve")
		}
		question := fmt.Sprintf("%s needs approval:\n  %s %s\nRun it?", name, name, args)
		yes, askErr := s.ask(ctx, question)
		if askErr != nil {
			return res, askErr
		}
		if !yes {
			return res, failed.WithHint("it was not approved and did not run")
		}
		req.Approve = true
		res, err = s.watched(ctx, name, req)
	}
	if err != nil {
		return res, err
	}
	s.bound = res.Session
	if res.Truncated != nil {
		fmt.Fprintf(s.term.Err, "warning: the result is cut: the tool gave %d bytes\n", res.Truncated.Bytes)
	}
	return res, nil
}

// render turns a result into what prints, and the exit code.
func (s *session) render(cmd *catalog.Command, args json.RawMessage, res api.CallResult, output string, piped bool) (shell.Output, int) {
	r := result(res)
	code := exitDone
	if r.IsError || view.IsErrorObject(r) {
		code = exitToolError
	}
	out := shell.Output{JSON: func() (json.RawMessage, error) {
		if cmd.Shape == "read" {
			if file, ok := view.FileText(r); ok && json.Valid([]byte(file)) {
				return json.RawMessage(file), nil
			}
		}
		return view.JSON(r), nil
	}}
	if output == "json" {
		out.Text = append(s.paintJSON(view.JSON(r), piped), '\n')
		return out, code
	}
	for _, note := range view.Notes(r, cmd.Shape) {
		fmt.Fprintf(s.term.Err, "note: %s\n", note)
	}
	o := view.Options{Shape: cmd.Shape, Name: cmd.Operand("path", args)}
	if !piped {
		o.Width, o.Color, o.Theme = s.term.Width(), s.term.Color(), s.theme()
	}
	out.Text = []byte(view.Text(r, o))
	return out, code
}

// paintJSON colours JSON for a terminal. Its colours are none anywhere else.
func (s *session) paintJSON(raw []byte, piped bool) []byte {
	if piped || s.term.Colors() == 0 {
		return raw
	}
	return []byte(highlight.JSON(string(raw), s.theme()))
}

func (s *session) theme() theme.Theme { return theme.New(s.term.Colors()) }

func result(res api.CallResult) view.Result {
	r := view.Result{Structured: res.StructuredContent, IsError: res.IsError}
	for _, b := range res.Content {
		r.Blocks = append(r.Blocks, view.Block{Type: b.Type, Text: b.Text, Data: b.Data, MimeType: b.MimeType, URI: b.URI, Name: b.Name})
	}
	return r
}
