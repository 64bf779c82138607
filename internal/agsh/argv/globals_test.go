package argv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitGlobalsTakesReservedFlagsFromAnywhere(t *testing.T) {
	for _, tt := range []struct {
		args string
		want Globals
		rest string
	}{
		{
			"read /a --target http://x/y --limit 2 --output=json",
			Globals{Target: "http://x/y", Output: "json", Set: map[string]bool{"--target": true, "--output": true}},
			"read /a --limit 2",
		},
		{"-h read", Globals{Help: true, Set: map[string]bool{"--help": true}}, "read"},
		{
			"t --json-args - --approve --session s1 --session=s2 --team t --bearer-token=a=b --continuation-token c",
			Globals{JSONArgs: "-", Approve: true, Session: "s2", Team: "t", BearerToken: "a=b", ContinuationToken: "c", Set: map[string]bool{
				"--json-args": true, "--approve": true, "--session": true, "--team": true, "--bearer-token": true, "--continuation-token": true,
			}},
			"t",
		},
		{"t --approve=false --output-2 x", Globals{Set: map[string]bool{"--approve": true}}, "t --output-2 x"},
		{"grep -- --help --output", Globals{Set: map[string]bool{}}, "grep -- --help --output"},
		{"", Globals{Set: map[string]bool{}}, ""},
	} {
		got, rest, err := SplitGlobals(strings.Fields(tt.args))
		if err != nil {
			t.Errorf("SplitGlobals(%q): %v", tt.args, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("SplitGlobals(%q) (-want +got):\n%s", tt.args, diff)
		}
		if got := strings.Join(rest, " "); got != tt.rest {
			t.Errorf("SplitGlobals(%q) leaves %q, want %q", tt.args, got, tt.rest)
		}
	}
}

func TestSplitGlobalsRefusesWhatIsMissingOrUnknown(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"read", "--target"}, "--target: missing value; write --target=VALUE"},
		{[]string{"--session", "--output", "json"}, "--session: missing value; write --session=VALUE"},
		{[]string{"--session", "-h"}, "--session: missing value; write --session=VALUE"},
		{[]string{"--session", ""}, "--session: has an empty value"},
		{[]string{"--output", "yaml"}, "--output: must be text or json, not \"yaml\""},
		{[]string{"--help=perhaps"}, "--help: must be true or false, not \"perhaps\""},
		{[]string{"--team=", "--output=\x1b[2J"}, "2 problems\n  --team: has an empty value\n  --output: must be text or json, not \"\\x1b[2J\""},
	} {
		_, _, err := SplitGlobals(tt.args)
		if err == nil || err.Error() != tt.want {
			t.Errorf("SplitGlobals(%q) = %v, want %q", tt.args, err, tt.want)
		}
	}
}
