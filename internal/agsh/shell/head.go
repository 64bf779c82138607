package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// head prints the first n lines or bytes or, if but is set,
// all but the last n.
type head struct {
	n     int
	but   bool
	bytes bool
}

func (h *head) options() options {
	lines := func(v ...string) error { return h.set(v[0], false) }
	return options{
		{short: 'n', long: "lines", values: "N", set: lines},
		{short: '#', values: "N", set: lines},
		{short: 'c', long: "bytes", values: "N", set: func(v ...string) error { return h.set(v[0], true) }},
	}
}

func (h *head) set(v string, inBytes bool) (err error) {
	h.bytes = inBytes
	digits, but := strings.CutPrefix(v, "-")
	h.but = but
	h.n, err = count(digits, v)
	return err
}

// count reads a number of lines or bytes; whole is what was typed.
func count(digits, whole string) (int, error) {
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of lines or bytes; write digits only", whole)
	}
	return int(n), nil
}

func (h *head) filter(operands []string) (runFunc, error) {
	if err := noOperands(operands); err != nil {
		return nil, err
	}
	return func(_ context.Context, in input, out stream) (int, error) {
		switch {
		case h.bytes && h.but:
			return 0, butLastBytes(in, out, h.n)
		case h.bytes:
			_, err := io.CopyN(out.out, in, int64(h.n))
			return 0, ignoreEOF(err)
		case h.but:
			return 0, butLastLines(in, out, h.n)
		default:
			return 0, firstLines(in, out, h.n)
		}
	}, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func firstLines(in io.Reader, out stream, n int) error {
	lines := newLines(in)
	for range n {
		line, err := lines.next()
		if err != nil {
			return ignoreEOF(err)
		}
		if _, err := out.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func butLastLines(in io.Reader, out stream, n int) error {
	lines := newLines(in)
	var held [][]byte
	for {
		line, err := lines.next()
		if err != nil {
			return ignoreEOF(err)
		}
		held = append(held, bytes.Clone(line))
		if len(held) > n {
			if _, err := out.out.Write(held[0]); err != nil {
				return err
			}
			held = held[1:]
		}
	}
}

func butLastBytes(in io.Reader, out stream, n int) error {
	var held []byte
	chunk := make([]byte, 32<<10)
	for {
		got, err := in.Read(chunk)
		held = append(held, chunk[:got]...)
		if extra := len(held) - n; extra > 0 {
			if _, err := out.out.Write(held[:extra]); err != nil {
				return err
			}
			held = append(held[:0], held[extra:]...)
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}
