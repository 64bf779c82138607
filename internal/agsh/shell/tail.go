package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// tail prints the last n lines or bytes or, if from is set,
// all from the n-th on.
type tail struct {
	n     int
	from  bool
	bytes bool
}

func (t *tail) options() options {
	lines := func(v ...string) error { return t.set(v[0], false) }
	return options{
		{short: 'n', long: "lines", values: "[+]N", set: lines},
		{short: '#', values: "N", set: lines},
		{short: 'c', long: "bytes", values: "[+]N", set: func(v ...string) error { return t.set(v[0], true) }},
	}
}

func (t *tail) set(v string, inBytes bool) (err error) {
	t.bytes = inBytes
	digits, from := strings.CutPrefix(v, "+")
	t.from = from
	if !from {
		digits = strings.TrimPrefix(v, "-") // GNU takes -n -5 for -n 5
	}
	t.n, err = count(digits, v)
	return err
}

func (t *tail) filter(operands []string) (runFunc, error) {
	if err := noOperands(operands); err != nil {
		return nil, err
	}
	return func(_ context.Context, in input, out stream) (int, error) {
		skip := max(t.n-1, 0) // lines and bytes count from 1, and +0 is +1
		switch {
		case t.bytes && t.from:
			_, err := io.CopyN(io.Discard, in, int64(skip))
			if err == nil {
				_, err = io.Copy(out.out, in)
			}
			return 0, ignoreEOF(err)
		case t.bytes:
			return 0, lastBytes(in, out, t.n)
		case t.from:
			return 0, fromLine(in, out, skip)
		default:
			return 0, lastLines(in, out, t.n)
		}
	}, nil
}

func fromLine(in io.Reader, out stream, skip int) error {
	lines := newLines(in)
	for range skip {
		if _, err := lines.next(); err != nil {
			return ignoreEOF(err)
		}
	}
	_, err := io.Copy(out.out, lines.r)
	return err
}

func lastLines(in io.Reader, out stream, n int) error {
	lines := newLines(in)
	var held [][]byte
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		held = append(held, bytes.Clone(line))
		if len(held) > n {
			held = held[1:]
		}
	}
	for _, line := range held {
		if _, err := out.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func lastBytes(in io.Reader, out stream, n int) error {
	const slack = 1 << 20 // what may be held beyond n before it is dropped
	var held []byte
	chunk := make([]byte, 32<<10)
	for {
		got, err := in.Read(chunk)
		held = append(held, chunk[:got]...)
		if extra := len(held) - n; extra > slack || err != nil && extra > 0 {
			held = append(held[:0], held[extra:]...)
		}
		if errors.Is(err, io.EOF) {
			_, err = out.out.Write(held)
			return err
		}
		if err != nil {
			return err
		}
	}
}
