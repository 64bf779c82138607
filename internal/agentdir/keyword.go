package agentdir

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A check looks at the value of a keyword.
type check func(c *schemaChecker, v *yaml.Node, at spot)

// keywords are all keywords of JSON Schema, with those of drafts before
// 2020-12 that are still in use.
func keywords() map[string]check {
	words := map[string]check{
		"type": (*schemaChecker).schemaType, "required": (*schemaChecker).names,
		"const": anything, "default": anything, "$vocabulary": anything, "dependencies": anything, "dependentRequired": anything,
		"enum": list, "examples": list,
		"prefixItems": (*schemaChecker).elements, "items": (*schemaChecker).items,
		"dependentSchemas": (*schemaChecker).branchMap,
	}
	for _, group := range []struct {
		check check
		names []string
	}{
		{(*schemaChecker).schemaMap, []string{"properties", "patternProperties", "$defs", "definitions"}},
		{(*schemaChecker).part, []string{
			"additionalProperties", "additionalItems", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
		}},
		{(*schemaChecker).branch, []string{"not", "if", "then", "else"}},
		{(*schemaChecker).branches, []string{"allOf", "anyOf", "oneOf"}},
		{number, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
		{number, []string{
			"minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties",
		}},
		{boolean, []string{"uniqueItems", "deprecated", "readOnly", "writeOnly", "$recursiveAnchor"}},
		{str, []string{
			"title", "description", "pattern", "format", "$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor",
			"$recursiveRef", "$comment", "contentEncoding", "contentMediaType",
		}},
	} {
		for _, name := range group.names {
			words[name] = group.check
		}
	}
	return words
}

// subschema checks a schema, or one within it. Branch says that others look
// at the same value.
func (c *schemaChecker) subschema(v *yaml.Node, at spot, branch bool) {
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool" {
		return
	}
	if !c.shaped(v, v.Kind == yaml.MappingNode, at, "a schema", "") {
		return
	}
	for k, v := range pairs(v) {
		if check := c.words[k.Value]; check != nil {
			check(c, v, at.to(k.Value))
		} else {
			c.unknown(k, v, at)
		}
		if k.Value == "default" {
			c.presets = append(c.presets, preset{node: v, at: at.to("default"), schema: at})
		}
	}
	if !branch {
		c.requiredExist(v, at)
	}
}

// unknown reports a keyword that means nothing: a schema may have one, but it
// checks nothing.
func (c *schemaChecker) unknown(k, v *yaml.Node, at spot) {
	if strings.HasPrefix(k.Value, "x-") {
		return
	}
	fix := "remove it, or begin its name with x- if it is a note"
	if guess := near(k.Value, slices.Sorted(maps.Keys(c.words))); guess != "" {
		fix = "did you mean " + guess + "?"
	} else if v.Kind == yaml.MappingNode {
		fix = "if it is a property, it belongs into properties"
	}
	c.tell(k, SchemaIgnored, fix, "%s: %s is no keyword of JSON Schema and checks nothing", c.name(at), quote(k.Value))
}

// shaped reports a value that has not the shape it must have.
func (c *schemaChecker) shaped(v *yaml.Node, ok bool, at spot, want, fix string) bool {
	if !ok {
		c.refuse(v, fix, "%s: want %s, got %s", c.name(at), want, describe(v))
	}
	return ok
}

func isString(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

func anything(*schemaChecker, *yaml.Node, spot) {}

func list(c *schemaChecker, v *yaml.Node, at spot) {
	c.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of values", "write a list")
}

func str(c *schemaChecker, v *yaml.Node, at spot) {
	c.shaped(v, isString(v), at, "a string", "put it in quotes")
}

func number(c *schemaChecker, v *yaml.Node, at spot) {
	tag := v.ShortTag()
	c.shaped(v, v.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float"), at, "a number", "write a number, without quotes")
}

func boolean(c *schemaChecker, v *yaml.Node, at spot) {
	c.shaped(v, v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool", at, "true or false", "")
}

// part is a schema of something within the value.
func (c *schemaChecker) part(v *yaml.Node, at spot) { c.subschema(v, at, false) }

// branch is another schema of the same value.
func (c *schemaChecker) branch(v *yaml.Node, at spot) { c.subschema(v, at, true) }

// items is one schema, or as drafts before 2020 say prefixItems.
func (c *schemaChecker) items(v *yaml.Node, at spot) {
	if v.Kind == yaml.SequenceNode {
		c.elements(v, at)
		return
	}
	c.part(v, at)
}

func (c *schemaChecker) elements(v *yaml.Node, at spot) { c.schemas(v, at, false) }
func (c *schemaChecker) branches(v *yaml.Node, at spot) { c.schemas(v, at, true) }

func (c *schemaChecker) schemas(v *yaml.Node, at spot, branch bool) {
	if c.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of schemas", "") {
		for i, sub := range v.Content {
			c.subschema(sub, at.to(strconv.Itoa(i)), branch)
		}
	}
}

func (c *schemaChecker) schemaMap(v *yaml.Node, at spot) { c.mapping(v, at, false) }
func (c *schemaChecker) branchMap(v *yaml.Node, at spot) { c.mapping(v, at, true) }

func (c *schemaChecker) mapping(v *yaml.Node, at spot, branch bool) {
	if c.shaped(v, v.Kind == yaml.MappingNode, at, "a mapping of names to schemas", "") {
		for name, sub := range pairs(v) {
			c.subschema(sub, at.to(name.Value), branch)
		}
	}
}

// schemaTypes are the names that type may have.
var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func (c *schemaChecker) schemaType(v *yaml.Node, at spot) {
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
		c.refuse(n, fix, "%s: want %s, got %s", c.name(at), orList(schemaTypes), describe(n))
		c.told[v] = true
	}
}

// names is a list of names of properties.
func (c *schemaChecker) names(v *yaml.Node, at spot) {
	if c.shaped(v, v.Kind == yaml.SequenceNode, at, "a list of names", "write a list of names in the object's schema, such as required: [path]") {
		for _, n := range v.Content {
			if !c.shaped(n, isString(n), at, "a name", "put it in quotes") {
				c.told[v] = true
			}
		}
	}
}
