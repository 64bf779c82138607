package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/itchyny/gojq"
)

// Exit codes of jq. With -e they are 1 if the last output is false or null
// and 4 if there is none. A program that does not compile is a mistyped stage.
const (
	jqFalsy    = 1
	jqNoOutput = 4
	jqFailed   = 5 // the program failed on an input, or the input is not JSON
)

// jq runs a jq program over JSON values. Numbers keep their digits as long as
// the program only moves them. The keys of objects come out sorted. The
// environment and files are out of reach.
type jq struct {
	raw, join bool
	compact   bool
	noInput   bool
	slurp     bool
	status    bool
	sortKeys  bool // they always are
	indent    string
	names     []string
	values    []any
}

func newJQ() *jq { return &jq{indent: "  "} }

func (j *jq) options() options {
	return options{
		flag('r', "raw-output", &j.raw),
		flag('j', "join-output", &j.join),
		flag('c', "compact-output", &j.compact),
		flag('n', "null-input", &j.noInput),
		flag('s', "slurp", &j.slurp),
		flag('e', "exit-status", &j.status),
		flag('S', "sort-keys", &j.sortKeys),
		{long: "tab", set: func(...string) error {
			j.indent = "\t"
			return nil
		}},
		{long: "indent", values: "N", set: func(v ...string) error {
			n, err := count(v[0], v[0])
			if err != nil || n > 7 {
				return fmt.Errorf("--indent %q is not a number from 0 to 7", v[0])
			}
			j.indent = strings.Repeat(" ", n)
			return nil
		}},
		{long: "arg", values: "NAME VALUE", set: func(v ...string) error {
			j.names, j.values = append(j.names, "$"+v[0]), append(j.values, v[1])
			return nil
		}},
		{long: "argjson", values: "NAME JSON", set: func(v ...string) error {
			value, err := decodeOne([]byte(v[1]))
			if err != nil {
				return fmt.Errorf("--argjson %s: %q is not JSON: %w", v[0], v[1], err)
			}
			j.names, j.values = append(j.names, "$"+v[0]), append(j.values, value)
			return nil
		}},
	}
}

// filter compiles the program; the default one is ".", as in jq.
func (j *jq) filter(operands []string) (runFunc, error) {
	program := "."
	if len(operands) > 0 {
		program, operands = operands[0], operands[1:]
	}
	if err := noOperands(operands); err != nil {
		return nil, err
	}
	query, err := gojq.Parse(program)
	if err != nil {
		return nil, fmt.Errorf("the program %q: %w", program, err)
	}
	inputs := &jqInputs{slurp: j.slurp}
	code, err := gojq.Compile(query, gojq.WithVariables(j.names), gojq.WithInputIter(inputs))
	if err != nil {
		return nil, fmt.Errorf("the program %q: %w", program, err)
	}
	return func(ctx context.Context, in input, out stream) (int, error) {
		inputs.open(in)
		run := jqRun{jq: j, code: code, out: out, last: jqNoOutput}
		return run.all(ctx, inputs)
	}, nil
}

// A jqRun is one pass over the inputs.
type jqRun struct {
	*jq
	code   *gojq.Code
	out    stream
	failed bool
	last   int // exit code of -e so far
}

// all runs the program once for each input. A failure ends the work on one
// input, a broken input ends all.
func (r *jqRun) all(ctx context.Context, inputs *jqInputs) (int, error) {
	for ctx.Err() == nil {
		var value any
		if !r.noInput {
			v, ok := inputs.Next()
			if !ok {
				break
			}
			if err, bad := v.(error); bad {
				if ctx.Err() == nil {
					r.out.complain("%v", err)
				}
				return jqFailed, ctx.Err()
			}
			value = v
		}
		halt, err := r.one(ctx, value)
		if err != nil {
			return 0, err
		}
		if halt != nil {
			return halt.ExitCode(), nil
		}
		if r.noInput {
			break
		}
	}
	switch {
	case r.failed:
		return jqFailed, ctx.Err()
	case r.status:
		return r.last, ctx.Err()
	default:
		return 0, ctx.Err()
	}
}

// one runs the program on one value. It returns a halt if the program asks to
// end, and an error only of writing or of ctx.
func (r *jqRun) one(ctx context.Context, value any) (*gojq.HaltError, error) {
	results := r.code.RunWithContext(ctx, value, r.values...)
	for {
		v, ok := results.Next()
		if !ok {
			return nil, nil
		}
		err, failed := v.(error)
		if !failed {
			if err := r.print(v); err != nil {
				return nil, err
			}
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
			if halt.Value() != nil {
				r.out.complain("halted with %s", show(halt.Value()))
			}
			return halt, nil
		}
		r.failed = true
		r.out.complain("%v", err)
	}
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return strings.TrimSuffix(s, "\n")
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (r *jqRun) print(v any) error {
	r.last = 0
	if v == nil || v == false {
		r.last = jqFalsy
	}
	text, err := r.encode(v)
	if err != nil {
		return err
	}
	if _, err := r.out.out.Write(text); err != nil || r.join {
		return err
	}
	return r.out.out.WriteByte('\n')
}

func (r *jqRun) encode(v any) ([]byte, error) {
	if s, ok := v.(string); ok && (r.raw || r.join) {
		return []byte(s), nil
	}
	text, err := gojq.Marshal(v)
	if err != nil || r.compact || r.indent == "" {
		return text, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", r.indent)
	return b.Bytes(), err
}

// jqInputs are the values a program reads, one by one or, with slurp, as one
// array. An error among them is the last.
type jqInputs struct {
	slurp bool
	dec   *json.Decoder
	value func() (json.RawMessage, error) // not yet read
	ended bool
}

func (in *jqInputs) open(from input) {
	in.value, in.ended = from.value, false
	if from.value == nil {
		in.dec = newDecoder(from)
	}
}

// Next implements [gojq.Iter].
func (in *jqInputs) Next() (any, bool) {
	if in.ended {
		return nil, false
	}
	if !in.slurp {
		v, err := in.read()
		in.ended = err != nil
		if err == nil {
			return v, true
		}
		return err, !errors.Is(err, io.EOF)
	}
	in.ended = true
	all := []any{}
	for {
		v, err := in.read()
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return err, true
		}
		all = append(all, v)
	}
}

// read returns the next value, and io.EOF after the last.
func (in *jqInputs) read() (any, error) {
	if in.value != nil {
		raw, err := in.value()
		in.value = nil
		if err != nil {
			return nil, err
		}
		in.dec = newDecoder(bytes.NewReader(raw))
	}
	var v any
	err := in.dec.Decode(&v)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	return v, err
}

func newDecoder(r io.Reader) *json.Decoder {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	return dec
}

func decodeOne(text []byte) (any, error) {
	dec := newDecoder(bytes.NewReader(text))
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the value")
	}
	return v, nil
}
