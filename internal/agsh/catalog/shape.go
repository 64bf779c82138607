package catalog

import (
	"encoding/json"
	"slices"
	"strings"

	"agsh.dev/internal/agsh/argv"
	"agsh.dev/internal/agsh/view"
)

// A shape is the hand-made command of a well-known tool: which fields are
// operands, and how its result prints.
type shape struct {
	operands []operand
	view     view.Shape
}

// An operand names the fields it may bind, in order of preference: the first
// the live schema has is taken.
type operand struct {
	name     string
	optional bool
	// fallback stands for an optional operand that the schema requires.
	fallback string
	fields   []string
}

// shapes are the curated commands, by lower-case tool name.
var shapes = map[string]shape{
	"read": {
		operands: []operand{{name: "path", fields: []string{"path", "file_path", "filePath", "target_file"}}},
		view:     "read",
	},
	"ls": {
		operands: []operand{{name: "path", optional: true, fallback: ".", fields: []string{"path", "target_directory", "dir"}}},
		view:     "ls",
	},
	"grep": {
		operands: []operand{
			{name: "pattern", fields: []string{"pattern", "query"}},
			{name: "path", optional: true, fields: []string{"path", "dir"}},
		},
		view: "grep",
	},
	"glob": {
		operands: []operand{
			{name: "pattern", fields: []string{"pattern", "glob_pattern"}},
			{name: "dir", optional: true, fields: []string{"dir", "path", "target_directory"}},
		},
		view: "glob",
	},
	"diff":           {operands: []operand{{name: "path", optional: true, fields: []string{"path"}}}},
	"write":          {operands: []operand{{name: "path", fields: []string{"path", "file_path"}}}},
	"strreplace":     {operands: []operand{{name: "path", fields: []string{"path", "file_path"}}}},
	"delete":         {operands: []operand{{name: "path", fields: []string{"path", "file_path"}}}},
	"semanticsearch": {operands: []operand{{name: "query", fields: []string{"query"}}}},
}

// bind fits the curated shape of a tool to its live schema. A tool without a
// shape, or whose schema lacks a field that an operand needs, gets none: it
// is a generic command. An operand the schema makes required is required,
// unless there is a word to stand for it.
func bind(name string, input json.RawMessage) ([]argv.Operand, view.Shape) {
	s, ok := shapes[strings.ToLower(name)]
	if !ok {
		return nil, ""
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(input, &schema) != nil {
		return nil, ""
	}
	var out []argv.Operand
	taken := map[string]bool{}
	for _, o := range s.operands {
		field := ""
		for _, f := range o.fields {
			if _, ok := schema.Properties[f]; ok && !taken[f] {
				field = f
				break
			}
		}
		if field == "" {
			return nil, ""
		}
		taken[field] = true
		optional := o.optional && (o.fallback != "" || !slices.Contains(schema.Required, field))
		out = append(out, argv.Operand{Name: o.name, Field: field, Optional: optional, Fallback: o.fallback})
	}
	return out, s.view
}
