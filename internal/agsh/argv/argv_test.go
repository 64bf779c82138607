package argv

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/schema"
)

// command compiles a schema with its real validator.
func command(t testing.TB, input string, operands ...Operand) *Command {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(input))
	validate := func(args json.RawMessage) (list []Problem) {
		for _, p := range s.Validate(args) {
			list = append(list, Problem(p))
		}
		return list
	}
	if err != nil {
		validate = nil
	}
	c, err := Compile(Spec{Name: "tool", Input: json.RawMessage(input), Operands: operands, Validate: validate})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A line is one command line and what becomes of it: want is the JSON, or the
// error after "! ".
type line struct {
	args     []string
	jsonArgs string
	want     string
}

func run(t *testing.T, c *Command, lines []line) {
	t.Helper()
	for _, l := range lines {
		var jsonArgs json.RawMessage
		if l.jsonArgs != "" {
			jsonArgs = json.RawMessage(l.jsonArgs)
		}
		out, err := c.Parse(l.args, jsonArgs)
		got := string(out)
		if err != nil {
			if _, ok := errors.AsType[*UsageError](err); !ok {
				t.Errorf("Parse(%q): %T, want a *UsageError", l.args, err)
			}
			got = "! " + err.Error()
		}
		if diff := cmp.Diff(l.want, got); diff != "" {
			t.Errorf("Parse(%q, %s) (-want +got):\n%s", l.args, l.jsonArgs, diff)
		}
	}
}

func words(s string) []string { return strings.Fields(s) }

func flagNames(c *Command) string {
	var names []string
	for _, f := range c.Flags() {
		names = append(names, strings.TrimSuffix(f.Name+" "+f.Placeholder, " "))
	}
	return strings.Join(names, ", ")
}

func TestR01_ListsTakeOneFlagPerElement(t *testing.T) {
	run(t, command(t, `{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}},"subject":{"type":"string"}},"required":["to"]}`), []line{
		{words("--to a@example.test --subject Hi"), "", `{"to":["a@example.test"],"subject":"Hi"}`},
		{words("--subject Hi --to a --to b,c"), "", `{"to":["a","b,c"],"subject":"Hi"}`},
		{[]string{"--to", `["a","b"]`}, "", `! tool: --to: takes one element at a time, not a JSON array; repeat it for each element, or pass the list with --json-args`},
		{nil, `{"to":["[1]"]}`, `{"to":["[1]"]}`},
	})
	run(t, command(t, `{"properties":{"f":{"type":"array","items":{"type":"object"}},"n":{"type":"array","items":{"type":"integer"}},"m":{"type":"array","items":{"type":"array"}},"any":{"type":"array"}}}`), []line{
		{[]string{"--f", `{"a": 1}`, "--f={}"}, "", `{"f":[{"a":1},{}]}`},
		{[]string{"--f", `x`}, "", `! tool: --f: must be a JSON object, not "x"`},
		{words("--n 1 --n -2"), "", `{"n":[1,-2]}`},
		{words("--m [[1],[2]]"), "", `{"m":[[1],[2]]}`},
		{words("--any 1 --any x"), "", `{"any":[1,"x"]}`},
	})
}

func TestR02_StringsAreNeverGuessed(t *testing.T) {
	c := command(t, `{"properties":{"pin":{"type":"string"},"n":{"type":"integer"}}}`)
	run(t, c, []line{
		{words("--pin 000123 --n 7"), "", `{"pin":"000123","n":7}`},
		{words("--pin 1e5"), "", `{"pin":"1e5"}`},
		{words("--pin true"), "", `{"pin":"true"}`},
		{words("--pin null"), "", `{"pin":"null"}`},
		{words("--pin="), "", `{"pin":""}`},
		{words("--n 7.5"), "", `! tool: --n: must be an integer, not 7.5`},
		{words("--n x"), "", `! tool: --n: must be an integer, not "x"`},
		{words("--n 12345678901234567890123"), "", `{"n":12345678901234567890123}`},
		{words("--n 007"), "", `! tool: --n: must be an integer, not "007"`},
	})
}

func TestR03_AUnionWithNullIsTheScalar(t *testing.T) {
	c := command(t, `{"properties":{"title":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"n":{"type":["integer","null"]},"mode":{"enum":["a","b",null]},
		"on":{"oneOf":[{"type":"null"},{"type":"boolean"}]},"tags":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}}}`)
	run(t, c, []line{
		{words("--title x --n 3"), "", `{"title":"x","n":3}`},
		{words("--on --mode b --tags x"), "", `{"mode":"b","on":true,"tags":["x"]}`},
		{nil, "", `{}`},
	})
	if got, want := flagNames(c), "--title <string>, --n <integer>, --mode <a|b>, --on, --tags <string>"; got != want {
		t.Errorf("flags = %s, want %s", got, want)
	}
}

