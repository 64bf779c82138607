// Package filetools makes the native file tools, Read, LS, Grep and Glob,
// from a file tree.
package filetools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agsh.dev/agent"
	"agsh.dev/event"
	"agsh.dev/vfs"
)

// native is one tool: what is said of it, and how it runs on a tree.
type native struct {
	name        string
	title       string
	description string
	kind        string // of its Display
	fields      fields
	run         func(ctx context.Context, tree vfs.FileSystem, args arguments) (agent.Result, error)
}

// bind makes the run of a native from a function of decoded arguments.
func bind[In any](run func(context.Context, vfs.FileSystem, In) (agent.Result, error)) func(context.Context, vfs.FileSystem, arguments) (agent.Result, error) {
	return func(ctx context.Context, tree vfs.FileSystem, args arguments) (agent.Result, error) {
		var in In
		if err := json.Unmarshal(encode(args), &in); err != nil {
			return agent.Result{}, fmt.Errorf("decode arguments: %w", err)
		}
		return run(ctx, tree, in)
	}
}

// natives returns every tool, in the order they are shown.
func natives() []native {
	return []native{readTool(), lsTool(), grepTool(), globTool()}
}

// Tools returns the tools of those names, made from tree and in a fixed
// order. Nil names mean all. A name that is none of the tools is an error
// that lists them.
//
// The tools may be called by many goroutines at once. Besides the fields of
// its schema each takes the other names that models use for them, and refuses
// any further field.
func Tools(tree vfs.FileSystem, names []string) ([]Tool, error) {
	all := natives()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(n native) bool { return n.name == name }) {
			return nil, fmt.Errorf("native tool %q is unknown; known are %s", name, nameList(all))
		}
	}
	out := []Tool{}
	for _, n := range all {
		if names == nil || slices.Contains(names, n.name) {
			out = append(out, Tool{Func: n.on(tree), Canonical: n.canonical})
		}
	}
	return out, nil
}

// A Tool is one file tool over one tree.
type Tool struct {
	agent.Func
	// Canonical returns arguments with every alias replaced by the field it
	// stands for, so that they can be held against the tool's input schema.
	// Values stay as they are. Arguments that are no object of known fields
	// are returned as they are.
	Canonical func(args json.RawMessage) json.RawMessage
}

func (n native) canonical(args json.RawMessage) json.RawMessage {
	given, err := n.fields.rename(args)
	if err != nil {
		return args
	}
	return encode(given)
}

// on is the tool over one tree.
func (n native) on(tree vfs.FileSystem) agent.Func {
	return agent.Func{
		Definition: agent.Definition{
			Name:        n.name,
			Title:       n.title,
			Description: strings.TrimSpace(n.description),
			Input:       n.fields.schema(),
			Effect:      agent.Read,
			Display:     &agent.Display{Kind: n.kind},
		},
		Run: func(ctx context.Context, raw json.RawMessage) (agent.Result, error) {
			args, err := n.fields.decode(raw)
			if err == nil {
				err = n.fields.complete(args)
			}
			if err != nil {
				return agent.Result{}, fmt.Errorf("%s: %w", n.name, err)
			}
			return n.run(ctx, tree, args)
		},
	}
}

func nameList(all []native) string {
	var names []string
	for _, n := range all {
		names = append(names, n.name)
	}
	return strings.Join(names, ", ")
}

// text is a result that is one piece of text. Where nothing was found it is
// empty, as that of the Unix tools: a sentence could be taken for content.
func text(s string) agent.Result {
	return agent.Result{Content: []event.Block{event.Text(s)}}
}

// shown is a name or a path on a line of its own or with other columns. One
// that could be taken for more than it is, for its control characters or the
// quote at its start, is written as a JSON string.
func shown(name string) string {
	if strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, unicode.IsControl) {
		return string(encode(name))
	}
	return name
}
