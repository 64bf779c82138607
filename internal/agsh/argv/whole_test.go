package argv

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatOnlyAlternativesSpeakOfHasFlags(t *testing.T) {
	c := command(t, `{"type":"object","oneOf":[
		{"properties":{"kind":{"const":"file","description":"What to watch."},"path":{"type":"string"}},"required":["kind","path"]},
		{"properties":{"kind":{"const":"url"},"port":{"type":"integer"}},"required":["kind"]}]}`)
	if diff := cmp.Diff("--kind <file|url>, --path <string>, --port <integer>", flagNames(c)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if f := c.Flags()[0]; f.Description != "What to watch." || !f.Required {
		t.Errorf("--kind is %+v", f)
	}
	run(t, c, []line{
		{words("--kind file --path /a"), "", `{"kind":"file","path":"/a"}`},
		{words("--kind url --port 80"), "", `{"kind":"url","port":80}`},
		{words("--kind file"), "", `! tool: --path: is required and missing; it must be a string`},
		{words("--kind x"), "", `! tool: --kind: must be one of: file, url, not "x"`},
		{nil, "", `! tool: --kind: is required and missing; it must be one of: file, url`},
	})
	tests := []struct{ name, input, want string }{
		{"beside properties of its own", `{"properties":{"kind":{"type":"string"}},"anyOf":[{"properties":{"kind":{"const":1},"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean"}}}]}`, "--kind <string>, --a <integer>, --b"},
		{"conditions", `{"properties":{"a":{"type":"string"}},"if":{"properties":{"x":{}}},"then":{"properties":{"z":{"type":"integer"}}},"else":{"properties":{"y":{"type":"string"}}},"dependentSchemas":{"a":{"properties":{"w":{"type":"number"}}}}}`, "--a <string>, --z <integer>, --y <string>, --w <number>"},
		{"behind references", `{"$ref":"#/$defs/in","$defs":{"in":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]},"a":{"properties":{"a":{"type":"string"}}},"b":{"properties":{"b":{"type":"string"}}}}}`, "--a <string>, --b <string>"},
		{"within one another", `{"oneOf":[{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}]},{"allOf":[{"then":{"properties":{"b":{}}}}]}]}`, "--a <value>, --b <value>"},
		{"only what is required", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, "--a <string>, --b <string>"},
		{"loops", `{"anyOf":[{"$ref":"#"},{"anyOf":[{"$ref":"#"},{"properties":{"a":{}}}]}]}`, "--a <value>"},
		{"nothing", `{"anyOf":[true,false,1,{}],"oneOf":{},"then":[],"dependentSchemas":[]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, flagNames(command(t, tt.input))); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
	run(t, command(t, tests[4].input), []line{
		{nil, "", `! tool: needs a or b`},
		{words("--a x"), "", `{"a":"x"}`},
		{words("--a x --b y"), "", `! tool: fits 2 of the 2 alternatives, and must fit exactly one`},
	})
}

func TestTheWorkOfAlternativesIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"anyOf":[`)
	for i := range 200 {
		fmt.Fprintf(&b, `{"$ref":"#/$defs/d%d"},`, i%2)
	}
	b.WriteString(`{}],"$defs":{`)
	for i := range 2 {
		fmt.Fprintf(&b, `"d%d":{"properties":{"p%d":{}},"anyOf":[`, i, i)
		for range 200 {
			fmt.Fprintf(&b, `{"$ref":"#/$defs/d%d"},`, 1-i)
		}
		b.WriteString(`{}]},`)
	}
	b.WriteString(`"z":{}}}`)
	c, err := Compile(Spec{Name: "tool", Input: json.RawMessage(b.String())})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("--p0 <value>, --p1 <value>", flagNames(c)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestEveryValueOfAnEnumCanBeSaid(t *testing.T) {
	c := command(t, `{"properties":{
		"same":{"enum":["1",1,"true",true,"\"1\""]}, "odd":{"enum":["x y","","-z","a|b"]}, "both":{"enum":[true,false]},
		"yes":{"const":true}, "one":{"const":"v"}, "some":{"type":"array","items":{"enum":[true,false]}}}}`)
	if diff := cmp.Diff(`--same <string|integer|boolean>, --odd <string>, --both, --yes, --one <v>, --some <true|false>`, flagNames(c)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`"1"`, "1", `"true"`, "true", `"\"1\""`}, c.Flags()[0].Enum); diff != "" {
		t.Errorf("values of --same (-want +got):\n%s", diff)
	}
	run(t, c, []line{
		{words("--same 1"), "", `{"same":1}`},
		{words(`--same "1"`), "", `{"same":"1"}`},
		{words(`--same "\"1\""`), "", `{"same":"\"1\""}`},
		{words(`--same true`), "", `{"same":true}`},
		{[]string{"--odd", ""}, "", `{"odd":""}`},
		{[]string{"--odd", "-z"}, "", `{"odd":"-z"}`},
		{words("--odd q"), "", `! tool: --odd: must be one of: x y, "", -z, a|b, not "q"`},
		{words("--both --no-yes"), "", `! tool: --yes: must be true, not false`},
		{words("--no-both --yes"), "", `{"both":false,"yes":true}`},
		{words("--one w"), "", `! tool: --one: must be v, not "w"`},
		{words("--some true --some false"), "", `{"some":[true,false]}`},
	})
}

func TestHelpTellsTheRealNameWhereAFlagDoesNot(t *testing.T) {
	c := command(t, `{"properties":{"":{},"--":{},"\n":{},"a.b":{},"a b":{},"é":{},"o":{"properties":{"😀":{}}},"-n":{}}}`)
	var got []string
	for _, f := range c.Flags() {
		s := f.Name
		if f.Renamed {
			s += " is " + f.Property
		}
		got = append(got, s)
	}
	want := []string{`--arg is ""`, "--arg-2 is --", `--arg-3 is "\n"`, "--a-b", `--a-b-2 is "a b"`, "--é", "--o is o.😀", "-n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDefaultsAreShownUnlessTheySayNothing(t *testing.T) {
	c := command(t, `{"properties":{"a":{"default":""},"b":{"default":null},"c":{"default":"x y"},"d":{"default":[1, 2]},"e":{"default":false},"f":{}}}`)
	var got []string
	for _, f := range c.Flags() {
		got = append(got, f.Default)
	}
	if diff := cmp.Diff([]string{`""`, "", "x y", "[1,2]", "false", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOneLetterSuggestsNoOther(t *testing.T) {
	run(t, command(t, `{"properties":{"m":{},"ab":{}}}`), []line{
		{words("--q 1"), "", "! tool: --q: no such flag\nflags: --m <value>, --ab <value>"},
		{words("--ac 1"), "", "! tool: --ac: no such flag; did you mean --ab?\nflags: --m <value>, --ab <value>"},
	})
}

func TestManyFlagsAreNotAllListed(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{"p":{}`)
	for i := range 299 {
		fmt.Fprintf(&b, `,"p%d":{}`, i)
	}
	_, err := command(t, b.String()+"}}").Parse([]string{"--nope"}, nil)
	if err == nil || !strings.HasSuffix(err.Error(), "--p28 <value>, … (270 more; see tool --help)") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsMeantIsSaidOfAFlagThatIsNone(t *testing.T) {
	c := command(t, `{"properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{},"d":{}}},"e":{}}},"on":{"type":"boolean"}}}`)
	const flags = "\nflags: --a-b-c <value>, --a-b-d <value>, --a-e <value>, --on"
	run(t, c, []line{
		{[]string{"--a", `{"e":1}`}, "", "! tool: --a: no such flag; a is an object, given by --a-b-c, --a-b-d, --a-e" + flags},
		{words("--a-b={}"), "", "! tool: --a-b: no such flag; a.b is an object, given by --a-b-c, --a-b-d" + flags},
		{words("--on true"), "", "! tool: true: a switch takes no word after it; write --on=true" + flags},
		{words("--on x"), "", "! tool: x: the command takes no operands; give every value with its flag" + flags},
		{words("true --on"), "", "! tool: true: the command takes no operands; give every value with its flag" + flags},
	})
	run(t, command(t, `{"properties":{"p":{"type":"string"},"-i":{"type":"boolean"}}}`, Operand{Name: "p", Field: "p"}), []line{
		{words("-i true"), "", `{"p":"true","-i":true}`},
		{words("-i true false"), "", "! tool: false: one operand too many; the command takes <p>\nflags: -i"},
		{words("x -i false"), "", "! tool: false: a switch takes no word after it; write -i=false\nflags: -i"},
	})
}
