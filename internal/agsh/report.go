package agsh

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	fmt.Fprintf(t.Err, "Error: %s\n", text.Escape(strings.TrimRight(msg, "\n")))
	return code
}

func (s *session) report(err error) int { return report(s.term, s.globals.BearerToken, err) }

func escapeLine(s string) string { return text.EscapeLine(s) }
