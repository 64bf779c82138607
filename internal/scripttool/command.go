package scripttool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/internal/placeholder"
)

// NewCommand makes c callable, as [New] does an executable: with the same
// environment, group, limits, retry and results. The program gets an empty
// standard input.
//
// Its command line always has the author's words: what a call sends changes
// neither their number nor their literal text, but for these. A word that is
// nothing but a placeholder becomes a word for each element of an array, and
// none when the argument is absent or null. A longer word with an absent
// argument is left out whole.
//
// A value cannot become an option: where a word begins with a placeholder, one
// that would begin with - is an error, unless the word -- stands before it or
// it is a number and the schema says so.
//
// The first word is an absolute path, or a name that is looked up on the
// tool's PATH at each call. A command that is not well formed makes every
// call an error.
func NewCommand(c agent.Command, cfg Config) agent.Func {
	cfg = cfg.withDefaults()
	line, malformed := parseLine(c)
	return newTool(c.Definition, c.Env, c.Retry, cfg, func(_ context.Context, raw json.RawMessage) (launch, error) {
		if malformed != nil {
			return launch{}, malformed
		}
		args, err := placeholder.ReadArguments(raw)
		if err != nil {
			return launch{}, err
		}
		words, err := line.expand(args)
		if err != nil {
			return launch{}, err
		}
		path, err := lookup(line.program, searchPath(cfg))
		if err != nil {
			return launch{}, err
		}
		return launch{path: path, name: line.program, args: words}, nil
	})
}

// A line is a parsed command line.
type line struct {
	program string
	words   []placeholder.Template
	options int             // how many of words stand before the author's --
	numeric map[string]bool // arguments that are numbers by the schema
}

func parseLine(c agent.Command) (line, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return line{}, errors.New("its command names no program")
	}
	l := line{numeric: numericArguments(c.Input), options: len(c.Argv) - 1}
	for i, word := range c.Argv {
		t, err := placeholder.Parse(word)
		if err != nil {
			return line{}, fmt.Errorf("word %d of its command, %q: %w", i+1, word, err)
		}
		if i > 0 {
			l.words = append(l.words, t)
			continue
		}
		if len(t.Names()) > 0 {
			return line{}, fmt.Errorf("its command %q: a call cannot choose the program", word)
		}
		l.program, _ = t.Expand(nil)
	}
	for i, word := range c.Argv[1:] {
		if word == "--" {
			l.options = i
			break
		}
	}
	return l, nil
}

// expand returns the words after the program.
func (l line) expand(args placeholder.Arguments) ([]string, error) {
	var words []string
	for i, t := range l.words {
		made, err := l.word(t, args, i < l.options)
		if absent := (*placeholder.AbsentError)(nil); errors.As(err, &absent) {
			continue
		}
		if err != nil {
			return nil, err
		}
		words = append(words, made...)
	}
	return words, nil
}

// word returns what one of the author's words becomes. guarded says that the
// program may take the result for an option.
func (l line) word(t placeholder.Template, args placeholder.Arguments, guarded bool) ([]string, error) {
	values := []json.RawMessage{nil}
	leading, guard := t.Leading()
	guard = guard && guarded
	_, sole := t.Sole()
	if leading != "" {
		value, err := args.Get(leading)
		if err != nil {
			return nil, err
		}
		values[0] = value
		if sole {
			values = placeholder.Elements(value)
		}
	}
	var words []string
	for _, value := range values {
		word, err := t.Expand(func(name string) (string, error) {
			text, err := args.Text(name)
			if sole {
				text = placeholder.Text(value)
			}
			if strings.ContainsRune(text, 0) {
				return "", fmt.Errorf("argument %s: a command line cannot hold the character NUL", name)
			}
			return text, err
		})
		if err != nil {
			return nil, err
		}
		if guard && strings.HasPrefix(word, "-") && (value[0] != '-' || !l.numeric[leading]) {
			return nil, fmt.Errorf("argument %s: the program would take %.40q for an option "+
				"(the tool's author can put the word -- before it, or write it as --flag={%[1]s})", leading, word)
		}
		words = append(words, word)
	}
	return words, nil
}

// numericArguments are the properties of a schema that are numbers, or arrays
// of them.
func numericArguments(schema json.RawMessage) map[string]bool {
	numeric := map[string]bool{}
	for name, property := range object(object(schema)["properties"]) {
		p := object(property)
		numeric[name] = isNumeric(p["type"]) || isNumeric(object(p["items"])["type"])
	}
	return numeric
}

// object returns the members of a JSON object; none if it is something else.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// isNumeric reports whether a type keyword, of one or many, names numbers.
func isNumeric(kinds json.RawMessage) bool {
	for _, kind := range placeholder.Elements(kinds) {
		if k := placeholder.Text(kind); k == "number" || k == "integer" {
			return true
		}
	}
	return false
}

// lookup finds a program: an absolute path is taken as it is, a bare name is
// looked for in the absolute directories of path.
func lookup(program, path string) (string, error) {
	if filepath.IsAbs(program) {
		return program, nil
	}
	if strings.ContainsRune(program, filepath.Separator) {
		// It would be looked for in the workspace, which the agent may write to.
		return "", fmt.Errorf("its program %s is neither an absolute path nor a bare name", program)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("its program %s is not on PATH (%s): install it, or name it by its path", program, path)
}
