// Package argv turns the JSON Schema of a tool's input into a command line,
// and a command line into the tool's arguments. It is pure: nothing is read,
// called or printed.
//
// # Words
//
// A word that starts with "--", or that is a flag of the command, is a flag
// up to a "--" on its own; it is never taken as the value of a flag before it.
// Every other word after a flag that wants a value is that value, even if it
// starts with a dash: "--offset -5". Any value can be written "--flag=value".
//
// Properties named like short flags keep their names, and work as short flags
// do: "-A 2", "-A2", "-A=2", and "-in" for "-i -n" where -i takes no value.
// What starts with one dash and is neither a flag nor a number is an error
// where an operand could stand; write "-- -x" to pass it.
//
// A list takes one flag per element and has no other separator. A flag that is
// no list is given once.
package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Spec is a tool as a command.
type Spec struct {
	Name     string
	Input    json.RawMessage // its JSON Schema
	Operands []Operand
	// Validate tells everything wrong with arguments; nil means that nothing
	// is checked beyond what flags alone can tell.
	Validate func(json.RawMessage) []Problem
}

// A Problem is one thing wrong with arguments, as a validator sees it.
type Problem struct {
	Path    string // JSON pointer
	Value   string // JSON, "" when missing
	Want    string // "an integer"
	Message string // completes a sentence that starts with the property's name
}

// An Operand is a property given by position and not by flag.
type Operand struct {
	Name     string // as shown: path
	Field    string // the top-level property it fills
	Optional bool
	// Fallback, if not empty, is the word an optional operand has when it is
	// left out and the schema requires it.
	Fallback string
}

// String is the operand as a synopsis shows it: <path> or [path].
func (o Operand) String() string {
	if o.Optional {
		return "[" + o.Name + "]"
	}
	return "<" + o.Name + ">"
}

// A Flag is one flag as help shows it. All but its name is the schema's own
// text, to be escaped before it is shown.
type Flag struct {
	Name        string   // --telemetry-context
	Property    string   // telemetry.context; a name that would be misread is quoted
	Type        string   // "integer"; of a list, that of an element; "any"; "string or integer"
	Placeholder string   // <integer>; "" for a switch
	Negation    string   // the flag that sets a switch to false, "" without one
	Description string   // markdown
	Default     string   // "" without one, or if it is null
	Enum        []string // the only values, as they are typed; "" is shown as two quotes
	Limits      []string // what a value must be beyond its type: "at most 100", "1 to 200 characters"
	ListLimits  []string // what a list must be as a whole: "at most 50 elements"
	Fields      []Field  // of an object that is given as JSON, if its schema names any
	Required    bool     // the command does not run without it
	Repeated    bool     // a list: one flag per element
	Renamed     bool     // its name does not tell the property: it was taken, or there is none
}

// A Field is one property of an object that is given as JSON; its texts are
// like those of a [Flag].
type Field struct {
	Name, Type, Description, Default string
	Enum, Limits, ListLimits         []string
	Required                         bool
}

// An OperandDoc is an operand as help shows it.
type OperandDoc struct {
	Operand
	Type, Description, Default string
	Enum, Limits               []string
}

// A Command reads the command lines of one tool. It never changes and is safe
// for concurrent use.
type Command struct {
	name     string
	input    json.RawMessage
	root     *field
	flags    []*field // in schema order
	byFlag   map[string]*field
	negated  map[string]*field // --no-x to x
	operands []*field
	shown    []Operand
	validate func(json.RawMessage) []Problem
}

const (
	maxSteps   = 50_000 // subschemas looked at
	maxFlatten = 12     // levels of objects that become flags
	maxLeaves  = 5_000  // flags, beyond which an object is one JSON value
)

// Compile makes the command of a tool. Whatever the schema is, the command
// works: what has no flag is set with --json-args. It fails only if an operand
// names no property.
func Compile(spec Spec) (*Command, error) {
	c := &Command{
		name: spec.Name, input: spec.Input, shown: spec.Operands, validate: spec.Validate,
		root: &field{form: formObject}, byFlag: map[string]*field{}, negated: map[string]*field{},
		operands: make([]*field, len(spec.Operands)),
	}
	b := builder{c: c, reader: newReader(spec.Input)}
	b.fill(c.root, b.reader.whole(), 0)
	for i, f := range c.operands {
		if f == nil {
			return nil, fmt.Errorf("compile command %s: operand %s: the schema has no property %q",
				spec.Name, spec.Operands[i].Name, spec.Operands[i].Field)
		}
	}
	c.assign()
	return c, nil
}

