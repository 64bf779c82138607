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
	var found []candidate
	switch {
	case len(words) == 0 && isFilter(before, stage):
		for _, f := range shell.Filters() {
			if strings.HasPrefix(f.Name, last) {
				found = append(found, candidate{f.Name, f.Title})
			}
		}
	case len(words) == 0 || len(words) == 1 && words[0] == "help":
		found = s.commandNames(ctx, last)
	default:
		var known bool
		if found, known = s.flags(ctx, words, last); known && strings.HasPrefix(last, "-") {
			found = append(found, starting([]string{"--help", "--json-args", "--output", "--approve"}, last)...)
		}
	}
	c := repl.Completion{Start: pos - len(last)}
	for _, f := range found {
		whole := shell.Quote(f.word)
		if !strings.HasSuffix(f.word, "/") { // of a folder there is more to come
			whole += " "
		}
		c.Candidates = append(c.Candidates, repl.Candidate{Text: whole, Title: f.title})
	}
	return c
}

// A candidate is one word that may stand where something was typed.
type candidate struct{ word, title string }

// isFilter reports whether the stage follows a |.
func isFilter(before, stage string) bool {
	head := strings.TrimSuffix(before, stage)
	return strings.HasSuffix(head, "|") && !strings.HasSuffix(head, "||")
}

func starting(words []string, prefix string) []candidate {
	var out []candidate
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			out = append(out, candidate{word: w})
		}
	}
	return out
}

func (s *session) commandNames(ctx context.Context, prefix string) []candidate {
	list, err := s.catalog.List(ctx)
	if err != nil {
		return nil
	}
	var out []candidate
	for _, t := range list.Tools {
		if len(t.Name) >= len(prefix) && strings.EqualFold(t.Name[:len(prefix)], prefix) {
			out = append(out, candidate{s.foldTo(ctx, t.Name, prefix), t.Title})
		}
	}
	out = append(out, starting([]string{"help", "exit"}, prefix)...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].word < out[j].word })
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

// flags completes a flag of the command words[0], the value of the flag that
// stands before, or a path. known says that there is such a command.
func (s *session) flags(ctx context.Context, words []string, prefix string) (found []candidate, known bool) {
	cmd, err := s.catalog.Lookup(ctx, words[0])
	if err != nil {
		return nil, false
	}
	flags := cmd.Args.Flags()
	if f, ok := flagNamed(flags, words[len(words)-1]); ok && f.Placeholder != "" && len(f.Enum) > 0 {
		return starting(f.Enum, prefix), true
	}
	switch {
	case strings.HasPrefix(prefix, "-"):
	case wantsPath(cmd, words):
		return s.paths(ctx, prefix), true
	default:
		return nil, true
	}
	for _, f := range flags {
		if strings.HasPrefix(f.Name, prefix) {
			found = append(found, candidate{f.Name, catalog.FirstSentence(f.Description)})
		}
	}
	return found, true
}

func flagNamed(flags []argv.Flag, name string) (argv.Flag, bool) {
	for _, f := range flags {
		if f.Name == name {
			return f, true
		}
	}
	return argv.Flag{}, false
}
