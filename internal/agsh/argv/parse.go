package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A parse is the state of one command line.
type parse struct {
	c        *Command
	given    map[*field][]json.RawMessage
	touched  map[*field]bool // objects with a given leaf
	bad      map[*field]bool // already complained about
	faults   []Fault
	words    []string // operands
	switches []*field // for each operand, the switch directly before it, or nil
	before   *field   // the word just read, if it is a switch
	unknown  bool     // a flag or operand does not exist
	complete bool     // after "--"
}

// Parse reads a command line, without the command's name, into the tool's
// arguments: a JSON object in the order of the schema, with all digits of
// every number. jsonArgs, nil or a JSON object, fills in what the command line
// leaves out; its own members that the schema does not know come last. The
// arguments are checked before they are returned; everything wrong is one
// [*UsageError].
func (c *Command) Parse(args []string, jsonArgs json.RawMessage) (json.RawMessage, error) {
	p := parse{c: c, given: map[*field][]json.RawMessage{}, touched: map[*field]bool{}, bad: map[*field]bool{}}
	for len(args) > 0 {
		args = p.next(args)
	}
	p.place()
	if jsonArgs != nil {
		if _, ok := members(jsonArgs); !ok || !json.Valid(jsonArgs) {
			p.faults = append(p.faults, wrong("--json-args", string(jsonArgs), "a JSON object"))
			jsonArgs = nil
		}
	}
	out := p.object(c.root, jsonArgs)
	if c.validate != nil {
		p.judge(c.validate(out))
	}
	if p.faults == nil {
		return out, nil
	}
	err := &UsageError{Command: c.name, Faults: p.faults}
	if p.unknown {
		for _, f := range c.flags {
			err.Flags = append(err.Flags, strings.TrimSuffix(f.flag+" "+f.placeholder(), " "))
		}
	}
	return nil, err
}

// next reads the first word, with its value if that is the next one, and
// returns the words after it.
func (p *parse) next(args []string) []string {
	word, rest := args[0], args[1:]
	name, value, inline := strings.Cut(word, "=")
	before := p.before
	p.before = nil
	switch {
	case p.complete || word == "-" || !strings.HasPrefix(word, "-"):
		p.words, p.switches = append(p.words, word), append(p.switches, before)
	case word == "--":
		p.complete = true
	case p.c.byFlag[name] != nil:
		return p.flag(p.c.byFlag[name], value, inline, rest)
	case p.c.negated[name] != nil:
		f := p.c.negated[name]
		if inline {
			p.fault(f, Fault{Flag: name, Value: value, Want: "no value", Message: "takes no value; write " + f.flag + "=" + clip(value)})
		} else {
			p.set(f, json.RawMessage("false"))
		}
	case isNumber(word):
		p.words, p.switches = append(p.words, word), append(p.switches, nil)
	default:
		if flags := p.cluster(word); flags != nil {
			return append(flags, rest...)
		}
		p.noFlag(name)
	}
	return rest
}

// flag reads the value of f and returns the words after it.
func (p *parse) flag(f *field, value string, inline bool, rest []string) []string {
	switch {
	case f.form == formBool && !inline:
		p.set(f, json.RawMessage("true"))
		p.before = f
		return rest
	case !inline && (len(rest) == 0 || p.isFlag(rest[0])):
		p.fault(f, missingValue(f.flag))
		return rest
	case !inline:
		value, rest = rest[0], rest[1:]
	}
	p.take(f, f.flag, value)
	return rest
}

// take reads one word for f.
func (p *parse) take(f *field, shown, word string) {
	if f.list && f.kinds&kindArray == 0 && isArray(word) {
		p.fault(f, Fault{
			Flag: shown, Value: word, Want: "one element",
			Message: "takes one element at a time, not a JSON array; repeat it for each element, or pass the list with --json-args",
		})
		return
	}
	v, ok := f.read(word)
	if !ok {
		p.fault(f, wrong(shown, word, f.want()))
		return
	}
	p.set(f, v)
}

func isArray(word string) bool {
	return strings.HasPrefix(strings.TrimSpace(word), "[") && json.Valid([]byte(word))
}

