//go:build unix

package changemonitor_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"agsh.dev/agent"
	"agsh.dev/internal/scripttool"
)

// A tool written in Go is built to another place and still finds the example
// that its source is part of, in whatever workspace it runs.
func TestPlanChecksThroughTheRuntime(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	for _, e := range readAgent(t, r.dir, "executor", nil).Executables {
		if e.Name != "plan_checks" {
			continue
		}
		tool := scripttool.New(e, scripttool.Config{Getenv: os.Getenv, CacheDir: t.TempDir()})
		ctx := agent.WithCall(t.Context(), agent.Call{ID: "call_1", Agent: "executor", Session: "ses_1", Workspace: r.workspace})
		res, err := tool.Run(ctx, json.RawMessage(`{"policy":{"floor":"high"}}`))
		if err != nil || res.IsError || !strings.Contains(string(res.Structured), `"check":"operations"`) {
			t.Errorf("plan_checks = %s, %+v, %v", res.Structured, res.Content, err)
		}
		r.mustHold(t)
		return
	}
	t.Fatal("the example has no plan_checks")
}
