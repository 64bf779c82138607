package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// FuzzValidateAgreesWithTheLibrary compares verdicts with jsonschema-go, which
// follows the same drafts, on everything that both read whole.
func FuzzValidateAgreesWithTheLibrary(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, `{"a":1,"b":2}`},
		{`{"anyOf":[{"type":"string"},{"enum":[1,null]}],"not":{"const":2}}`, `1`},
		{`{"oneOf":[{"minimum":3},{"maximum":3},{"exclusiveMinimum":1,"exclusiveMaximum":9}]}`, `3`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"},"contains":{"const":5},"maxContains":1,"uniqueItems":true}`, `["x",5,6]`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":0}}`, `{"a":1}`},
		{`{"patternProperties":{"^x":{"type":"string"}},"propertyNames":{"maxLength":3},"minProperties":1}`, `{"xa":"","b":1}`},
		{`{"$defs":{"a":{"type":["string","null"],"pattern":"^a+$","minLength":2}},"items":{"$ref":"#/$defs/a"}}`, `["aa",null,"b"]`},
		{`{"allOf":[{"properties":{"a":true}}],"properties":{"b":false},"unevaluatedProperties":false}`, `{"a":1,"c":2}`},
		{`{"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"minProperties":2}}}`, `{"a":1}`},
		{`{"unevaluatedItems":false,"contains":{"type":"integer"},"minContains":0,"maxItems":3}`, `[1,"x"]`},
		{`{"$defs":{"a":{"tYpe":["string"]}},"items":{"$ref":"#/$defs/a"}}`, `[null]`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, rawSchema, rawArgs string) {
		s, err := Compile(json.RawMessage(rawSchema))
		if err != nil {
			return
		}
		problems := s.Validate(json.RawMessage(rawArgs))
		if s.Dropped() != nil || !comparable(rawSchema) || !comparable(rawArgs) {
			return
		}
		var other jsonschema.Schema
		if json.Unmarshal([]byte(rawSchema), &other) != nil {
			return
		}
		resolved, err := other.Resolve(nil)
		if err != nil {
			return
		}
		var args any
		if json.Unmarshal([]byte(rawArgs), &args) != nil {
			return
		}
		theirs := resolved.Validate(args)
		if (problems == nil) != (theirs == nil) {
			t.Errorf("schema %s\nargs %s\nours   %v\ntheirs %v", rawSchema, rawArgs, problems, theirs)
		}
	})
}

// comparable reports whether both engines are sure to read raw alike: no key
// twice, none that is a keyword in another case (encoding/json, which the
// library decodes with, takes it for one), no number that a float64 would
// change, and none of the keywords that they are known to see differently.
func comparable(raw string) bool {
	v, err := parse([]byte(raw))
	if err != nil {
		return false
	}
	return alike(v)
}

func alike(v *value) bool {
	if v.twice != nil || v.kind == number && len(v.raw) > 6 {
		return false
	}
	for i := range v.kids {
		if isOtherCase(v.kids[i].key) {
			return false
		}
		switch v.kids[i].key {
		case "$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "multipleOf", "dependencies", "additionalItems":
			return false
		case "items":
			if v.kids[i].kind == array {
				return false
			}
		}
		if !alike(&v.kids[i]) {
			return false
		}
	}
	return true
}

// isOtherCase reports whether key differs from a keyword of the drafts only
// in the case of its letters.
func isOtherCase(key string) bool {
	return slices.ContainsFunc(strings.Fields(`
		$id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions dependencies
		title description default deprecated readOnly writeOnly examples type enum const multipleOf minimum maximum
		exclusiveMinimum exclusiveMaximum minLength maxLength pattern prefixItems items additionalItems minItems maxItems
		uniqueItems contains minContains maxContains unevaluatedItems minProperties maxProperties required
		dependentRequired properties patternProperties additionalProperties propertyNames unevaluatedProperties
		allOf anyOf oneOf not if then else dependentSchemas contentEncoding contentMediaType contentSchema format`),
		func(word string) bool { return key != word && strings.EqualFold(key, word) })
}
