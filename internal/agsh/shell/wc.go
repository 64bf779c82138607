package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// wc prints the counts that are set, always in the order of the fields, or
// lines, words and bytes if none is.
type wc struct {
	lines, words, chars, bytes bool
}

func (w *wc) options() options {
	return options{
		flag('l', "lines", &w.lines),
		flag('w', "words", &w.words),
		flag('m', "chars", &w.chars),
		flag('c', "bytes", &w.bytes),
	}
}

func (w *wc) filter(operands []string) (runFunc, error) {
	if err := noOperands(operands); err != nil {
		return nil, err
	}
	shown := *w
	if shown == (wc{}) {
		shown = wc{lines: true, words: true, bytes: true}
	}
	return func(_ context.Context, in input, out stream) (int, error) {
		n, err := tally(in)
		if err != nil {
			return 0, err
		}
		return 0, shown.print(out.out, n)
	}, nil
}

// counts are what wc counts. A line is a newline, a word is a run of
// characters that are not white space, a byte that is not UTF-8 is no
// character.
type counts struct {
	lines, words, chars, bytes int
}

func tally(in io.Reader) (counts, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	var n counts
	inWord := false
	for {
		c, size, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n.bytes += size
		if c != utf8.RuneError || size > 1 {
			n.chars++
		}
		if c == '\n' {
			n.lines++
		}
		space := unicode.IsSpace(c)
		if !space && !inWord {
			n.words++
		}
		inWord = !space
	}
}

// print writes one count bare and several in columns of seven, as GNU wc does
// for a pipe, whose size it cannot know.
func (w wc) print(out io.Writer, n counts) error {
	var shown []any
	layout := ""
	for _, c := range []struct {
		shown bool
		n     int
	}{{w.lines, n.lines}, {w.words, n.words}, {w.chars, n.chars}, {w.bytes, n.bytes}} {
		if c.shown {
			shown = append(shown, c.n)
			layout += " %7d"
		}
	}
	if len(shown) == 1 {
		layout = " %d"
	}
	_, err := fmt.Fprintf(out, layout[1:]+"\n", shown...)
	return err
}
