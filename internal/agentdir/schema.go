package agentdir

import (
	"bytes"
	"encoding/json"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"agsh.dev/internal/schema"
)

// schema reads a JSON Schema of an object, with the order of its properties
// and its numbers as they are written. What is no schema is an error; what is
// one and does not do what it looks like is a warning.
func (d document) schema(v *yaml.Node, what string) json.RawMessage {
	if v.Kind != yaml.MappingNode {
		d.report(d.at(v), SchemaInvalid, "write a JSON Schema, such as {type: object, properties: {…}}", "%s: want a JSON Schema, got %s", what, describe(v))
		return nil
	}
	before := len(d.problems)
	c := schemaChecker{document: d, what: what, root: v, words: keywords(), told: map[*yaml.Node]bool{}}
	if kind := value(v, "type"); kind == nil {
		c.refuse(v, "add type: object", "%s: the schema has no type; it must be that of an object", what)
	} else if kind.Kind != yaml.ScalarNode || kind.Value != "object" {
		c.refuse(kind, "write type: object", "%s: the schema must be that of an object, not of %s", what, describe(kind))
	}
	c.subschema(v, spot{}, false)
	raw := d.jsonOf(v, what)
	if raw == nil {
		return nil
	}
	compiled, err := schema.Compile(raw)
	if err != nil {
		c.refuse(v, "", "%s: %s", what, err)
		return nil
	}
	for _, dropped := range compiled.Dropped() {
		c.dropped(dropped)
	}
	c.checkPresets(raw)
	if failed, _ := Count(d.problems[before:]); failed > 0 {
		return nil
	}
	return raw
}

// A schemaChecker looks at a schema as its author wrote it.
type schemaChecker struct {
	document
	what    string // input or output
	root    *yaml.Node
	words   map[string]check
	told    map[*yaml.Node]bool // what something was said of already
	presets []preset
}

// A spot is where in a schema something is, as a JSON pointer.
type spot struct{ pointer string }

func (s spot) to(token string) spot {
	return spot{s.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)}
}

// name is the spot as people write it: input.properties.path.
func (c *schemaChecker) name(s spot) string {
	return c.what + strings.NewReplacer("/", ".", "~1", "/", "~0", "~").Replace(s.pointer)
}

// refuse reports what is no schema.
func (c *schemaChecker) refuse(n *yaml.Node, fix, format string, args ...any) {
	c.tell(n, SchemaInvalid, fix, format, args...)
}

func (c *schemaChecker) tell(n *yaml.Node, code Code, fix, format string, args ...any) {
	if !c.told[n] {
		c.told[n] = true
		c.report(c.at(n), code, fix, format, args...)
	}
}

// dropped reports a keyword that the compiler could not follow.
func (c *schemaChecker) dropped(s string) {
	pointer, why, _ := strings.Cut(s, ": ")
	at := spot{pointer}
	n := follow(c.root, pointer)
	code, fix := SchemaInvalid, ""
	switch word := pointer[strings.LastIndexByte(pointer, '/')+1:]; {
	case word == "$ref" && strings.HasPrefix(n.Value, "#") && strings.Contains(why, "nowhere"):
		why, fix = quote(n.Value)+" leads nowhere in this schema", c.target(n.Value)
	case word == "$ref" && strings.Contains(why, "nowhere"):
		code, why, fix = SchemaIgnored, "schemas of other documents are not looked at", "copy it to $defs"
	case word == "$ref" || word == "$dynamicRef" || strings.Contains(why, "back to itself"):
		code = SchemaIgnored
	case strings.Contains(why, "parsing regexp"):
		code, why, fix = badPattern(why)
	}
	c.tell(n, code, fix, "%s: %s", c.name(at), why)
}

// target is the fix of a reference that leads nowhere.
func (c *schemaChecker) target(ref string) string {
	var defined []string
	for _, where := range []string{"$defs", "definitions"} {
		if defs := value(c.root, where); defs != nil && defs.Kind == yaml.MappingNode {
			for k := range pairs(defs) {
				defined = append(defined, "#/"+where+"/"+k.Value)
			}
		}
	}
	if guess := near(ref, defined); guess != "" {
		return "did you mean " + guess + "?"
	}
	if len(defined) > 0 {
		return "there are " + strings.Join(defined[:min(len(defined), 10)], ", ")
	}
	return "define it in $defs, beside properties, as #/$defs/NAME"
}