// isFlag reports whether a word stands for itself and is nobody's value.
func (p *parse) isFlag(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return strings.HasPrefix(word, "--") || p.c.byFlag[name] != nil
}

// cluster spells out short flags written together: -in is -i -n, and -A2 is
// -A=2. It is nil if one of them is no flag.
func (p *parse) cluster(word string) []string {
	if strings.HasPrefix(word, "--") {
		return nil
	}
	var flags []string
	for i, r := range word[1:] {
		f := p.c.byFlag["-"+string(r)]
		if f == nil {
			return nil
		}
		if f.form != formBool {
			if after := strings.TrimPrefix(word[1+i+len(string(r)):], "="); after != "" {
				return append(flags, f.flag+"="+after)
			}
		}
		flags = append(flags, f.flag)
	}
	return flags
}

func (p *parse) set(f *field, v json.RawMessage) {
	if p.given[f] != nil && !f.list {
		p.fault(f, Fault{Flag: f.shown(), Value: display(v), Want: "one value", Message: "is given more than once, and takes one value"})
		return
	}
	p.given[f] = append(p.given[f], v)
	for up := f.parent; up != nil; up = up.parent {
		p.touched[up] = true
	}
}

// fault complains about f.
func (p *parse) fault(f *field, fault Fault) {
	p.bad[f] = true
	for up := f.parent; up != nil; up = up.parent {
		p.touched[up] = true
	}
	p.faults = append(p.faults, fault)
}

// noFlag complains about a flag that does not exist.
func (p *parse) noFlag(name string) {
	p.unknown = true
	fault := Fault{Flag: name, Want: "one of the flags of " + p.c.name, Message: "no such flag"}
	var names []string
	for _, f := range p.c.flags {
		names = append(names, f.flag)
	}
	for no := range p.c.negated {
		names = append(names, no)
	}
	slices.Sort(names[len(p.c.flags):])
	operand := slices.IndexFunc(p.c.operands, func(f *field) bool { return kebab(f.name) == kebab(name) })
	if near := suggest(name, names); operand >= 0 {
		fault.Message = "no such flag; " + p.c.operands[operand].operand + " is given without one"
	} else if object := p.c.root.object(name); object != nil {
		var parts []string
		for _, leaf := range object.leaves() {
			parts = append(parts, leaf.flag)
		}
		fault.Message = "no such flag; " + object.property() + " is an object, given by " + strings.Join(cutList(parts), ", ")
	} else if !strings.HasPrefix(name, "--") && len(p.c.operands) > 0 {
		fault.Message = "no such flag; if it is an operand, write it after --"
	} else if near != "" {
		fault.Message = "no such flag; did you mean " + near + "?"
	}
	p.faults = append(p.faults, fault)
}

// place gives the operands their words. A list at the end takes all that are
// left.
func (p *parse) place() {
	words, switches := p.words, p.switches
	for i, f := range p.c.operands {
		last := i == len(p.c.operands)-1
		for n := 0; len(words) > 0 && (n == 0 || last && f.list); n++ {
			p.take(f, f.operand, words[0])
			words, switches = words[1:], switches[1:]
		}
	}
	if p.unknown {
		return // what is too many may have been the value of a flag that does not exist
	}
	for i, word := range words {
		p.unknown = true
		var names []string
		for _, f := range p.c.operands {
			names = append(names, f.operand)
		}
		message := "the command takes no operands; give every value with its flag"
		if names != nil {
			message = "one operand too many; the command takes " + strings.Join(names, " ")
		}
		if _, ok := truth(word); ok && switches[i] != nil {
			message = "a switch takes no word after it; write " + switches[i].flag + "=" + word
		}
		p.faults = append(p.faults, Fault{Flag: clip(word), Value: word, Want: "no operand here", Message: message})
	}
}

// object writes an object: what the flags say, else what base says, in the
// order of the schema. It complains about what is required and missing.
func (p *parse) object(f *field, base json.RawMessage) json.RawMessage {
	have, _ := members(base)
	byName := make(map[string]json.RawMessage, len(have))
	for _, m := range have {
		byName[m.name] = m.raw
	}
	out := []byte{'{'}
	write := func(name string, v json.RawMessage) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(name)...), ':'), compact(v)...)
	}
	for _, child := range f.children {
		switch v := p.value(child, byName[child.name]); {
		case v != nil:
			write(child.name, v)
		case child.required && !p.bad[child] && child.fallback != "":
			write(child.name, quote(child.fallback))
		case !p.bad[child] && p.needed(child):
			p.missing(child)
		}
	}
	for _, m := range have {
		if f.byName[m.name] == nil {
			write(m.name, m.raw)
		}
	}
	return append(out, '}')
}

