package agentdir

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/internal/schema"
)

// schema reads a JSON Schema of an object, with the order of its properties
// and its numbers as they are written.
func (d document) schema(v *yaml.Node, what string) json.RawMessage {
	if v.Kind != yaml.MappingNode {
		d.report(d.at(v), SchemaInvalid, "write a JSON Schema, such as {type: object, properties: {…}}", "%s: want a JSON Schema, got %s", what, describe(v))
		return nil
	}
	before := len(d.problems)
	if kind := value(v, "type"); kind == nil {
		d.report(d.at(v), SchemaInvalid, "add type: object", "%s: the schema has no type; it must be that of an object", what)
	} else if kind.Kind != yaml.ScalarNode || kind.Value != "object" {
		d.report(d.at(kind), SchemaInvalid, "write type: object", "%s: the schema must be that of an object, not of %s", what, describe(kind))
	}
	d.subschema(v, what)
	if len(d.problems) > before {
		return nil
	}
	raw := d.jsonOf(v, what)
	if raw == nil {
		return nil
	}
	compiled, err := schema.Compile(raw)
	if err != nil {
		d.report(d.at(v), SchemaInvalid, "", "%s: %s", what, err)
		return nil
	}
	for _, dropped := range compiled.Dropped() {
		pointer, _, _ := strings.Cut(dropped, ": ")
		d.report(d.at(follow(v, pointer)), SchemaIgnored, "", "%s: %s", what, dropped)
	}
	return raw
}

// follow returns the node that a JSON pointer leads to, or the last one on
// the way there.
func follow(n *yaml.Node, pointer string) *yaml.Node {
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		next := value(n, segment)
		if i, err := strconv.Atoi(segment); err == nil && n.Kind == yaml.SequenceNode && i >= 0 && i < len(n.Content) {
			next = n.Content[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// schemaTypes are the names that type may have.
var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// keyword returns the check of the shape of a keyword: those that hold other
// schemas and those that authors get wrong most. It is nil for others.
func (d document) keyword(name string) func(v *yaml.Node, at string) {
	switch name {
	case "type":
		return d.schemaType
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return d.schemaMap
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
		return d.subschema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return d.schemaList
	case "required":
		return d.required
	case "enum":
		return func(v *yaml.Node, at string) {
			d.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of values", "write a list")
		}
	case "description", "title", "pattern", "format", "$ref":
		return func(v *yaml.Node, at string) { d.shaped(v, isString(v), at, "a string", "put it in quotes") }
	}
	return nil
}

// shaped reports a value that has not the shape it must have.
func (d document) shaped(v *yaml.Node, ok bool, at, want, fix string) bool {
	if !ok {
		d.report(d.at(v), SchemaInvalid, fix, "%s: want %s, got %s", at, want, describe(v))
	}
	return ok
}

func isString(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// subschema checks a schema within a schema.
func (d document) subschema(v *yaml.Node, at string) {
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool" {
		return
	}
	if v.Kind == yaml.SequenceNode && strings.HasSuffix(at, ".items") {
		d.schemaList(v, at) // as drafts before 2020 say prefixItems
		return
	}
	if !d.shaped(v, v.Kind == yaml.MappingNode, at, "a schema", "") {
		return
	}
	for k, v := range pairs(v) {
		if check := d.keyword(k.Value); check != nil {
			check(v, at+"."+k.Value)
		}
	}
}

func (d document) schemaMap(v *yaml.Node, at string) {
	if d.shaped(v, v.Kind == yaml.MappingNode, at, "a mapping of names to schemas", "") {
		for name, sub := range pairs(v) {
			d.subschema(sub, at+"."+name.Value)
		}
	}
}

func (d document) schemaList(v *yaml.Node, at string) {
	if d.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of schemas", "") {
		for _, sub := range v.Content {
			d.subschema(sub, at)
		}
	}
}

func (d document) schemaType(v *yaml.Node, at string) {
	names := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		names = v.Content
	}
	for _, n := range names {
		if isString(n) && slices.Contains(schemaTypes, n.Value) {
			continue
		}
		fix := ""
		if isNull(n) {
			fix = `put it in quotes: "null"`
		} else if guess := near(n.Value, schemaTypes); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		d.report(d.at(n), SchemaInvalid, fix, "%s: want %s, got %s", at, orList(schemaTypes), describe(n))
	}
}

func (d document) required(v *yaml.Node, at string) {
	if d.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of names", "write a list of names in the object's schema, such as required: [path]") {
		for _, n := range v.Content {
			d.shaped(n, isString(n), at, "a name", "put it in quotes")
		}
	}
}
