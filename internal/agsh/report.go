package agsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"unicode/utf8"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// codes is the one map from the API's failures to exit codes; what is not in
// it is the server's own fault.
var codes = map[api.Code]int{
	api.CodeApprovalRequired: exitDenied,
	api.CodeForbidden:        exitDenied,
	api.CodeUnauthorized:     exitDenied,
	api.CodeBodyTooLarge:     exitUsage,
	api.CodeInvalidArguments: exitUsage,
	api.CodeInvalidBody:      exitUsage,
	api.CodeInvalidQuery:     exitUsage,
	api.CodeSessionDeleted:   exitUsage,
	api.CodeSessionNotFound:  exitUsage,
	api.CodeToolNotFound:     exitUsage,
}

// exitCode is the exit code for an error.
func exitCode(err error) int {
	var usage *argv.UsageError
	var unknown *catalog.UnknownError
	var syntax *shell.SyntaxError
	var failed *api.Error
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &unknown), errors.As(err, &syntax):
		return exitUsage
	case errors.As(err, &failed):
		if code, ok := codes[failed.Code]; ok {
			return code
		}
		// A code of somebody else, such as a proxy in front of the server.
		if failed.Status == http.StatusUnauthorized || failed.Status == http.StatusForbidden {
			return exitDenied
		}
	}
	return exitUnreachable
}

// report tells a person what went wrong and returns the exit code. The bearer
// token never shows, whoever echoed it.
func report(t *term.Term, token string, err error) int {
	code := exitCode(err)
	if code == exitInterrupted {
		return code
	}
	msg := err.Error()
	if token != "" {
		msg = strings.ReplaceAll(msg, token, "[redacted]")
	}
	fmt.Fprintf(t.Err, "Error: %s\n", text.Escape(clip(strings.TrimRight(msg, "\n"))))
	return code
}

// maxMessage bounds what is told about one error, which may quote what was
// typed or what a server answered.
const maxMessage = 8 << 10

// clip cuts a message that is too long to be read.
func clip(msg string) string {
	if len(msg) <= maxMessage {
		return msg
	}
	cut := maxMessage
	for cut > 0 && !utf8.RuneStart(msg[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes more)", msg[:cut], len(msg)-cut)
}

// write writes output and returns the exit code of doing so. A reader that
// has gone is no error.
func write(t *term.Term, p []byte) int {
	if len(p) == 0 {
		return exitDone
	}
	_, err := t.Out.Write(p)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitDone
	}
	fmt.Fprintf(t.Err, "Error: write the output: %s\n", text.EscapeLine(err.Error()))
	return exitToolError
}

// A messages writer makes the shell's own messages safe for a terminal: they
// quote scripts and results. Each write is whole lines.
type messages struct{ w io.Writer }

func (m messages) Write(p []byte) (int, error) {
	if _, err := io.WriteString(m.w, text.Escape(clip(strings.TrimRight(string(p), "\n"))+"\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *session) report(err error) int { return report(s.term, s.globals.BearerToken, err) }

func escapeLine(s string) string { return text.EscapeLine(s) }
