package catalog

import (
	"encoding/json"
	"fmt"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/view"
	"agsh.dev/internal/schema"
)

// A Command is one tool as an operator types it. It never changes.
type Command struct {
	Detail api.ToolDetail
	Args   *argv.Command
	// Shape is how the results of a well-known tool print.
	Shape view.Shape
}

// Operand returns the value that args, the arguments of a call, give the
// operand shown as name; "" without one.
func (c *Command) Operand(name string, args json.RawMessage) string {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return ""
	}
	for _, o := range c.Args.Operands() {
		var value string
		if o.Name == name && json.Unmarshal(given[o.Field], &value) == nil {
			return value
		}
	}
	return ""
}

// NewCommand makes the command of a tool: curated when the tool is well known
// and its schema fits, generated from the schema otherwise.
func NewCommand(d api.ToolDetail) (*Command, error) {
	operands, shape := bind(d.Name, d.InputSchema)
	args, err := argv.Compile(argv.Spec{
		Name: d.Name, Input: d.InputSchema, Operands: operands, Validate: validator(d.InputSchema),
	})
	if err != nil {
		return nil, fmt.Errorf("tool %s: its input schema cannot be read: %w", d.Name, err)
	}
	return &Command{Detail: d, Args: args, Shape: shape}, nil
}

// validator checks arguments against a schema that is compiled on first use.
// A schema that cannot be compiled checks nothing here: the server still does.
func validator(input json.RawMessage) func(json.RawMessage) []argv.Problem {
	return func(args json.RawMessage) []argv.Problem {
		s, err := schema.Compile(input)
		if err != nil {
			return nil
		}
		var out []argv.Problem
		for _, p := range s.Validate(args) {
			out = append(out, argv.Problem{Path: p.Path, Value: p.Value, Want: p.Want, Message: p.Message})
		}
		return out
	}
}