func TestR04_ReferencesAreFollowed(t *testing.T) {
	for _, defs := range []string{"$defs", "definitions"} {
		run(t, command(t, `{"`+defs+`":{"Q":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}}}},
			"properties":{"query_model":{"$ref":"#/`+defs+`/Q"}},"required":["query_model"]}`), []line{
			{words("--query-model-query ops --query-model-limit 5"), "", `{"query_model":{"query":"ops","limit":5}}`},
			{nil, "", `! tool: query_model: is required; give at least one of --query-model-query, --query-model-limit`},
		})
	}
	tree := command(t, `{"$defs":{"T":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/T"}},"next":{"$ref":"#/$defs/T"}}}},
		"properties":{"tree":{"$ref":"#/$defs/T"},"self":{"$ref":"#"}}}`)
	if got, want := flagNames(tree), "--tree-v <integer>, --tree-kids <value>, --tree-next <value>, --self <value>"; got != want {
		t.Errorf("flags = %s, want %s", got, want)
	}
	run(t, tree, []line{
		{[]string{"--tree-v", "1", "--tree-next", `{"v":2}`, "--tree-kids", `{"v":3}`}, "", `{"tree":{"v":1,"kids":[{"v":3}],"next":{"v":2}}}`},
		{[]string{"--tree-next", `{"v":"x"}`}, "", `! tool: --tree-next at /v: must be an integer, not "x"`},
	})
	run(t, command(t, `{"properties":{"a":{"allOf":[{"$ref":"#/$defs/E"}],"description":"which"}},"$defs":{"E":{"enum":["x","y"]}}}`), []line{
		{words("--a y"), "", `{"a":"y"}`},
		{words("--a z"), "", `! tool: --a: must be one of: x, y, not "z"`},
	})
}

func TestR05_ReservedFlagsKeepTheirMeaning(t *testing.T) {
	c := command(t, `{"properties":{"output":{"type":"string"},"session":{"type":"string"},"help":{"type":"boolean"},"-h":{"type":"string"},"output_2":{"type":"string"}}}`)
	if got, want := flagNames(c), "--output-3 <string>, --session-2 <string>, --help-2, -h-2 <string>, --output-2 <string>"; got != want {
		t.Errorf("flags = %s, want %s", got, want)
	}
	args := words("--output json --output-3 o --session-2 s --help-2 -h-2 h --output-2 two")
	g, rest, err := SplitGlobals(args)
	if err != nil || g.Output != "json" || g.Help {
		t.Errorf("SplitGlobals(%q) = %+v, %v", args, g, err)
	}
	run(t, c, []line{{rest, "", `{"output":"o","session":"s","help":true,"-h":"h","output_2":"two"}`}})
	if f := c.Flags()[0]; !f.Renamed || f.Property != "output" {
		t.Errorf("flag %+v, want it renamed and of property output", f)
	}
}

func TestR06_ANegativeNumberIsAValue(t *testing.T) {
	c := command(t, `{"properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"},"delta":{"type":"number"},"text":{"type":"string"}}}`,
		Operand{Name: "path", Field: "path"})
	run(t, c, []line{
		{words("/a.txt --offset -5 --limit 2"), "", `{"path":"/a.txt","offset":-5,"limit":2}`},
		{words("--offset=-5 /a.txt"), "", `{"path":"/a.txt","offset":-5}`},
		{words("/a --delta -1.5e3"), "", `{"path":"/a","delta":-1.5e3}`},
		{words("/a --text -x"), "", `{"path":"/a","text":"-x"}`},
		{words("/a --offset -x"), "", `! tool: --offset: must be an integer, not "-x"`},
		{words("/a --offset"), "", `! tool: --offset: missing value; write --offset=VALUE`},
		{words("/a --text --limit 2"), "", `! tool: --text: missing value; write --text=VALUE`},
		{words("/a --text=--limit"), "", `{"path":"/a","text":"--limit"}`},
		{words("-5"), "", `{"path":"-5"}`},
		{words("-"), "", `{"path":"-"}`},
	})
}

