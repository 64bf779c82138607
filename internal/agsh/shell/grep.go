package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// grep prints lines that match, as GNU grep does in a UTF-8 locale. Input is
// text whatever is in it, as with GNU's -a.
type grep struct {
	dialect    dialect
	chosen     bool // the dialect was
	patterns   []string
	invert     bool
	ignoreCase bool
	wholeLine  bool
	wholeWord  bool
	count      bool
	onlyMatch  bool
	quiet      bool
	numbers    bool
	limit      int // of selected lines; -1: none
	// Lines of context; -1: not asked for. around is for what before and
	// after leave open.
	before, after, around int
}

func newGrep() *grep { return &grep{limit: -1, before: -1, after: -1, around: -1} }

func (g *grep) options() options {
	dialectIs := func(d dialect) func(...string) error {
		return func(...string) error {
			if g.chosen && g.dialect != d {
				return errors.New("-E, -F and -G exclude one another; give one")
			}
			g.dialect, g.chosen = d, true
			return nil
		}
	}
	number := func(n *int) func(...string) error {
		return func(v ...string) (err error) {
			*n, err = count(v[0], v[0])
			return err
		}
	}
	return options{
		{short: 'E', long: "extended-regexp", set: dialectIs(extended)},
		{short: 'F', long: "fixed-strings", set: dialectIs(fixed)},
		{short: 'G', long: "basic-regexp", set: dialectIs(basic)},
		{short: 'e', long: "regexp", values: "PATTERN", set: func(v ...string) error {
			g.patterns = append(g.patterns, splitPatterns(v[0])...)
			return nil
		}},
		flag('i', "ignore-case", &g.ignoreCase),
		flag('v', "invert-match", &g.invert),
		flag('w', "word-regexp", &g.wholeWord),
		flag('x', "line-regexp", &g.wholeLine),
		flag('c', "count", &g.count),
		flag('n', "line-number", &g.numbers),
		flag('o', "only-matching", &g.onlyMatch),
		flag('q', "quiet", &g.quiet),
		{short: 'm', long: "max-count", values: "N", set: number(&g.limit)},
		{short: 'A', long: "after-context", values: "N", set: number(&g.after)},
		{short: 'B', long: "before-context", values: "N", set: number(&g.before)},
		{short: 'C', long: "context", values: "N", set: number(&g.around)},
		{short: '#', values: "N", set: number(&g.around)},
	}
}

func (g *grep) filter(operands []string) (runFunc, error) {
	if g.patterns == nil {
		if len(operands) == 0 {
			return nil, errors.New("a pattern is missing: grep [options...] <pattern>")
		}
		g.patterns, operands = splitPatterns(operands[0]), operands[1:]
	}
	if err := noOperands(operands); err != nil {
		return nil, err
	}
	m, warnings, err := newMatcher(g.patterns, g)
	if err != nil {
		return nil, err
	}
	if g.before < 0 {
		g.before = g.around
	}
	if g.after < 0 {
		g.after = g.around
	}
	return func(_ context.Context, in input, out stream) (int, error) {
		for _, w := range warnings {
			out.complain("warning: %s", w)
		}
		if g.limit == 0 {
			return 1, nil // and -c prints nothing, as in GNU grep
		}
		run := grepRun{grep: g, matcher: m, out: out}
		err := run.all(newLines(in))
		if err == nil && g.count && !g.quiet {
			_, err = fmt.Fprintln(out.out, run.selected)
		}
		if run.selected == 0 {
			return 1, err
		}
		return 0, err
	}, nil
}

// A grepRun is one pass over an input.
type grepRun struct {
	*grep
	matcher  *matcher
	out      stream
	line     int // number of the current line
	selected int
	held     [][]byte // lines before the current one that may become context
	pending  int      // lines of context still to print
	printed  int      // number of the last line that was, or under -o would be, printed
}

func (r *grepRun) all(lines *lines) error {
	for r.selected != r.limit || r.pending > 0 {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r.line++
		line = trimNewline(line)
		switch {
		case r.selected != r.limit && r.matcher.matches(line) != r.invert:
			r.selected++
			if r.quiet {
				return nil
			}
			err = r.selectLine(line)
		case r.pending > 0:
			r.pending--
			err = r.print(line, '-')
		default:
			r.hold(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hold keeps the line as context for a later one.
func (r *grepRun) hold(line []byte) {
	if r.before <= 0 || r.count {
		return
	}
	r.held = append(r.held, bytes.Clone(line))
	if len(r.held) > r.before {
		r.held = r.held[1:]
	}
}

func (r *grepRun) selectLine(line []byte) error {
	if r.count {
		return nil
	}
	number := r.line
	first := number - len(r.held)
	if (r.before >= 0 || r.after >= 0) && r.printed > 0 && first > r.printed+1 {
		if _, err := io.WriteString(r.out.out, "--\n"); err != nil {
			return err
		}
	}
	for i, held := range slices.Clone(r.held) {
		r.line = first + i
		if err := r.print(held, '-'); err != nil {
			return err
		}
	}
	r.held = r.held[:0]
	r.line = number
	r.pending = max(r.after, 0)
	return r.print(line, ':')
}

// print writes the line, or what of it matches, with the mark that tells
// selected lines from context.
func (r *grepRun) print(line []byte, mark byte) error {
	r.printed = r.line
	if !r.onlyMatch {
		return r.write(line, mark)
	}
	if mark != ':' || r.invert {
		return nil
	}
	for _, span := range r.matcher.spans(line) {
		if err := r.write(span, mark); err != nil {
			return err
		}
	}
	return nil
}

func (r *grepRun) write(text []byte, mark byte) error {
	if r.numbers {
		if _, err := r.out.out.Write(append(strconv.AppendInt(nil, int64(r.line), 10), mark)); err != nil {
			return err
		}
	}
	if _, err := r.out.out.Write(text); err != nil {
		return err
	}
	return r.out.out.WriteByte('\n')
}
