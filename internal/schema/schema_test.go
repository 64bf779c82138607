package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func compile(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func said(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

func TestValidateTellsEveryProblemInWords(t *testing.T) {
	for _, tt := range []struct {
		name, schema, args string
		want               []string
	}{
		{
			"all, in schema order", `{"type":"object","required":["z","a"],"additionalProperties":false,
			"properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":1},"z":{"type":"boolean"},"mode":{"enum":["fast","slow"]}}}`,
			`{"extra":1,"mode":"medium","n":0.5}`,
			[]string{
				`/a is required and missing; it must be a string`,
				`/n must be an integer, not 0.5`,
				`/n must be at least 1, not 0.5`,
				`/z is required and missing; it must be true or false`,
				`/mode must be one of: fast, slow, not "medium"`,
				`/extra is not a known property; known are: a, n, z, mode`,
			},
		},
		{
			"digits survive", `{"properties":{"id":{"type":"string"},"big":{"maximum":12345678901234567890}}}`,
			`{"id":12345678901234567891,"big":12345678901234567891}`,
			[]string{
				`/id must be a string, not 12345678901234567891`,
				`/big must be at most 12345678901234567890, not 12345678901234567891`,
			},
		},
		{
			"nested paths are pointers", `{"properties":{"a/b":{"items":{"properties":{"~x":{"type":"null"}}}}}}`,
			`{"a/b":[{},{"~x":1}]}`,
			[]string{`/a~1b/1/~0x must be null, not 1`},
		},
		{
			"the alternative that was meant", `{"properties":{"s":{"anyOf":[{"type":"string","minLength":3},{"type":"null"}]}}}`,
			`{"s":"ab"}`,
			[]string{`/s must have at least 3 characters, not 2 characters`},
		},
		{
			"no alternative was meant", `{"properties":{"s":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
			`{"s":5}`,
			[]string{`/s must be a string or null, not 5`},
		},
		{
			"alternatives told apart by a constant", `{"oneOf":[
			{"properties":{"kind":{"const":"file"},"path":{"type":"string"}},"required":["kind","path"]},
			{"properties":{"kind":{"const":"url"},"href":{"type":"string"}},"required":["kind","href"]}]}`,
			`{"kind":"url"}`,
			[]string{`/href is required and missing; it must be a string`},
		},
		{
			"too many alternatives fit", `{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1`,
			[]string{`the value fits 2 of the 2 alternatives, and must fit exactly one`},
		},
		{
			"repeated elements", `{"uniqueItems":true}`, `[1,{"a":1,"b":2},1.0,{"b":2,"a":1}]`,
			[]string{`/2 must not repeat element 0`, `/3 must not repeat element 1`},
		},
		{"decimal fractions are exact", `{"items":{"multipleOf":0.1}}`, `[0.3, 1e3, 0.35]`, []string{`/2 must be a multiple of 0.1, not 0.35`}},
		{
			"counts", `{"minProperties":2,"propertyNames":{"maxLength":1}}`, `{"ab":1}`,
			[]string{
				`/ab has a name that is not allowed: it must have at most 1 character, not 2 characters`,
				`the value must have at least 2 properties, not 1 property`,
			},
		},
		{
			"what one property demands", `{"dependentRequired":{"user":["password"]}}`, `{"user":1}`,
			[]string{`/password is required with user and missing`},
		},
		{"a key twice", `{"properties":{"a":{}}}`, `{"a":1,"a":2}`, []string{`/a is given more than once`}},
		{"not JSON", `{}`, `{"a":`, []string{`the value must be JSON, but it is not valid JSON`}},
		{"nothing", `{}`, ``, []string{`the value must be JSON, but it is not valid JSON`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := said(compile(t, tt.schema).Validate(json.RawMessage(tt.args)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Validate(%s) (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

func TestAProblemNamesPathValueAndWant(t *testing.T) {
	s := compile(t, `{"properties":{"f":{"type":"integer"},"g":{"type":"string"}},"required":["g"]}`)
	got := s.Validate(json.RawMessage(`{"f": { "a" : [1,  "x y"] }}`))
	want := []Problem{
		{Path: "/f", Value: `{"a":[1,"x y"]}`, Want: "an integer", Message: `must be an integer, not {"a":[1,"x y"]}`},
		{Path: "/g", Want: "a string", Message: "is required and missing; it must be a string"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	long := s.Validate(json.RawMessage(`{"g":"","f":"` + strings.Repeat("é", 500) + `"}`))
	if n := len([]rune(long[0].Value)); n != maxShown+1 {
		t.Errorf("a long value is shown with %d characters, want %d and an ellipsis", n, maxShown)
	}
}

func TestWhatCannotBeReadIsDropped(t *testing.T) {
	for _, tt := range []struct{ name, schema, dropped, valid string }{
		{"lookahead", `{"properties":{"a":{"pattern":"^(?=x)","maxLength":1}}}`, `/properties/a/pattern: `, `{"a":"y"}`},
		{"draft 4 bound", `{"minimum":1,"exclusiveMinimum":true}`, `/exclusiveMinimum: not a number`, `1`},
		{"another document", `{"properties":{"a":{"$ref":"https://elsewhere.test/x.json"}}}`, `/properties/a/$ref: leads nowhere`, `{"a":1}`},
		{"no such definition", `{"properties":{"a":{"$ref":"#/$defs/x"}}}`, `/properties/a/$ref: leads nowhere`, `{"a":1}`},
		{"a reference to itself", `{"$ref":"#"}`, `/$ref: leads back to itself`, `1`},
		{
			"a loop of references", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"if":true,"then":{"$ref":"#/$defs/a"}}}}`,
			`leads back to itself`, `1`,
		},
		{"an unknown type", `{"type":"strnig"}`, `/type: unknown type "strnig"`, `1`},
		{"a subschema of no kind", `{"properties":{"a":7}}`, `/properties/a: not a schema`, `{"a":1}`},
		{"draft 3 required", `{"properties":{"a":{"required":true}}}`, `/properties/a/required: not a list`, `{}`},
		{"a negative length", `{"minLength":-1}`, `/minLength: not a whole number`, `""`},
		{"no divisor", `{"multipleOf":0}`, `/multipleOf: not above 0`, `3`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, tt.schema)
			if got := strings.Join(s.Dropped(), "\n"); !strings.Contains(got, tt.dropped) {
				t.Errorf("Dropped() = %q, want %q in it", got, tt.dropped)
			}
			if got := s.Validate(json.RawMessage(tt.valid)); got != nil {
				t.Errorf("Validate(%s) = %v, want nil", tt.valid, got)
			}
		})
	}
}

func TestASchemaIsAnObject(t *testing.T) {
	for _, raw := range []string{``, `null`, `true`, `[]`, `"x"`, `{`} {
		if _, err := Compile(json.RawMessage(raw)); err == nil {
			t.Errorf("Compile(%q) = nil error, want one", raw)
		}
	}
}

func TestReferencesLeadToSmallerValues(t *testing.T) {
	s := compile(t, `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}},"required":["v"]}}}`)
	got := said(s.Validate(json.RawMessage(`{"v":1,"next":{"next":{"v":"x"}}}`)))
	want := []string{`/next/next/v must be an integer, not "x"`, `/next/v is required and missing; it must be an integer`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostileInputIsBounded(t *testing.T) {
	doubling := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 64 {
		doubling += fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a64":false}}`
	var chain strings.Builder
	chain.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range 20_000 {
		fmt.Fprintf(&chain, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	chain.WriteString(`"a20000":{}}}`)
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	for _, tt := range []struct{ name, schema, args, want string }{
		{"work that doubles", doubling, `1`, "too much work"},
		{"a long chain", chain.String(), `1`, ""},
		{"a value that is all brackets", `{}`, deep, "must be JSON"},
		{"a value nested past the limit", `{}`, strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300), "nested too deeply"},
		{"an enormous exponent", `{"type":"integer","maximum":5,"multipleOf":3}`, `1e999999999999999999999`, "at most 5"},
		{"as many problems as elements", `{"items":{"type":"string"}}`, `[` + strings.Repeat("1,", 200_000) + `1]`, "more problems"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(said(compile(t, tt.schema).Validate(json.RawMessage(tt.args))), "\n")
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %.300q, want %q in it", got, tt.want)
			}
			if n := strings.Count(got, "\n"); n > maxProblems {
				t.Errorf("got %d problems, want at most %d", n, maxProblems+1)
			}
		})
	}
	if _, err := Compile(json.RawMessage(deep)); err == nil {
		t.Error("a schema of brackets compiled, want an error")
	}
}

// The gate runs this for every call: the target is 10 µs.
func BenchmarkValidate(b *testing.B) {
	s := compile(b, `{"type":"object","properties":{
		"path":{"type":"string","minLength":1},"offset":{"type":"integer"},"limit":{"type":"integer","minimum":1},
		"mode":{"type":"string","enum":["content","files","count"]},"all":{"type":"boolean"},
		"globs":{"type":"array","items":{"type":"string"}},"ratio":{"type":"number","maximum":1}},
		"required":["path"],"additionalProperties":false}`)
	args := json.RawMessage(`{"path":"/repo/README.md","offset":-5,"limit":20,"mode":"files","all":true,"globs":["*.go","*.md"],"ratio":0.25}`)
	b.ReportAllocs()
	for b.Loop() {
		if p := s.Validate(args); p != nil {
			b.Fatal(p)
		}
	}
}