func TestR07_ALeafIsRequiredWithItsWholeChain(t *testing.T) {
	props := `"properties":{"base":{"type":"object","properties":{"url":{"type":"string"},"note":{"type":"string"}},"required":["url"]}}`
	required := command(t, `{"type":"object",`+props+`,"required":["base"]}`)
	optional := command(t, `{"type":"object",`+props+`}`)
	const missing = `! tool: --base-url: is required and missing; it must be a string`
	run(t, required, []line{
		{nil, "", missing},
		{words("--base-note n"), "", missing},
		{words("--base-url u"), "", `{"base":{"url":"u"}}`},
	})
	run(t, optional, []line{
		{nil, "", `{}`},
		{words("--base-note n"), "", missing},
		{words("--base-note n --base-url u"), "", `{"base":{"url":"u","note":"n"}}`},
	})
	if r, o := required.Flags()[0].Required, optional.Flags()[0].Required; !r || o {
		t.Errorf("--base-url required = %t and %t, want true and false", r, o)
	}
}

func TestR08_AnUnknownFlagCallsNothing(t *testing.T) {
	c := command(t, `{"properties":{"depth":{"type":"integer"},"all":{"type":"boolean"},"addHTTPHeaders":{"type":"string"}}}`)
	flags := "\nflags: --depth <integer>, --all, --add-http-headers <string>"
	run(t, c, []line{
		{words("--max-depth 1"), "", "! tool: --max-depth: no such flag; did you mean --depth?" + flags},
		{words("--dpeth=1"), "", "! tool: --dpeth: no such flag; did you mean --depth?" + flags},
		{words("--addHTTPHeaders=x"), "", "! tool: --addHTTPHeaders: no such flag; did you mean --add-http-headers?" + flags},
		{words("--nall"), "", "! tool: --nall: no such flag; did you mean --all?" + flags},
		{words("--zzzzzz"), "", "! tool: --zzzzzz: no such flag" + flags},
		{words("-z"), "", "! tool: -z: no such flag" + flags},
		{words("--all x"), "", "! tool: x: the command takes no operands; give every value with its flag" + flags},
	})
}

func TestR09_NamesAreKebabAndFindTheirWayBack(t *testing.T) {
	for name, want := range map[string]string{
		"addHTTPHeaders": "--add-http-headers", "orgID": "--org-id", "client_id": "--client-id", "userIP2": "--user-ip2",
		"userIDs": "--user-ids", "org slug": "--org-slug", "a.b": "--a-b", "X": "--x", "already-kebab": "--already-kebab",
		"-i": "-i", "-A": "-A", "--flag": "--flag", "": "--arg", "\x1b[2J\n": "--2-j", "日本": "--日本", "__x__": "--x", "v2Name": "--v2-name",
	} {
		raw, err := json.Marshal(map[string]any{"properties": map[string]any{name: map[string]any{"type": "string"}}})
		if err != nil {
			t.Fatal(err)
		}
		c := command(t, string(raw))
		if got := c.Flags()[0].Name; got != want {
			t.Errorf("flag of %q = %s, want %s", name, got, want)
		}
		out, err := c.Parse([]string{want, "v"}, nil)
		var back map[string]string
		if err != nil || json.Unmarshal(out, &back) != nil || back[name] != "v" {
			t.Errorf("%s v = %s, %v, want %q set", want, out, err, name)
		}
	}
}

func TestCollisionsGetStableSuffixes(t *testing.T) {
	c := command(t, `{"properties":{"a_b":{},"aB":{},"a-b-2":{},"a.b":{},"a":{"type":"object","properties":{"b":{}}}}}`)
	if got, want := flagNames(c), "--a-b <value>, --a-b-3 <value>, --a-b-2 <value>, --a-b-4 <value>, --a-b-5 <value>"; got != want {
		t.Errorf("flags = %s, want %s", got, want)
	}
	run(t, c, []line{{words("--a-b 1 --a-b-2 2 --a-b-3 3 --a-b-4 4 --a-b-5 5"), "", `{"a_b":1,"aB":3,"a-b-2":2,"a.b":4,"a":{"b":5}}`}})
}

func TestSwitches(t *testing.T) {
	c := command(t, `{"properties":{"x":{"type":"boolean"},"y":{"type":"boolean"},"no_y":{"type":"boolean"},"s":{"type":"string"}}}`, Operand{Name: "s", Field: "s", Optional: true})
	run(t, c, []line{
		{words("--x false"), "", `{"x":true,"s":"false"}`},
		{words("--no-x"), "", `{"x":false}`},
		{words("--x=false --y=true"), "", `{"x":false,"y":true}`},
		{words("--no-y"), "", `{"no_y":true}`},
		{words("--no-no-y"), "", `{"no_y":false}`},
		{words("--x=yes"), "", `! tool: --x: must be true or false, not "yes"`},
		{words("--no-x=1"), "", `! tool: --no-x: takes no value; write --x=1`},
		{words("--x --no-x"), "", `! tool: --x: is given more than once, and takes one value`},
	})
	if got := []string{c.Flags()[0].Negation, c.Flags()[1].Negation}; got[0] != "--no-x" || got[1] != "" {
		t.Errorf("negations %q, want --no-x and none", got)
	}
}

