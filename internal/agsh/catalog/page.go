package catalog

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"agsh.dev/api"
	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/manpage"
)

// Index is the listing of all commands: the agent's own first, then a group
// for each upstream connector.
func Index(info api.Info, list api.ToolList) manpage.Index {
	index := manpage.Index{
		Name: info.Name, Description: info.Description,
		Footer: "Run any command with --help for its synopsis and options.",
	}
	groups := map[string][]manpage.Row{}
	for _, t := range list.Tools {
		header := t.Source.Connector
		if header == "" {
			header = t.Source.Connection
		}
		groups[header] = append(groups[header], manpage.Row{Name: t.Name, Title: t.Title})
	}
	var headers []string
	for header, rows := range groups {
		sort.SliceStable(rows, func(i, j int) bool { return strings.ToLower(rows[i].Name) < strings.ToLower(rows[j].Name) })
		if header != "" {
			headers = append(headers, header)
		}
	}
	sort.Strings(headers)
	if rows := groups[""]; len(rows) > 0 {
		index.Groups = append(index.Groups, manpage.Group{Header: "COMMANDS", Rows: rows})
	}
	for _, header := range headers {
		index.Groups = append(index.Groups, manpage.Group{Header: strings.ToUpper(header), Rows: groups[header]})
	}
	for _, u := range list.Unavailable {
		index.Unavailable = append(index.Unavailable, manpage.Row{Name: u.Connection, Title: u.Error})
	}
	return index
}

// Page is the command's manual.
func (c *Command) Page() manpage.Page {
	d := c.Detail
	p := manpage.Page{Name: d.Name, Title: d.Title, Synopsis: c.synopsis(), Description: d.Description}
	for _, o := range c.Args.Operands() {
		p.Operands = append(p.Operands, manpage.Entry{
			Term: o.String(), Text: o.Description, Facts: facts(sentence(o.Limits), oneOf(o.Enum), byDefault(o.Default)),
		})
	}
	for _, f := range c.Args.Flags() {
		p.Options = append(p.Options, option(f))
	}
	p.Notes = notes(d)
	return p
}

// synopsis has the operands by name; options never enumerate, so that the
// line stays short.
func (c *Command) synopsis() string {
	words := []string{c.Detail.Name}
	if len(c.Args.Flags()) > 0 {
		words = append(words, "[options...]")
	}
	for _, o := range c.Args.Operands() {
		words = append(words, o.String())
	}
	return strings.Join(words, " ")
}

func term(f argv.Flag) string {
	t := f.Name
	if f.Negation != "" {
		t += ", " + f.Negation
	}
	if f.Placeholder != "" {
		t += " " + f.Placeholder
	}
	return t
}

// option is what help says of a flag: the schema's own words, then the facts
// that typing it needs.
func option(f argv.Flag) manpage.Entry {
	var required, repeat, property, fields string
	if f.Required {
		required = "Required."
	}
	if f.Repeated {
		repeat = "Repeat it for each element."
	}
	if f.Renamed {
		property = "Sets the property " + f.Property + "."
	}
	e := manpage.Entry{Term: term(f), Text: f.Description}
	for _, field := range f.Fields {
		fields = "The fields of the object:"
		need := ""
		if field.Required {
			need = "Required."
		}
		e.Fields = append(e.Fields, manpage.Entry{
			Term:  field.Name + " <" + strings.ReplaceAll(field.Type, " or ", "|") + ">",
			Text:  field.Description,
			Facts: facts(need, sentence(field.ListLimits), sentence(field.Limits), oneOf(field.Enum), byDefault(field.Default)),
		})
	}
	e.Facts = facts(required, repeat, sentence(f.ListLimits), property, sentence(f.Limits), oneOf(f.Enum), byDefault(f.Default), fields)
	return e
}

// facts puts sentences together; those that say nothing are left out.
func facts(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// sentence is one of the limits of a value.
func sentence(limits []string) string {
	s := strings.Join(limits, ", ")
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func oneOf(enum []string) string {
	if len(enum) == 0 {
		return ""
	}
	return "One of: " + strings.Join(enum, ", ") + "."
}

func byDefault(preset string) string {
	if preset == "" {
		return ""
	}
	return "Default: " + preset + "."
}

// effects says what an effect means to the person who calls.
var effects = map[string]string{
	"read":  "Effect: read (performs no writes).",
	"write": "Effect: write (changes something outside the agent's session).",
}

func notes(d api.ToolDetail) []string {
	var out []string
	if d.Effect != "" {
		note, ok := effects[d.Effect]
		if !ok {
			note = "Effect: " + d.Effect + "."
		}
		out = append(out, note)
	}
	if n := approvalNote(d.Approval); n != "" {
		out = append(out, n)
	}
	switch {
	case d.Source.Connector != "":
		out = append(out, "Source: "+d.Source.Connector+" (connection "+d.Source.Connection+").")
	case d.Source.Connection != "":
		out = append(out, "Source: connection "+d.Source.Connection+".")
	case d.Source.Kind != "":
		out = append(out, "Source: "+d.Source.Kind+".")
	}
	return out
}

func approvalNote(raw json.RawMessage) string {
	var mode string
	if json.Unmarshal(raw, &mode) == nil {
		switch mode {
		case "once":
			return "Approval: asked at the first call of a session."
		case "always":
			return "Approval: asked at every call."
		}
		return ""
	}
	var when struct {
		When map[string]string `json:"when"`
	}
	if json.Unmarshal(raw, &when) != nil || len(when.When) == 0 {
		return ""
	}
	var parts []string
	for field, glob := range when.When {
		parts = append(parts, field+" matches "+glob)
	}
	sort.Strings(parts)
	return "Approval: asked when " + strings.Join(parts, " and ") + "."
}

// FirstSentence is the beginning of a description, for a listing.
func FirstSentence(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSuffix(line, ".")
}