// value is what f is set to, nil for nothing.
func (p *parse) value(f *field, base json.RawMessage) json.RawMessage {
	switch {
	case f.form == formObject && (p.touched[f] || base != nil && kindOf(base) == kindObject):
		if kindOf(base) != kindObject {
			base = nil
		}
		return p.object(f, base)
	case p.given[f] == nil:
		return base
	case f.list:
		list := []byte{'['}
		for i, v := range p.given[f] {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, v...)
		}
		return append(list, ']')
	}
	return p.given[f][0]
}

// needed reports whether f must be given. Of an operand the synopsis tells, not
// the schema; of one that may be left out the validator has the last word.
func (p *parse) needed(f *field) bool {
	if i := slices.Index(p.c.operands, f); i >= 0 {
		return !p.c.shown[i].Optional
	}
	return f.required
}

// missing complains about a required field: by the flags without which it
// cannot be built, or by all that could.
func (p *parse) missing(f *field) {
	var need, could []*field
	for _, leaf := range f.leaves() {
		could = append(could, leaf)
		if leaf.neededWithin(f) {
			need = append(need, leaf)
		}
	}
	p.bad[f] = true
	if len(need) == 0 && len(could) > 0 {
		var names []string
		for _, leaf := range could {
			names = append(names, leaf.shown())
		}
		p.faults = append(p.faults, Fault{
			Flag: f.property(), Want: "a value",
			Message: "is required; give at least one of " + strings.Join(cutList(names), ", "),
		})
	}
	for _, leaf := range need {
		p.bad[leaf] = true
		p.faults = append(p.faults, Fault{
			Flag: leaf.shown(), Want: leaf.want(), Message: "is required and missing; it must be " + leaf.want(),
		})
	}
}

// neededWithin reports whether f is required as soon as the object top is.
func (f *field) neededWithin(top *field) bool {
	for ; f != top; f = f.parent {
		if !f.required {
			return false
		}
	}
	return true
}

// judge takes over what the validator finds and is not known yet. Once the
// command line itself is wrong, only what is said about values that were given
// counts: the rest may follow from what could not be read.
func (p *parse) judge(problems []Problem) {
	clean := p.faults == nil
	for _, problem := range problems {
		f, rest := p.find(problem.Path)
		if p.reported(f) || !clean && p.given[f] == nil {
			continue
		}
		fault := Fault{Flag: f.shown(), Value: problem.Value, Want: problem.Want, Message: problem.Message}
		switch {
		case f == p.c.root && rest == "":
			fault.Flag = ""
		case f == p.c.root:
			fault.Flag = rest[1:]
		case rest != "" && f.form == formObject:
			fault.Flag += strings.ReplaceAll(rest, "/", ".")
		case rest != "" && f.list && strings.Count(rest, "/") == 1:
			fault.Flag += fmt.Sprintf(" (element %s)", rest[1:])
		case rest != "":
			fault.Flag += " at " + rest
		}
		p.faults = append(p.faults, fault)
	}
}

// reported reports whether f, what is around it or something in it has been
// complained about.
func (p *parse) reported(f *field) bool {
	for up := f; up != nil; up = up.parent {
		if p.bad[up] {
			return true
		}
	}
	return f.parent != nil && f.form == formObject && slices.ContainsFunc(f.leaves(), func(leaf *field) bool { return p.bad[leaf] })
}

// find follows a JSON pointer to the field it names and returns what is left
// of it.
func (p *parse) find(pointer string) (f *field, rest string) {
	f = p.c.root
	tokens := pointerTokens(pointer)
	for len(tokens) > 0 && f.byName[tokens[0]] != nil {
		f, tokens = f.byName[tokens[0]], tokens[1:]
	}
	for _, t := range tokens {
		rest += "/" + t
	}
	return f, rest
}
