package vfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
)

// Grep implements [FileSystem]. It holds one file in memory at a time.
func (w walker) Grep(ctx context.Context, q GrepQuery) iter.Seq2[GrepResult, error] {
	return func(yield func(GrepResult, error) bool) {
		root, err := normalize("grep", q.Path)
		if err == nil {
			err = w.grep(ctx, root, q, func(r GrepResult) bool { return yield(r, nil) })
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(GrepResult{}, pathError("grep", root, err))
		}
	}
}

func (w walker) grep(ctx context.Context, root string, q GrepQuery, emit func(GrepResult) bool) error {
	m, err := compileMatcher(q.Pattern, q.IgnoreCase)
	if err != nil {
		return InvalidGrepPattern(root, q.Pattern, err)
	}
	files, err := compileFilter(q.Glob, root)
	if err != nil {
		return err
	}
	info, err := w.src.stat(ctx, root)
	if err != nil {
		return err
	}
	g := &grepper{src: w.src, matcher: m, query: q, emit: emit}
	switch info.Kind {
	case KindFile:
		if !files.accepts(root) {
			return nil
		}
		return g.file(ctx, root)
	case KindDir:
		return w.walk(ctx, root, files.enters, func(e DirEntry) error {
			if e.Kind != KindFile || !files.accepts(e.Path) {
				return nil
			}
			err := g.file(ctx, e.Path)
			if err != nil && passable(err) {
				return nil
			}
			return err
		})
	default:
		return nil
	}
}

// A grepper searches files, one after another.
type grepper struct {
	src     source
	matcher *matcher
	query   GrepQuery
	emit    func(GrepResult) bool
	found   int    // matching lines so far
	buf     []byte // reused from file to file
}

// file emits the results of one file. It returns errStop when the consumer
// or the query has had enough.
func (g *grepper) file(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ok, err := g.load(ctx, path)
	if err != nil || !ok {
		return err
	}
	return g.search(path, bytes.TrimPrefix(g.buf, []byte(byteOrderMark)))
}

// load reads a file into buf. It reports false for a binary file, of which it
// reads no more than it must.
func (g *grepper) load(ctx context.Context, path string) (bool, error) {
	f, err := g.src.open(ctx, path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g.buf = g.buf[:0]
	for checked := false; ; {
		if cap(g.buf)-len(g.buf) < sniffLen {
			g.buf = append(make([]byte, 0, max(64<<10, 2*cap(g.buf))), g.buf...)
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := f.Read(g.buf[len(g.buf):cap(g.buf)])
		g.buf = g.buf[:len(g.buf)+n]
		if !checked && (err != nil || len(g.buf) >= sniffLen) {
			if binary(g.buf) {
				return false, nil
			}
			checked = true
		}
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// search emits the results in data.
func (g *grepper) search(path string, data []byte) error {
	lines := &lineWriter{path: path, data: data, emit: g.emit, number: 1}
	for from := 0; ; {
		start, end, ok := g.matcher.next(data, from)
		if !ok {
			if from > 0 {
				lines.context(len(data), g.query.After)
			}
			break
		}
		if from > 0 {
			lines.context(start, g.query.After)
		}
		lines.skip(before(data, start, lines.at, g.query.Before))
		lines.context(start, g.query.Before)
		lines.line(end, false)
		from = lines.at
		if g.found++; g.found == g.query.MaxResults {
			// The context after the last match ends where another begins.
			stop := len(data)
			if s, _, ok := g.matcher.next(data, from); ok {
				stop = s
			}
			lines.context(stop, g.query.After)
			return errStop
		}
		if lines.done {
			return errStop
		}
	}
	if lines.done {
		return errStop
	}
	return nil
}

// before returns the start of the line n lines before start, not before floor.
func before(data []byte, start, floor, n int) int {
	for ; n > 0 && start > floor; n-- {
		start = bytes.LastIndexByte(data[:start-1], '\n') + 1
	}
	return max(start, floor)
}

// A lineWriter emits lines of one text in order and counts them.
type lineWriter struct {
	path   string
	data   []byte
	emit   func(GrepResult) bool
	at     int // start of the next line
	number int // of the line at at
	done   bool
}

// skip goes on to the line that starts at to.
func (w *lineWriter) skip(to int) {
	w.number += bytes.Count(w.data[w.at:to], []byte{'\n'})
	w.at = to
}

// context emits up to n lines as context, stopping at to.
func (w *lineWriter) context(to, n int) {
	for ; n > 0 && w.at < to; n-- {
		w.line(lineEnd(w.data, w.at), true)
	}
}

// line emits the line that starts at w.at and ends at end.
func (w *lineWriter) line(end int, context bool) {
	if !w.done {
		text := strings.ToValidUTF8(string(trimCR(w.data[w.at:end])), "\uFFFD")
		w.done = !w.emit(GrepResult{Path: w.path, Line: w.number, Text: text, Context: context})
	}
	w.at = min(end+1, len(w.data))
	w.number++
}
