//go:build unix

package pythontool_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
	"agsh.dev/internal/agentdir"
	"agsh.dev/internal/schema"
	"agsh.dev/internal/scripttool"
)

func TestSummarizeLatency(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("python3", "--version").CombinedOutput(); err != nil {
		t.Skipf("this machine has no python3: %v %s", err, out)
	}
	project, problems, err := agentdir.Read(".", agentdir.Config{Getenv: os.Getenv})
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, %v", problems, err)
	}
	defer project.Close()
	definition := project.Agents[0].Executables[0]
	tool := scripttool.New(definition, scripttool.Config{Getenv: os.Getenv})
	output, err := schema.Compile(definition.Output)
	if err != nil {
		t.Fatal(err)
	}
	ctx := agent.WithCall(t.Context(), agent.Call{ID: "call_1", Agent: "latency", Session: "ses_1", Workspace: t.TempDir()})
	for _, tt := range []struct{ name, args, want, refuse string }{
		{
			name: "percentiles are samples", args: `{"samples":[30,10,20,40],"percentiles":[25,50,75.5,100]}`,
			want: `{"count":4,"unit":"ms","mean":25.0,"percentiles":[{"percentile":25,"value":10},{"percentile":50,"value":20},{"percentile":75.5,"value":40},{"percentile":100,"value":40}]}`,
		},
		{
			name: "an objective that is met", args: `{"samples":[1,2,3,50],"unit":"s","percentiles":[50],"objective":{"limit":3,"share":75}}`,
			want: `{"count":4,"unit":"s","mean":14.0,"percentiles":[{"percentile":50,"value":2}],"objective":{"met":true,"within":75.0}}`,
		},
		{
			name: "an objective that is missed", args: `{"samples":[1,2],"percentiles":[99],"objective":{"limit":1}}`,
			want: `{"count":2,"unit":"ms","mean":1.5,"percentiles":[{"percentile":99,"value":2}],"objective":{"met":false,"within":50.0}}`,
		},
		{name: "less than nothing", args: `{"samples":[1,-1]}`, refuse: "samples: -1 is less than nothing"},
		{name: "no samples", args: `{"samples":[]}`, refuse: "samples: want a list"},
		{name: "no number", args: `{"samples":[1,true]}`, refuse: "samples[1]: True is not a number"},
		{name: "out of range", args: `{"samples":[1],"percentiles":[0]}`, refuse: "percentiles: 0 is not above 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := tool.Run(ctx, json.RawMessage(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if tt.refuse != "" {
				if said := res.Content[len(res.Content)-1].Text; !res.IsError || !strings.Contains(said, tt.refuse) || strings.Contains(said, "Traceback") {
					t.Errorf("error: %v, text %q, want a refusal that says %q", res.IsError, said, tt.refuse)
				}
				return
			}
			var got, want any
			if json.Unmarshal(res.Structured, &got) != nil || json.Unmarshal([]byte(tt.want), &want) != nil {
				t.Fatalf("answer %s, %+v", res.Structured, res.Content)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if problems := output.Validate(res.Structured); len(problems) > 0 {
				t.Errorf("the output schema refuses it: %v", problems)
			}
		})
	}
}