func TestShortFlagsOfGrep(t *testing.T) {
	c := command(t, `{"properties":{"pattern":{"type":"string"},"path":{"type":"string"},"-i":{"type":"boolean"},"-n":{"type":"boolean"},"-A":{"type":"integer"},"output_mode":{"enum":["content","count"]}},"required":["pattern"]}`,
		Operand{Name: "pattern", Field: "pattern", Optional: false}, Operand{Name: "path", Field: "path", Optional: true})
	run(t, c, []line{
		{words("-i -A 2 toolEffect /repo/src"), "", `{"pattern":"toolEffect","path":"/repo/src","-i":true,"-A":2}`},
		{words("-inA2 x"), "", `{"pattern":"x","-i":true,"-n":true,"-A":2}`},
		{words("x -A=2 --output-mode count"), "", `{"pattern":"x","-A":2,"output_mode":"count"}`},
		{words("x -nA 3"), "", `{"pattern":"x","-n":true,"-A":3}`},
		{words("-A -i x"), "", `! tool: -A: missing value; write -A=VALUE`},
		{words("-- -i"), "", `{"pattern":"-i"}`},
		{words("-iz x"), "", "! tool: -iz: no such flag; if it is an operand, write it after --\nflags: -i, -n, -A <integer>, --output-mode <content|count>"},
		{words("-i"), "", `! tool: <pattern>: is required and missing; it must be a string`},
		{words("a b c"), "", "! tool: c: one operand too many; the command takes <pattern> [path]\nflags: -i, -n, -A <integer>, --output-mode <content|count>"},
		{words("--pattern=a b"), "", "! tool: --pattern: no such flag; <pattern> is given without one\nflags: -i, -n, -A <integer>, --output-mode <content|count>"},
	})
	if got := c.Operands(); len(got) != 2 || got[1].String() != "[path]" {
		t.Errorf("operands %v", got)
	}
}

// An operand that the synopsis shows as needed is, also where the schema would
// do without it.
func TestAnOperandIsNeededWhateverTheSchemaSays(t *testing.T) {
	c := command(t, `{"properties":{"path":{"type":"string"},"dir":{"type":"string"},"limit":{"type":"integer"}}}`,
		Operand{Name: "path", Field: "path", Optional: false}, Operand{Name: "dir", Field: "dir", Optional: true})
	run(t, c, []line{
		{nil, "", `! tool: <path>: is required and missing; it must be a string`},
		{words("--limit 1"), "", `! tool: <path>: is required and missing; it must be a string`},
		{words("/a"), "", `{"path":"/a"}`},
		{nil, `{"path":"/a"}`, `{"path":"/a"}`},
	})
}

func TestValuesKeepTheTypeOfTheSchema(t *testing.T) {
	run(t, command(t, `{"properties":{"level":{"enum":[1,2,"auto",true]},"size":{"type":"integer","enum":[10,20]},"v":{"const":2},
		"mix":{"type":["string","integer"]},"pat":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
		"free":{"type":"object"},"map":{"type":"object","additionalProperties":{"type":"integer"}},"lit":{"anyOf":[{"const":"a"},{"const":"b"}]}}}`), []line{
		{words("--level 2 --size 10 --v 2"), "", `{"level":2,"size":10,"v":2}`},
		{words("--level auto --mix 5"), "", `{"level":"auto","mix":5}`},
		{words("--level true --mix true"), "", `{"level":true,"mix":"true"}`},
		{words("--mix 007 --pat x"), "", `{"mix":"007","pat":"x"}`},
		{[]string{"--pat", `["x", "y"]`}, "", `{"pat":["x","y"]}`},
		{[]string{"--free", `{"k": 1.50}`, "--map", `{"a":1}`}, "", `{"free":{"k":1.50},"map":{"a":1}}`},
		{[]string{"--free", `[]`}, "", `! tool: --free: must be a JSON object, not "[]"`},
		{[]string{"--map", `{"a":"x"}`}, "", `! tool: --map at /a: must be an integer, not "x"`},
		{words("--size 30"), "", `! tool: --size: must be one of: 10, 20, not 30`},
		{words("--lit c"), "", `! tool: --lit: must be one of: a, b, not "c"`},
	})
}

