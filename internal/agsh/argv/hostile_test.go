package argv

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAHostileSchemaStillMakesACommand(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 3000) + `{}` + strings.Repeat(`}}`, 3000)
	var wide, doubling, enum, chain strings.Builder
	wide.WriteString(`{"properties":{"p":{}`)
	enum.WriteString(`{"properties":{"p":{"enum":[0`)
	doubling.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	chain.WriteString(`{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 10_000 {
		fmt.Fprintf(&wide, `,"p%d":{"type":"object","properties":{"x":{},"y":{}}}`, i)
		fmt.Fprintf(&enum, `,%d`, i)
		fmt.Fprintf(&chain, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}],"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1, i+1, i+1)
	}
	wide.WriteString(`}}`)
	enum.WriteString(`]}}}`)
	doubling.WriteString(`"d40":{}}}`)
	chain.WriteString(`"z":{}}}`)
	for name, input := range map[string]string{
		"nothing": ``, "not JSON": `{`, "null": `null`, "true": `true`, "false": `false`, "a list": `[]`, "a number": `1`,
		"another type": `{"type":"array","items":{}}`, "keywords of the wrong kind": `{"properties":[],"required":"a","$ref":1,"anyOf":{}}`,
		"properties of the wrong kind": `{"properties":{"p":1,"q":null,"r":[],"s":true,"t":false}}`,
		"all brackets":                 strings.Repeat(`[`, 100_000), "deep": deep, "wide": wide.String(), "doubling": doubling.String(),
		"a huge enum": enum.String(), "a chain of references": chain.String(),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Compile(Spec{Name: "tool", Input: json.RawMessage(input)})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := c.Parse(nil, json.RawMessage(`{"p":1}`)); err != nil || string(out) != `{"p":1}` {
				t.Errorf("--json-args gave %s, %v", out, err)
			}
			for _, f := range c.flags[:min(len(c.flags), 3)] {
				if _, err := c.Parse([]string{f.flag + "=" + word(f)}, nil); err != nil {
					t.Errorf("%s=%s: %v", f.flag, word(f), err)
				}
			}
			if _, err := c.Parse([]string{"--nope"}, nil); err == nil || len(err.Error()) > 64<<10 {
				t.Errorf("--nope: want an error of a readable size, got %v", err)
			}
			if n := len(c.Flags()); n > 40_000 {
				t.Errorf("%d flags", n)
			}
		})
	}
}

// word is something that f takes.
func word(f *field) string {
	switch {
	case f.form == formBool:
		return "true"
	case f.kinds == kindObject:
		return "{}"
	}
	return "1"
}

func BenchmarkCompileAndParse(b *testing.B) {
	input := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"},
		"mode":{"enum":["a","b"]},"all":{"type":"boolean"},"globs":{"type":"array","items":{"type":"string"}},"o":{"type":"object","properties":{"x":{"type":"string"}}}},"required":["path"]}`)
	args := []string{"/a", "--offset", "-5", "--limit", "2", "--globs", "*.go"}
	for b.Loop() {
		c, err := Compile(Spec{Name: "read", Input: input, Operands: []Operand{{Name: "path", Field: "path", Optional: false}}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Parse(args, nil); err != nil {
			b.Fatal(err)
		}
	}
}
