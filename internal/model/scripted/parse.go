package scripted

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"agsh.dev/internal/model"
)

// A Problem is something in a script's file that cannot be played.
type Problem struct {
	Line, Column int // from 1
	Message      string
}

func (p Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message) }

// Parse reads a script:
//
//	steps:
//	  - text: Hello.                    # answers what nothing matches
//	  - match: (?i)weather              # a regexp; a word finds itself
//	    reasoning: They want to know.
//	    toolCalls:
//	      - {name: Weather, args: {city: Ulm}}
//	  - text: It is sunny in Ulm.       # after the result
//	  - match: fail
//	    delayMs: 200
//	    error: {code: overloaded, message: busy, status: 503, retryAfterMs: 100, times: 2}
//
// args may be a string, which is what the model writes, valid or not. All
// problems are returned at once, in the order of their lines; with any, the
// script is not to be played.
func Parse(text []byte) (Script, []Problem) {
	var p parser
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.report(&yaml.Node{Line: 1, Column: 1}, "the script is empty: want steps")
		return Script{}, p.problems
	case err != nil:
		p.syntax(err)
		return Script{}, p.problems
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		p.report(&doc, "the script has more than one YAML document: keep one")
	}
	script := p.script(doc.Content[0])
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return script, p.problems
}

type parser struct{ problems []Problem }

func (p *parser) report(n *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, Problem{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// syntax reports the parser's error, which has its line in its text.
func (p *parser) syntax(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, message = n, what
		}
	}
	p.problems = append(p.problems, Problem{line, 1, "this is not YAML: " + message})
}

// A field is a key of a mapping and what reads its value.
type field struct {
	name string
	read func(*yaml.Node)
}

func (p *parser) fields(n *yaml.Node, what string, fields []field) {
	if n.Kind != yaml.MappingNode {
		p.report(n, "%s: want a mapping of keys to values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := func(*yaml.Node) {
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			p.report(key, "%s has no key %q: want %s", what, key.Value, strings.Join(names, ", "))
		}
		for _, f := range fields {
			if f.name == key.Value {
				read = f.read
			}
		}
		if seen[key.Value] {
			p.report(key, "%s has the key %q twice", what, key.Value)
		}
		seen[key.Value] = true
		read(value)
	}
}

func (p *parser) list(n *yaml.Node, what string, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.report(n, "%s: want a list with at least one entry", what)
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

func (p *parser) text(what string, to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			p.report(n, "%s: want text", what)
			return
		}
		*to = n.Value
	}
}

const maxNumber = 24 * 60 * 60 * 1000 // a day of milliseconds; no other number is as large

func (p *parser) number(what string, to *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 0 || v > maxNumber {
			p.report(n, "%s: want a whole number from 0 to %d", what, maxNumber)
			return
		}
		*to = v
	}
}

func (p *parser) script(n *yaml.Node) Script {
	var s Script
	found := false
	p.fields(n, "the script", []field{{"steps", func(n *yaml.Node) {
		found = true
		p.list(n, "steps", func(n *yaml.Node) {
			step, match := p.step(n)
			switch {
			case match != nil:
				s.scenes = append(s.scenes, scene{match, []Step{step}})
			case len(s.scenes) > 0:
				last := &s.scenes[len(s.scenes)-1]
				last.steps = append(last.steps, step)
			default:
				s.opening = append(s.opening, step)
			}
		})
	}}})
	if !found && len(p.problems) == 0 {
		p.report(n, "the script has no steps")
	}
	return s
}