func TestJSONArgsFillInWhatFlagsLeaveOut(t *testing.T) {
	c := command(t, `{"properties":{"q":{"type":"string"},"t":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a"]},"n":{"type":"integer"}},"required":["q"]}`)
	run(t, c, []line{
		{nil, `{"n":12345678901234567890,"q":"x","extra":[1, 2]}`, `{"q":"x","n":12345678901234567890,"extra":[1,2]}`},
		{words("--q flag --t-b 2"), `{"q":"json","t":{"a":1,"b":1,"c":0}}`, `{"q":"flag","t":{"a":1,"b":2,"c":0}}`},
		{words("--q x"), `{"t":{"b":1}}`, `! tool: --t-a: is required and missing; it must be an integer`},
		{words("--q x"), `{"n":"x"}`, `! tool: --n: must be an integer, not "x"`},
		{words("--q x"), `[1]`, `! tool: --json-args: must be a JSON object, not "[1]"`},
		{words("--q x"), `{"n":`, `! tool: --json-args: must be a JSON object, not '{"n":'`},
		{words("--q x --t-a 1"), `{"t":null}`, `{"q":"x","t":{"a":1}}`},
	})
}

func TestEveryProblemIsListed(t *testing.T) {
	c := command(t, `{"properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"type":"string","maxLength":2}},"mode":{"enum":["a","b"]}},"required":["path","mode"]}`,
		Operand{Name: "path", Field: "path", Optional: false})
	run(t, c, []line{
		{words("--limit x --tags abc --nope"), "", `! tool: 5 problems
  --limit: must be an integer, not "x"
  --nope: no such flag
  <path>: is required and missing; it must be a string
  --mode: is required and missing; it must be one of: a, b
  --tags (element 0): must have at most 2 characters, not 3 characters
flags: --limit <integer>, --tags <string>, --mode <a|b>`},
		{words("p --mode a --limit 0"), "", `! tool: --limit: must be at least 1, not 0`},
	})
}

func TestR21_HelpIsTakenOutBeforeAnythingIsChecked(t *testing.T) {
	g, rest, err := SplitGlobals(words("create_monitor --name x --help"))
	if err != nil || !g.Help || strings.Join(rest, " ") != "create_monitor --name x" {
		t.Errorf("got %+v, %q, %v", g, rest, err)
	}
}

func TestR75_ErrorsShowNoControlCharacters(t *testing.T) {
	c := command(t, `{"properties":{"\u001b[2Jevil\u009b":{"type":"integer"},"e":{"enum":["\u001b]0;x\u0007"]},"o":{"type":"object","properties":{},"additionalProperties":false}},"required":["\u202ex"]}`)
	for _, args := range [][]string{
		{"--\x1b[2J"}, {"--2-jevil", "\x1b\u202e"}, {"--e", "\u009b"}, {"\x1b]8;;http://evil.test\x07"}, {"--o", "{\"\x7f\u202e\":1}"}, nil,
	} {
		_, err := c.Parse(args, nil)
		if err == nil {
			t.Errorf("Parse(%q) = nil error", args)
			continue
		}
		if s := err.Error(); strings.ContainsAny(s, "\x1b\x07\x7f\u009b\u202e") {
			t.Errorf("Parse(%q): raw control in %q", args, s)
		}
	}
}

func TestFlagsTellWhatHelpShows(t *testing.T) {
	c := command(t, `{"properties":{"telemetry":{"type":"object","properties":{"context":{"type":"string","description":"what to *keep*","default":"all"}}},"ids":{"type":"array","items":{"type":"integer"},"default":[1, 2]}}}`)
	want := []Flag{
		{Name: "--telemetry-context", Property: "telemetry.context", Type: "string", Placeholder: "<string>", Description: "what to *keep*", Default: "all"},
		{Name: "--ids", Property: "ids", Type: "integer", Placeholder: "<integer>", Default: "[1,2]", Repeated: true},
	}
	if diff := cmp.Diff(want, c.Flags()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnOperandNeedsItsProperty(t *testing.T) {
	_, err := Compile(Spec{Name: "read", Input: json.RawMessage(`{"properties":{"file":{}}}`), Operands: []Operand{{Name: "path", Field: "path", Optional: false}}})
	if err == nil || !strings.Contains(err.Error(), `no property "path"`) {
		t.Errorf("Compile = %v, want it to name the property", err)
	}
}