// badPattern tells a pattern that no engine reads from one that ours does
// not. Ours takes time in proportion to the text, whatever the pattern.
func badPattern(why string) (code Code, message, fix string) {
	_, why, _ = strings.Cut(why, "parsing regexp: ")
	for _, broken := range []syntax.ErrorCode{
		syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrMissingRepeatArgument,
		syntax.ErrInvalidRepeatOp, syntax.ErrTrailingBackslash,
	} {
		if strings.HasPrefix(why, string(broken)) {
			return SchemaInvalid, "this is not a regular expression: " + why, "put a backslash before a character that means itself"
		}
	}
	return SchemaIgnored, "the pattern is not checked: " + why, "write it without lookaround and backreferences, as RE2 has none"
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

// A preset is a default that a schema gives.
type preset struct {
	node   *yaml.Node
	at     spot // of the default
	schema spot
}

// presetBase is the URI of the schema while its defaults are checked, unless
// it has one.
const presetBase = "urn:schema"

// checkPresets holds every default against the schema it stands in. All of
// them are the elements of one list, whose schemas are references into raw.
func (c *schemaChecker) checkPresets(raw json.RawMessage) {
	if len(c.presets) == 0 {
		return
	}
	base := presetBase
	if find(c.root, "$id") == nil {
		raw = append([]byte(`{"$id":"`+presetBase+`",`), raw[1:]...)
	} else if base = valueText(c.root, "$id"); base == "" || strings.HasPrefix(base, "#") {
		return // no string, or a name of old drafts, which no URI can be made from
	}
	var refs, values bytes.Buffer
	for i, p := range c.presets {
		v, err := toJSON(p.node)
		if err != nil {
			return // reported as part of the schema
		}
		if i > 0 {
			refs.WriteByte(',')
			values.WriteByte(',')
		}
		refs.WriteString(`{"$ref":`)
		writeString(&refs, base+"#"+fragment(p.schema.pointer))
		refs.WriteByte('}')
		values.Write(v)
	}
	list := `{"prefixItems":[` + refs.String() + `],"$defs":{"schema":` + string(raw) + `}}`
	compiled, err := schema.Compile(json.RawMessage(list))
	if err != nil {
		return // it was compiled by itself already
	}
	for _, p := range compiled.Validate(json.RawMessage("[" + values.String() + "]")) {
		index, within, _ := strings.Cut(strings.TrimPrefix(p.Path, "/"), "/")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(c.presets) {
			continue // too much work, or too many problems
		}
		preset := c.presets[i]
		at := preset.at
		if within != "" {
			at.pointer += "/" + within
		}
		fix := "write one that it accepts, or remove it"
		if isNull(preset.node) {
			fix = "remove it: an argument that is left out is not there"
		}
		c.tell(preset.node, SchemaDoubtful, fix, "%s %s", c.name(at), p.Message)
	}
}

// valueText is the string that a key has, or "".
func valueText(n *yaml.Node, key string) string {
	if v := value(n, key); v != nil && isString(v) {
		return v.Value
	}
	return ""
}

// fragment is a JSON pointer as it stands in a URI.
func fragment(pointer string) string {
	return strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F", `"`, "%22", " ", "%20").Replace(pointer)
}

// requiredExist reports names in required that no property has, where nothing
// else could speak of them.
func (c *schemaChecker) requiredExist(v *yaml.Node, at spot) {
	required := value(v, "required")
	if required == nil || required.Kind != yaml.SequenceNode {
		return
	}
	for _, elsewhere := range []string{
		"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties",
	} {
		if find(v, elsewhere) != nil {
			return
		}
	}
	if more := value(v, "additionalProperties"); more != nil && more.Value != "false" {
		return
	}
	var names []string
	if properties := value(v, "properties"); properties != nil {
		for k := range pairs(properties) {
			names = append(names, k.Value)
		}
	}
	for _, n := range required.Content {
		if slices.Contains(names, n.Value) {
			continue
		}
		fix := "describe it in properties, or remove it here"
		if guess := near(n.Value, names); guess != "" {
			fix = "did you mean " + guess + "?"
		}
		c.tell(n, SchemaDoubtful, fix, "%s: there is no property %s", c.name(at.to("required")), quote(n.Value))
	}
}
