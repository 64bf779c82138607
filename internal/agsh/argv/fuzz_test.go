package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agsh.dev/internal/schema"
	"agsh.dev/internal/term/text"
)

// FuzzParseGivesWhatTheSchemaAccepts holds for any schema and any words: the
// result is a JSON object that the schema accepts, or a *UsageError that is
// safe to show.
func FuzzParseGivesWhatTheSchemaAccepts(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"string"}}},"required":["a"]}`, "--a 5 --b x --b y"},
		{`{"properties":{"o":{"type":"object","properties":{"x":{"type":"boolean"},"y":{"enum":[1,"a",null]}},"required":["y"]}}}`, "--o-x --o-y a"},
		{`{"$defs":{"T":{"properties":{"t":{"$ref":"#/$defs/T"}}}},"$ref":"#/$defs/T"}`, `--t {}`},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{"anyOf":[{"type":"number"},{"type":"null"}]}}}`, "--b -1e3"},
		{`{"properties":{"-i":{"type":"boolean"},"-A":{"type":"integer"},"output":{"const":2},"":{"type":"object"}}}`, "-iA2 --output-2 2 --arg {}"},
		{`{"allOf":[{"properties":{"a":{"type":["string","integer"]}}},{"properties":{"b":true,"c":false}}]}`, "--a 1 --b [1] --no-c"},
		{`true`, "--x"},
		{`{"type":"array"}`, ""},
		{`{"properties":{"é\n":{"type":"string","minLength":2},"no_x":{"type":"boolean"},"x":{"type":"boolean"}}}`, "--é=ab --no-x --x=false"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, input, args string) {
		s, err := schema.Compile(json.RawMessage(input))
		spec := Spec{Name: "tool", Input: json.RawMessage(input)}
		if err == nil {
			spec.Validate = func(args json.RawMessage) (list []Problem) {
				for _, p := range s.Validate(args) {
					list = append(list, Problem(p))
				}
				return list
			}
		}
		c, err := Compile(spec)
		if err != nil {
			t.Fatalf("Compile without operands: %v", err)
		}
		out, err := c.Parse(strings.Split(args, " "), nil)
		if err != nil {
			if _, ok := errors.AsType[*UsageError](err); !ok {
				t.Fatalf("%T, want *UsageError", err)
			}
			if msg := err.Error(); text.Escape(msg) != msg {
				t.Fatalf("unsafe message %q", msg)
			}
			return
		}
		if _, ok := members(out); !ok || !json.Valid(out) {
			t.Fatalf("Parse(%q) = %s, want a JSON object", args, out)
		}
		if s != nil {
			if problems := s.Validate(out); problems != nil {
				t.Fatalf("Parse(%q) = %s, which the schema refuses: %v", args, out, problems)
			}
		}
	})
}

// FuzzEveryPropertyHasItsOwnFlag: whatever properties are called, each has a
// flag that no other has and that fills it.
func FuzzEveryPropertyHasItsOwnFlag(f *testing.F) {
	f.Add("a_b", "aB", "a-b-2")
	f.Add("output", "output_2", "-h")
	f.Add("", " ", "\x00")
	f.Add("--", "--no-x", "=")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		props := map[string]any{}
		for _, name := range []string{a, b, c} {
			props[name] = map[string]any{"type": "string"}
		}
		input, err := json.Marshal(map[string]any{"properties": props})
		if err != nil {
			t.Fatal(err)
		}
		cmd, err := Compile(Spec{Name: "tool", Input: input})
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		want := map[string]string{}
		for i, f := range cmd.flags {
			if findGlobal(f.flag) != nil {
				t.Errorf("property %q got the reserved %s", f.name, f.flag)
			}
			args = append(args, f.flag+fmt.Sprintf("=%d", i))
			want[f.name] = fmt.Sprint(i)
		}
		out, err := cmd.Parse(args, nil)
		if err != nil {
			t.Fatalf("Parse(%q): %v", args, err)
		}
		var got map[string]string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for name, v := range want {
			if got[name] != v {
				t.Errorf("property %q = %q, want %q; flags %q", name, got[name], v, args)
			}
		}
	})
}
