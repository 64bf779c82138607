package agsh

import (
	"context"
	"sort"
	"strings"
	"time"

	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/catalog"
	"agsh.dev/internal/agsh/repl"
	"agsh.dev/internal/agsh/shell"
)

// completeTimeout bounds the requests made for a completion: whoever pressed
// the key has long gone on typing.
const completeTimeout = 2 * time.Second

// complete returns what may stand at the end of src[:pos]: a command, a flag
// of one, or one of a flag's values.
func (s *session) complete(ctx context.Context, src string, pos int) repl.Completion {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	before := src[:pos]
	stage := before[strings.LastIndexAny(before, "|;&\n")+1:]
	words, err := shell.Split(stage)
	if err != nil {
		return repl.Completion{} // inside a quote
	}
	last := ""
	if len(words) > 0 && !strings.HasSuffix(stage, " ") {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	if !strings.HasSuffix(stage, last) {
		return repl.Completion{} // the word is quoted: its text is not what was typed
	}
	c := repl.Completion{Start: pos - len(last)}
	switch {
	case len(words) == 0 && isFilter(before, stage):
		for _, f := range shell.Filters() {
			if strings.HasPrefix(f.Name, last) {
				c.Candidates = append(c.Candidates, repl.Candidate{Text: f.Name + " ", Title: f.Title})
			}
		}
	case len(words) == 0 || len(words) == 1 && words[0] == "help":
		c.Candidates = s.commandNames(ctx, last)
	default:
		c.Candidates = s.flags(ctx, words, last)
	}
	return c
}

// isFilter reports whether the stage follows a |.
func isFilter(before, stage string) bool {
	head := strings.TrimSuffix(before, stage)
	return strings.HasSuffix(head, "|") && !strings.HasSuffix(head, "||")
}

func named(names []string, prefix string) []repl.Candidate {
	var out []repl.Candidate
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			out = append(out, repl.Candidate{Text: shell.Quote(name) + " "})
		}
	}
	return out
}

func (s *session) commandNames(ctx context.Context, prefix string) []repl.Candidate {
	list, err := s.catalog.List(ctx)
	if err != nil {
		return nil
	}
	var out []repl.Candidate
	for _, t := range list.Tools {
		if len(t.Name) >= len(prefix) && strings.EqualFold(t.Name[:len(prefix)], prefix) {
			out = append(out, repl.Candidate{Text: shell.Quote(s.foldTo(ctx, t.Name, prefix)) + " ", Title: t.Title})
		}
	}
	out = append(out, named([]string{"help", "exit"}, prefix)...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Text < out[j].Text })
	return out
}

// foldTo is name as it would be typed after prefix. What was typed stays as it
// is, l becomes ls and not LS, unless another tool has that name too.
func (s *session) foldTo(ctx context.Context, name, prefix string) string {
	low := strings.ToLower(name)
	if prefix != "" && !strings.HasPrefix(name, prefix) && prefix == strings.ToLower(prefix) && s.catalog.Has(ctx, low) {
		return low
	}
	return name
}

// flags completes a flag of the command words[0], or the value of the flag
// that stands before.
func (s *session) flags(ctx context.Context, words []string, prefix string) []repl.Candidate {
	cmd, err := s.catalog.Lookup(ctx, words[0])
	if err != nil {
		return nil
	}
	flags := cmd.Args.Flags()
	if f, ok := flagNamed(flags, words[len(words)-1]); ok && f.Placeholder != "" {
		return named(f.Enum, prefix)
	}
	if !strings.HasPrefix(prefix, "-") {
		return nil
	}
	var out []repl.Candidate
	for _, f := range flags {
		if strings.HasPrefix(f.Name, prefix) {
			out = append(out, repl.Candidate{Text: f.Name + " ", Title: catalog.FirstSentence(f.Description)})
		}
	}
	return append(out, named([]string{"--help", "--json-args", "--output", "--approve"}, prefix)...)
}

func flagNamed(flags []argv.Flag, name string) (argv.Flag, bool) {
	for _, f := range flags {
		if f.Name == name {
			return f, true
		}
	}
	return argv.Flag{}, false
}
