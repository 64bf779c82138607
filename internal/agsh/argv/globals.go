package argv

import (
	"fmt"
	"slices"
	"strings"
)

// Globals are the values of the flags that every command has.
type Globals struct {
	Target, Team, BearerToken  string
	Session, ContinuationToken string
	Output                     string // "", "text" or "json"
	JSONArgs                   string // JSON, @file or -, unread
	Approve, Help              bool
	// Set has the flags that were given, by their long names: "--target".
	Set map[string]bool
}

// global is one reserved flag: value names the field it fills, on the switch
// it turns.
type global struct {
	names []string // the first is the long one
	value func(*Globals) *string
	on    func(*Globals) *bool
	want  []string // the only values, if there are few
}

// reserved is the whole list. A property never gets one of these names.
var reserved = []global{
	{names: []string{"--target"}, value: func(g *Globals) *string { return &g.Target }},
	{names: []string{"--team"}, value: func(g *Globals) *string { return &g.Team }},
	{names: []string{"--bearer-token"}, value: func(g *Globals) *string { return &g.BearerToken }},
	{names: []string{"--session"}, value: func(g *Globals) *string { return &g.Session }},
	{names: []string{"--continuation-token"}, value: func(g *Globals) *string { return &g.ContinuationToken }},
	{names: []string{"--output"}, value: func(g *Globals) *string { return &g.Output }, want: []string{"text", "json"}},
	{names: []string{"--json-args"}, value: func(g *Globals) *string { return &g.JSONArgs }},
	{names: []string{"--approve"}, on: func(g *Globals) *bool { return &g.Approve }},
	{names: []string{"--help", "-h"}, on: func(g *Globals) *bool { return &g.Help }},
}

func findGlobal(name string) *global {
	for i := range reserved {
		if slices.Contains(reserved[i].names, name) {
			return &reserved[i]
		}
	}
	return nil
}

// SplitGlobals takes the reserved flags out of args, wherever they stand
// before a "--", and returns the rest in order. A flag given twice keeps its
// last value. A missing or empty value and an unknown --output are a
// [*UsageError] with all of them.
func SplitGlobals(args []string) (g Globals, rest []string, err error) {
	g.Set = map[string]bool{}
	var faults []Fault
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		f := findGlobal(name)
		switch {
		case args[i] == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
			continue
		case f == nil:
			rest = append(rest, args[i])
			continue
		case f.on != nil:
			faults = f.turn(&g, name, value, inline, faults)
		default:
			if !inline && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") && findGlobal(args[i+1]) == nil {
				i++
				value, inline = args[i], true
			}
			faults = f.fill(&g, name, value, inline, faults)
		}
		g.Set[f.names[0]] = true
	}
	if faults != nil {
		return g, rest, &UsageError{Faults: faults}
	}
	return g, rest, nil
}

func (f *global) turn(g *Globals, name, value string, inline bool, faults []Fault) []Fault {
	on, ok := truth(value)
	if inline && !ok {
		return append(faults, wrong(name, value, "true or false"))
	}
	*f.on(g) = !inline || on
	return faults
}

func (f *global) fill(g *Globals, name, value string, given bool, faults []Fault) []Fault {
	switch {
	case !given:
		return append(faults, missingValue(name))
	case value == "":
		// An unset variable in a script must not silently choose a default.
		return append(faults, Fault{Flag: name, Want: "a value", Message: "has an empty value"})
	case f.want != nil && !slices.Contains(f.want, value):
		return append(faults, wrong(name, value, strings.Join(f.want, " or ")))
	}
	*f.value(g) = value
	return faults
}

func missingValue(flag string) Fault {
	return Fault{Flag: flag, Want: "a value", Message: "missing value; write " + flag + "=VALUE"}
}

func wrong(flag, value, want string) Fault {
	return Fault{Flag: flag, Value: value, Want: want, Message: fmt.Sprintf("must be %s, not %s", want, refused(value))}
}