// A builder makes the fields of a command.
type builder struct {
	c      *Command
	reader reader
	leaves int
}

// fill makes the children of an object.
func (b *builder) fill(parent *field, s shape, depth int) {
	required := map[string]bool{}
	for _, name := range s.required {
		required[name] = true
	}
	parent.byName = map[string]*field{}
	b.leaves += len(s.props)
	for _, p := range s.props {
		b.add(parent, p, required[p.name], depth)
	}
	for _, name := range s.required {
		if parent.byName[name] == nil { // required, and not said to be anything
			b.add(parent, property{name: name}, true, depth)
		}
	}
}

func (b *builder) add(parent *field, p property, required bool, depth int) {
	f := &field{
		name: p.name, parent: parent, required: required,
		path: append(slices.Clip(parent.path), p.name),
	}
	parent.children = append(parent.children, f)
	parent.byName[p.name] = f
	s := b.reader.shape(p)
	f.about, f.preset = s.about, s.preset
	operand := -1
	for i, o := range b.c.shown {
		if parent == b.c.root && o.Field == p.name && b.c.operands[i] == nil {
			operand = i
			break
		}
	}
	if s.kinds == kindObject && s.props != nil && !s.loop && s.enum == nil &&
		operand < 0 && depth < maxFlatten && b.leaves < maxLeaves {
		f.form = formObject
		b.fill(f, s, depth+1)
		return
	}
	f.accept(b, p, s)
	if operand >= 0 {
		f.operand = b.c.shown[operand].String()
		f.fallback = b.c.shown[operand].Fallback
		b.c.operands[operand] = f
		return
	}
	b.c.flags = append(b.c.flags, f)
}

// Flags returns the command's flags in schema order.
func (c *Command) Flags() []Flag {
	list := make([]Flag, len(c.flags))
	b := builder{c: c, reader: newReader(c.input)}
	for i, f := range c.flags {
		list[i] = Flag{
			Name: f.flag, Property: f.property(), Type: f.typeName(), Placeholder: f.placeholder(),
			Description: f.about, Default: f.defaultText(), Enum: f.choices(),
			Limits: f.limits.value, ListLimits: f.limits.list, Fields: b.fields(f),
			Required: f.needed(), Repeated: f.list, Renamed: f.renamed,
		}
		if no := "--no-" + strings.TrimPrefix(f.flag, "--"); c.negated[no] == f {
			list[i].Negation = no
		}
	}
	return list
}

// Operands returns the command's operands in order.
func (c *Command) Operands() []OperandDoc {
	list := make([]OperandDoc, len(c.operands))
	for i, f := range c.operands {
		list[i] = OperandDoc{
			Operand: c.shown[i], Type: f.typeName(), Description: f.about,
			Default: f.defaultText(), Enum: f.choices(), Limits: f.limits.value,
		}
	}
	return list
}

// fields are those of the object that a word of f is; none if its schema is
// no plain object.
func (b *builder) fields(f *field) []Field {
	if f.form != formJSON {
		return nil
	}
	s := b.reader.shape(f.value)
	if s.kinds&^kindNull != kindObject {
		return nil
	}
	var list []Field
	for _, p := range s.props {
		inner := field{name: p.name, path: []string{p.name}}
		shape := b.reader.shape(p)
		inner.about, inner.preset = shape.about, shape.preset
		inner.accept(b, p, shape)
		kind := inner.typeName()
		if inner.list {
			kind = "array of " + kind
		}
		list = append(list, Field{
			Name: inner.property(), Type: kind, Description: inner.about, Default: inner.defaultText(), Enum: inner.choices(),
			Limits: inner.limits.value, ListLimits: inner.limits.list, Required: slices.Contains(s.required, p.name),
		})
	}
	return list
}
