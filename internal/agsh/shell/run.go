package shell

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// Exit codes of the shell itself. Commands and filters have their own.
const (
	CodeUsage       = 2   // a stage was mistyped; nothing of its pipeline ran
	CodeInterrupted = 130 // the context was cancelled
)

// A Runner executes scripts. Its fields are not changed while Run runs; Run
// may be called again but not concurrently.
type Runner struct {
	// Exec runs the first stage of a pipeline and reports its own errors.
	// piped says that its output goes on to a filter. If the exit code is not
	// 0 and there is no output, the filters do not run.
	Exec func(ctx context.Context, words []string, piped bool) (Output, int)
	// IsCommand reports whether Exec knows a name, so that a command after a
	// | is told from an unknown filter. Nil means that none is known.
	IsCommand func(ctx context.Context, name string) bool
	// Stdout takes the output of each pipeline. When it is closed at the
	// other end the script ends quietly.
	Stdout io.Writer
	// Stderr takes messages, one whole line a write.
	Stderr io.Writer
	// Filtered, if set, wraps Stdout for the output of the filters of one
	// pipeline. Filters pass bytes on as they are, so a terminal needs it to
	// escape controls that jq -r takes out of a JSON string. Close writes what
	// the wrapper holds back; it leaves Stdout open.
	Filtered func(io.Writer) io.WriteCloser
	// Last is the exit code of what ran before the script. It is the script's
	// own if it runs nothing but the word exit.
	Last int
	// StopOnError ends a script when an and-or list fails, as sh -e does: a
	// failure that && or || follows does not end it.
	StopOnError bool
}

// Run executes s and returns the exit code of the last pipeline that ran: the
// first stage's code if that is not 0, else the last stage's. A pipeline whose
// filters are mistyped does not run at all. When ctx is cancelled the script
// ends with CodeInterrupted.
func (r *Runner) Run(ctx context.Context, s *Script) int {
	code := r.Last
	for i, p := range s.Pipelines {
		if ctx.Err() != nil {
			return CodeInterrupted
		}
		if !p.When.holds(code) {
			continue
		}
		var ended bool
		code, ended = r.pipeline(ctx, p, code)
		if ctx.Err() != nil {
			return CodeInterrupted
		}
		if ended || r.StopOnError && code != 0 && s.endsList(i) {
			break
		}
	}
	return code
}

// pipeline runs one pipeline after another that ended with last. ended says
// that the script goes no further.
func (r *Runner) pipeline(ctx context.Context, p Pipeline, last int) (code int, ended bool) {
	filters, err := r.compile(ctx, p)
	if err != nil {
		fmt.Fprintf(r.Stderr, "%v\n", err)
		return CodeUsage, false
	}
	out, code := r.Exec(ctx, p.Stages[0].Words, len(filters) > 0)
	if code != 0 && len(out.Text) == 0 && out.JSON == nil || ctx.Err() != nil {
		return code, out.Exit
	}
	var filtered int
	if len(filters) == 0 {
		_, err = r.Stdout.Write(out.Text)
	} else {
		filtered, err = r.filter(ctx, out, filters)
	}
	switch {
	case isClosed(err):
		return code, true
	case err != nil && ctx.Err() == nil:
		fmt.Fprintf(r.Stderr, "Error: write the output: %v\n", err)
		return max(code, 1), true
	case code == 0 && out.Exit:
		code = last
	case code == 0:
		code = filtered
	}
	return code, out.Exit
}

// compile reads the words of all filters before anything is called, so that a
// typing mistake after the | cannot follow a call that changed something.
func (r *Runner) compile(ctx context.Context, p Pipeline) ([]filter, error) {
	first := p.Stages[0].Words[0]
	if f, ok := lookup(first); ok && r.IsCommand != nil && !r.IsCommand(ctx, first) {
		return nil, fmt.Errorf("%s: it filters what a command prints, as in: command | %s", first, f.synopsis)
	}
	var filters []filter
	for _, stage := range p.Stages[1:] {
		name := stage.Words[0]
		f, ok := lookup(name)
		switch {
		case !ok && r.IsCommand != nil && r.IsCommand(ctx, name):
			return nil, fmt.Errorf("%s: a command can only come first in a pipeline; after a | come the filters %s", name, filterNames())
		case !ok:
			return nil, fmt.Errorf("%s: there is no such filter; after a | come %s", name, filterNames())
		}
		run, err := f.compile(stage.Words[1:])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		filters = append(filters, filter{name: name, run: run})
	}
	return filters, nil
}

// filter passes out through filters, all at once, and returns the exit code of
// the last. The error is one of writing to Stdout.
func (r *Runner) filter(ctx context.Context, out Output, filters []filter) (int, error) {
	var dst io.WriteCloser = openWriter{r.Stdout}
	if r.Filtered != nil {
		dst = r.Filtered(r.Stdout)
	}
	msgs := &lockedWriter{w: r.Stderr}
	codes, errs := make([]int, len(filters)), make([]error, len(filters))
	var wg sync.WaitGroup
	in := input{ctxReader{ctx, io.NopCloser(bytes.NewReader(out.Text))}, out.JSON}
	for i, f := range filters {
		from, to := in, dst
		if i+1 < len(filters) {
			pr, pw := io.Pipe()
			in, to = input{ctxReader{ctx, pr}, nil}, pw
		}
		wg.Go(func() {
			// Closing what it reads stops the stage before, closing what it
			// writes ends the stage after.
			defer from.Close()
			buffered := bufio.NewWriterSize(to, 32<<10)
			codes[i], errs[i] = f.run(ctx, from, stream{out: buffered, name: f.name, msgs: msgs})
			if errs[i] == nil {
				errs[i] = buffered.Flush()
			}
			if err := to.Close(); errs[i] == nil {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return codes[len(filters)-1], errs[len(filters)-1]
}

// isClosed reports whether a write failed because nobody reads any more.
func isClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// A ctxReader reads until its context is cancelled.
type ctxReader struct {
	ctx context.Context //nolint:containedctx // it lives for one pipeline, inside the call it belongs to
	io.ReadCloser
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.ReadCloser.Read(p)
}

// An openWriter stays open when it is closed.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }

// A lockedWriter lets stages that run at once share a writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
