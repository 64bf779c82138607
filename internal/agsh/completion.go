package agsh

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/shell"
	"agsh.dev/internal/term"
	"agsh.dev/internal/term/text"
)

// completions are the scripts that teach a shell to ask agsh --complete.
//
//go:embed completion
var completions embed.FS

// completionShells are the shells there is a script for.
var completionShells = []string{"bash", "zsh", "fish"}

// completionScript prints the script for a shell.
func completionScript(t *term.Term, args []string) int {
	if len(args) == 1 && slices.Contains(completionShells, args[0]) {
		script, err := completions.ReadFile("completion/" + args[0])
		if err != nil {
			return report(t, "", err)
		}
		return write(t, script)
	}
	return report(t, "", &argv.UsageError{Message: "--completion takes one shell: " + strings.Join(completionShells, ", ")})
}

// globalFlags are the reserved flags with what completion says of them, and
// their values where there are few.
var globalFlags = []struct {
	candidate
	values []string
	alone  bool // it takes no value
}{
	{candidate{"--target", "the agent's URL"}, nil, false},
	{candidate{"--team", "team of a named target"}, nil, false},
	{candidate{"--bearer-token", "credential, or @file"}, nil, false},
	{candidate{"--session", "session to call in"}, []string{"latest"}, false},
	{candidate{"--continuation-token", "session to call in, by token"}, nil, false},
	{candidate{"--output", "text or json"}, []string{"text", "json"}, false},
	{candidate{"--json-args", "all arguments as one JSON object"}, nil, false},
	{candidate{"--approve", "allow a call that needs approval"}, nil, true},
	{candidate{"--help", "explain it; nothing is called"}, nil, true},
}

// isSafeWord reports whether completion may put s on a command line. A shell
// would expand or run anything else, and words come from a server.
func isSafeWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.,:@%+/-", r)
	})
}

// completeLine prints what may stand at the end of a command line of the
// user's own shell, a word and its title a line. It asks the live catalog when
// the line or the environment names a target, and fails without a word: there
// is nobody to read one.
func completeLine(ctx context.Context, t *term.Term, line string) int {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	words, err := shell.Split(line)
	if err != nil || len(words) == 0 {
		return exitUsage
	}
	words, last := words[1:], ""
	if len(words) > 0 && !strings.HasSuffix(line, " ") {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	var out strings.Builder
	for _, c := range lineCandidates(ctx, t, words, last) {
		if !isSafeWord(c.word) {
			continue
		}
		out.WriteString(c.word)
		if c.title != "" {
			fmt.Fprintf(&out, "\t%s", text.EscapeLine(c.title))
		}
		out.WriteByte('\n')
	}
	return write(t, []byte(out.String()))
}

func lineCandidates(ctx context.Context, t *term.Term, words []string, last string) []candidate {
	if len(words) > 0 {
		for _, f := range globalFlags {
			if f.word == words[len(words)-1] && !f.alone {
				return starting(f.values, last)
			}
		}
	}
	g, rest, err := argv.SplitGlobals(words)
	if err != nil {
		return nil
	}
	var out []candidate
	if s, err := connect(ctx, t, g); err == nil {
		defer s.client.Close()
		switch {
		case len(rest) == 0 && !strings.HasPrefix(last, "-"), len(rest) == 1 && rest[0] == "help":
			return slices.DeleteFunc(s.commandNames(ctx, last), func(c candidate) bool { return c.word == "exit" })
		case len(rest) > 0:
			out, _ = s.flags(ctx, rest, last)
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, f := range globalFlags {
			if strings.HasPrefix(f.word, last) && !slices.ContainsFunc(out, func(c candidate) bool { return c.word == f.word }) {
				out = append(out, f.candidate)
			}
		}
	}
	return out
}
