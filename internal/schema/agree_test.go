package schema

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestVerdictsAgreeWithTheLibrary compares verdicts on random schemas and
// values made to meet: few names, few numbers, every keyword.
func TestVerdictsAgreeWithTheLibrary(t *testing.T) {
	var fit, unfit int
	for seed := range uint64(2000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		schema := g.schema(4)
		schema["$defs"] = map[string]any{"d": g.schema(2), "e": g.schema(1)}
		raw, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		s := compile(t, string(raw))
		if s.Dropped() != nil {
			continue // a loop, which the library would follow without end
		}
		var theirs jsonschema.Schema
		if err := json.Unmarshal(raw, &theirs); err != nil {
			t.Fatal(err)
		}
		resolved, err := theirs.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for range 5 {
			v := g.value(3)
			args, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var decoded any
			if err := json.Unmarshal(args, &decoded); err != nil {
				t.Fatal(err)
			}
			got, want := s.Validate(args), resolved.Validate(decoded)
			if (got == nil) != (want == nil) {
				t.Fatalf("seed %d\nschema %s\nargs   %s\ngot  %v\nwant %v", seed, raw, args, got, want)
			}
			if got == nil {
				fit++
			} else {
				unfit++
			}
		}
	}
	if fit < 1000 || unfit < 1000 {
		t.Errorf("%d values fit and %d did not: the cases are one-sided", fit, unfit)
	}
}

type generator struct{ *rand.Rand }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

func (g generator) value(depth int) any {
	if depth == 0 {
		return pick[any](g, nil, true, false, 0, 1, 2, 2.5, "", "a", "ab", "b")
	}
	switch g.IntN(4) {
	case 0:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	case 1, 2:
		m := map[string]any{}
		for range g.IntN(4) {
			m[g.name()] = g.value(depth - 1)
		}
		return m
	}
	return g.value(0)
}

func (g generator) name() string { return pick(g, "a", "ab", "b", "c") }

func (g generator) any(depth int) any {
	if depth <= 0 || g.IntN(8) == 0 {
		return g.IntN(4) > 0
	}
	return g.schema(depth)
}

func (g generator) list(depth int) []any {
	list := []any{}
	for range 1 + g.IntN(3) {
		list = append(list, g.any(depth))
	}
	return list
}

func (g generator) schemas(depth int) map[string]any {
	m := map[string]any{}
	for range g.IntN(3) {
		m[g.name()] = g.any(depth)
	}
	return m
}

func (g generator) schema(depth int) map[string]any {
	s := map[string]any{}
	type entry struct {
		keyword string
		value   func() any
	}
	deep := depth - 1
	table := []entry{
		{"type", func() any {
			return pick[any](g, "object", "object", "array", []any{"object", "array", "null"}, "integer", "string", "number")
		}},
		{"type", func() any { return pick[any](g, "object", "array", "string") }},
		{"enum", func() any { return []any{g.value(0), g.value(0), g.value(1), g.value(1)} }},
		{"const", func() any { return pick[any](g, 1, "a", map[string]any{"a": 1}, []any{}) }},
		{"minimum", func() any { return g.IntN(3) }},
		{"maximum", func() any { return g.IntN(3) }},
		{"exclusiveMinimum", func() any { return g.IntN(2) }},
		{"exclusiveMaximum", func() any { return 1 + g.IntN(3) }},
		{"minLength", func() any { return g.IntN(2) }},
		{"maxLength", func() any { return g.IntN(3) }},
		{"pattern", func() any { return pick(g, "^a", "b$", ".") }},
		{"$ref", func() any { return pick(g, "#/$defs/d", "#/$defs/e") }},
		{"allOf", func() any { return g.list(deep) }},
		{"anyOf", func() any { return g.list(deep) }},
		{"oneOf", func() any { return g.list(deep) }},
		{"not", func() any { return g.schema(deep) }},
		{"if", func() any { return g.any(deep) }},
		{"then", func() any { return g.any(deep) }},
		{"else", func() any { return g.any(deep) }},
		{"prefixItems", func() any { return g.list(deep) }},
		{"items", func() any { return g.any(deep) }},
		{"contains", func() any { return g.any(deep) }},
		{"minContains", func() any { return g.IntN(3) }},
		{"maxContains", func() any { return g.IntN(3) }},
		{"minItems", func() any { return g.IntN(2) }},
		{"maxItems", func() any { return 1 + g.IntN(3) }},
		{"uniqueItems", func() any { return g.IntN(2) == 0 }},
		{"properties", func() any { return g.schemas(deep) }},
		{"properties", func() any { return g.schemas(deep) }},
		{"patternProperties", func() any { return map[string]any{pick(g, "^a", "b"): g.any(deep)} }},
		{"additionalProperties", func() any { return g.any(deep) }},
		{"required", func() any { return []any{g.name()} }},
		{"propertyNames", func() any { return map[string]any{"maxLength": 1 + g.IntN(2)} }},
		{"minProperties", func() any { return g.IntN(2) }},
		{"maxProperties", func() any { return 1 + g.IntN(3) }},
		{"dependentRequired", func() any { return map[string]any{g.name(): []any{g.name()}} }},
		{"dependentSchemas", func() any { return map[string]any{g.name(): g.any(deep)} }},
		{"unevaluatedItems", func() any { return g.any(deep) }},
		{"unevaluatedProperties", func() any { return g.any(deep) }},
	}
	if depth <= 0 {
		table = table[:11]
	}
	for range 1 + g.IntN(3) {
		e := pick(g, table...)
		s[e.keyword] = e.value()
	}
	return s
}
