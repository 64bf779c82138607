//go:build peers

package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient"
)

// scenarioVariable is how the suite tells a client what is tested. Where it is
// set, this test's program is that client.
const scenarioVariable = "MCP_CONFORMANCE_SCENARIO"

// TestConformance runs the suite's core scenarios against package mcpclient.
// What is not built is in testdata/conformance.yaml; an entry there that
// passes fails the test, so the list only shrinks.
func TestConformance(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := filepath.Abs(filepath.Join("testdata", "conformance.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// One scenario wants a client to come back after 0.5 s and before 1 s, which
	// a busy machine may miss once.
	var out []byte
	for range 3 {
		cmd := exec.CommandContext(t.Context(), node(t), module(t, "@modelcontextprotocol/conformance"),
			"client", "--command", self, "--suite", "core", "--expected-failures", baseline)
		cmd.Dir = t.TempDir()
		if out, err = cmd.CombinedOutput(); err == nil {
			return
		}
	}
	t.Errorf("the suite ends with %v\n%s", err, out)
}

// arguments of the suite's tools; the others take none.
var arguments = map[string]string{"add_numbers": `{"a":5,"b":3}`}

// client connects to the server of a scenario, lists its tools and calls each.
func client(endpoint string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	pool := mcpclient.New([]agent.Connection{{Name: "suite", URL: endpoint}}, mcpclient.Config{Version: "0.0.0"})
	defer pool.Close()
	listed := pool.Tools(ctx).Connections[0]
	errs := []error{listed.Err}
	for _, tool := range listed.Tools {
		args := arguments[tool.Upstream]
		if args == "" {
			args = "{}"
		}
		res, err := pool.Call(ctx, "suite", tool.Upstream, json.RawMessage(args))
		if err == nil && res.IsError {
			err = fmt.Errorf("%s answers with an error: %v", tool.Upstream, res.Content)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