func (p *parser) step(n *yaml.Node) (Step, *regexp.Regexp) {
	var s Step
	var match *regexp.Regexp
	delay, before := 0, len(p.problems)
	p.fields(n, "a step", []field{
		{"match", func(n *yaml.Node) {
			var text string
			p.text("match", &text)(n)
			var err error
			if match, err = regexp.Compile(text); err != nil {
				p.report(n, "match: %v", err)
			}
		}},
		{"delayMs", p.number("delayMs", &delay)},
		{"reasoning", p.text("reasoning", &s.Reasoning)},
		{"text", p.text("text", &s.Text)},
		{"toolCalls", func(n *yaml.Node) {
			p.list(n, "toolCalls", func(n *yaml.Node) { s.Calls = append(s.Calls, p.call(n)) })
		}},
		{"error", func(n *yaml.Node) { s.Failure = p.failure(n) }},
	})
	s.Delay = time.Duration(delay) * time.Millisecond
	if len(p.problems) == before && s.Reasoning == "" && s.Text == "" && len(s.Calls) == 0 && s.Failure == nil {
		p.report(n, "the step says nothing: want text, reasoning, toolCalls or error")
	}
	return s, match
}

func (p *parser) call(n *yaml.Node) Call {
	var c Call
	before := len(p.problems)
	p.fields(n, "a tool call", []field{
		{"name", p.text("name", &c.Name)},
		{"args", func(n *yaml.Node) {
			switch {
			case n.Kind == yaml.MappingNode:
				var b strings.Builder
				p.json(&b, n)
				c.Args = b.String()
			case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
				c.Args = n.Value
			default:
				p.report(n, "args: want a mapping, or a string that is sent as it is")
			}
		}},
	})
	if c.Name == "" && len(p.problems) == before {
		p.report(n, "the tool call has no name")
	}
	if c.Args == "" {
		c.Args = "{}"
	}
	return c
}

// codes are those a script can fail with.
func codes() []model.Code {
	return []model.Code{
		model.ModelUnknown, model.Auth, model.Quota, model.InvalidRequest, model.ContextTooLong, model.ContentFilter, model.RateLimited,
		model.Overloaded, model.ServerError, model.Unreachable, model.Timeout, model.StreamCut, model.StreamError,
	}
}

func (p *parser) failure(n *yaml.Node) *Failure {
	f := &Failure{Message: "the script says so"}
	code, retryAfter := "", 0
	at := n
	p.fields(n, "error", []field{
		{"code", func(n *yaml.Node) { at = n; p.text("code", &code)(n) }},
		{"message", p.text("message", &f.Message)},
		{"status", p.number("status", &f.Status)},
		{"retryAfterMs", p.number("retryAfterMs", &retryAfter)},
		{"times", p.number("times", &f.Times)},
	})
	f.RetryAfter = time.Duration(retryAfter) * time.Millisecond
	for _, known := range codes() {
		if code == string(known) {
			f.Code = known
			return f
		}
	}
	p.report(at, "error: the code %q is none of %q", code, codes())
	return f
}

// json writes n as JSON, its keys in their order and its numbers as they are.
func (p *parser) json(b *strings.Builder, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		open, end, stride := "[", "]", 1
		if n.Kind == yaml.MappingNode {
			open, end, stride = "{", "}", 2
		}
		b.WriteString(open)
		for i := 0; i < len(n.Content); i += stride {
			if i > 0 {
				b.WriteString(",")
			}
			if stride == 2 {
				b.WriteString(quote(n.Content[i].Value) + ":")
			}
			p.json(b, n.Content[i+stride-1])
		}
		b.WriteString(end)
	case yaml.ScalarNode:
		b.WriteString(p.scalar(n))
	default:
		p.report(n, "args: aliases cannot be used here; write the value out")
		b.WriteString("null")
	}
}

func (p *parser) scalar(n *yaml.Node) string {
	switch n.ShortTag() {
	case "!!str":
		return quote(n.Value)
	case "!!null":
		return "null"
	}
	if json.Valid([]byte(n.Value)) { // a number or boolean as JSON has it
		return n.Value
	}
	var v any
	if err := n.Decode(&v); err == nil {
		if out, err := json.Marshal(v); err == nil {
			return string(out)
		}
	}
	p.report(n, "args: %s is nothing that JSON has; quote it to make it text", n.Value)
	return "null"
}

func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has its JSON
	return strings.TrimSuffix(b.String(), "\n")
}
