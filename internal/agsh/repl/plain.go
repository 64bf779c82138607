package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// plain reads lines as they come. A terminal that is not in raw mode does the
// editing there is.
type plain struct {
	Config
	*source
	rest []byte // read but not used
}

// read returns the next entry. An entry that the end of the input cuts off is
// returned as it is: running it tells what is missing.
func (p *plain) read(ctx context.Context) (string, error) {
	entry := ""
	for prompt := p.Prompt(); ; prompt = continuation {
		if _, err := fmt.Fprint(p.Out, prompt); err != nil {
			return "", fmt.Errorf("write the prompt: %w", err)
		}
		line, err := p.line(ctx)
		if errors.Is(err, errInterrupted) {
			fmt.Fprintln(p.Out)
			return "", err
		}
		entry += line
		switch {
		case err == nil && p.Incomplete(entry):
			entry += "\n"
		case errors.Is(err, io.EOF) && entry != "":
			fmt.Fprintln(p.Out)
			return entry, nil
		default:
			return entry, err
		}
	}
}

// line returns the next line without its newline; what comes before the end
// of the input comes with io.EOF.
func (p *plain) line(ctx context.Context) (string, error) {
	for {
		if line, rest, ok := bytes.Cut(p.rest, []byte("\n")); ok {
			p.rest = rest
			return string(bytes.TrimSuffix(line, []byte("\r"))), nil
		}
		data, err := p.source.read(ctx)
		p.rest = append(p.rest, data...)
		if err != nil {
			line := string(p.rest)
			p.rest = nil
			return line, err
		}
	}
}
