package shell

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Filter describes a program that may follow a |.
type Filter struct {
	Name     string
	Title    string
	Synopsis string
	Options  []string // as they are typed, each with its values: "-n N"
}

// Filters lists the filters in the order help shows them.
func Filters() []Filter {
	var out []Filter
	for _, s := range specs {
		out = append(out, Filter{Name: s.name, Title: s.title, Synopsis: s.synopsis, Options: s.new().options().names()})
	}
	return out
}

// specs is the table of filters.
var specs = []spec{
	{"head", "Print the first lines", "head [-n N | -N | -c N]", func() program { return &head{n: 10} }},
	{"tail", "Print the last lines", "tail [-n N | -n +N | -N | -c N]", func() program { return &tail{n: 10} }},
	{"wc", "Count lines, words and bytes", "wc [-l] [-w] [-m] [-c]", func() program { return &wc{} }},
	{"grep", "Print the lines that match a pattern", "grep [options...] <pattern>", func() program { return newGrep() }},
	{"jq", "Select and reshape JSON", "jq [options...] <program>", func() program { return newJQ() }},
}

type spec struct {
	name, title, synopsis string
	new                   func() program
}

// A program is a filter that is being set up: its options set its fields, and
// filter then makes it from them. An argument that it would not honour is an
// error.
type program interface {
	options() options
	filter(operands []string) (runFunc, error)
}

func (s spec) compile(args []string) (runFunc, error) {
	p := s.new()
	operands, err := p.options().parse(args)
	if err != nil {
		return nil, err
	}
	return p.filter(operands)
}

func lookup(name string) (spec, bool) {
	i := slices.IndexFunc(specs, func(s spec) bool { return s.name == name })
	if i < 0 {
		return spec{}, false
	}
	return specs[i], true
}

func filterNames() string {
	var names []string
	for _, s := range specs {
		names = append(names, s.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

type filter struct {
	name string
	run  runFunc
}

// A runFunc filters in to out once and returns an exit code. Its error is one
// of writing out, or of the context; anything else it reports itself.
type runFunc func(ctx context.Context, in input, out stream) (int, error)

// An input is what the stage before produced.
type input struct {
	io.ReadCloser
	value func() (json.RawMessage, error) // the same as one JSON value; nil: only the bytes
}

// A stream is where a filter writes.
type stream struct {
	out  *bufio.Writer
	name string
	msgs io.Writer
}

// complain reports a problem under the filter's name.
func (s stream) complain(format string, args ...any) {
	fmt.Fprintf(s.msgs, "%s: %s\n", s.name, fmt.Sprintf(format, args...))
}

// lines reads lines of any length.
type lines struct {
	r   *bufio.Reader
	buf []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns a line with its newline, if it has one, until io.EOF. The line
// is valid until the next call.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return lastLine(line, err)
	}
	l.buf = append(l.buf[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		l.buf = append(l.buf, line...)
	}
	return lastLine(l.buf, err)
}

// lastLine lets a line without a newline come before the end of the text.
func lastLine(line []byte, err error) ([]byte, error) {
	if len(line) > 0 && errors.Is(err, io.EOF) {
		return line, nil
	}
	return line, err
}
