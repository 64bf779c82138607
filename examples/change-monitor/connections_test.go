//go:build unix

package changemonitor_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/mcpclient"
)

// startTracker starts the tracker on a free port and returns its URL.
func startTracker(t *testing.T, program string) (url string) {
	t.Helper()
	cmd := exec.Command(program, "--set", "tracker", "--http", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "TRACKER_TOKEN=sesame")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the tracker did not start: %v", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "tracker "))
}

func TestThePlannersConnectionsThroughTheRuntime(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "mcp")
	if out, err := exec.Command("go", "build", "-o", program, "./mcp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "CHANGE_MONITOR_MCP": program,
		"TRACKER_URL": startTracker(t, program), "TRACKER_TOKEN": "sesame",
	}
	dir := unpacked(t)
	listing := func(t *testing.T) (*mcpclient.Pool, string) {
		t.Helper()
		getenv := func(name string) string { return env[name] }
		pool := mcpclient.New(readAgent(t, dir, "planner", getenv).Connections, mcpclient.Config{Getenv: getenv, Roots: t.TempDir()})
		t.Cleanup(pool.Close)
		pool.Start()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var got strings.Builder
		for _, c := range pool.Tools(ctx).Connections {
			fmt.Fprintf(&got, "%s available:%v\n", c.Name, c.Err == nil)
			for _, tool := range c.Tools {
				line := fmt.Sprintf("  %s %s (%s) %s %s", tool.Connector, tool.Name, tool.Title, tool.Effect, tool.NeedsApproval.Mode)
				fmt.Fprintln(&got, strings.TrimRight(line, " "))
			}
		}
		return pool, got.String()
	}
	const monitors = `monitors available:true
  datadog datadog_create_monitor (Create a monitor) write always
  datadog datadog_graph_metric (Draw a metric) read
  datadog datadog_list_monitors (List monitors) read
  datadog datadog_query_metric (Query a metric) read
  datadog datadog_watch_monitors (Watch monitors for a while) read
  pagerduty pagerduty_list_incidents (List incidents) read
  pagerduty pagerduty_list_on_call (Show who is on call) read
`
	pool, got := listing(t)
	want := monitors + `tracker available:true
   tracker_comment_on_issue (Comment on an issue) write once
   tracker_get_issue (Show an issue) read
   tracker_list_issues (List issues) read
   tracker_list_releases (List releases) read
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listing (-want +got):\n%s", diff)
	}
	res, err := pool.Call(t.Context(), "monitors", "datadog_list_monitors", json.RawMessage(`{"query":"webhook"}`))
	if err != nil || res.IsError || !strings.HasPrefix(string(res.Structured), `{"monitors":[{"id":70102,"name":`) {
		t.Errorf("datadog_list_monitors = %s, %v, want the id first", res.Structured, err)
	}
	if res, err = pool.Call(t.Context(), "tracker", "get_issue", json.RawMessage(`{"id":"CONF-39"}`)); err != nil || res.IsError {
		t.Errorf("get_issue = %+v, %v", res, err)
	}

	t.Run("with the tracker away", func(t *testing.T) {
		env["TRACKER_URL"] = "http://127.0.0.1:1/mcp"
		if _, got := listing(t); got != monitors+"tracker available:false\n" {
			t.Errorf("listing:\n%s", got)
		}
	})
}
