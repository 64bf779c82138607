//go:build unix

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server that hangs for longer than any test lasts delays neither the start,
// nor what the agent has of its own, nor the end.
func TestAServerThatHangsDelaysOnlyWhatNeedsIt(t *testing.T) {
	t.Parallel()
	target := serveFiles(t, map[string]string{
		"agent/agent.yaml":                 "name: agent\nroot: {temp: {/a.txt: hello}}\n",
		"agent/instructions.md":            "Test.\n",
		"agent/mcp-connections/hangs.yaml": "command: mcpserver\nargs: [-mute]\nconnectTimeout: 5m\n",
	})
	began := time.Now()
	for _, args := range [][]string{{"read", "/a.txt"}, {"LS", "/"}, {"grep", "--help"}, {"--complete", "agsh read /"}, {"--complete", "agsh read --"}} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "agsh"), args...)
		cmd.Env = []string{"AGENT_SHELL_TARGET=" + target, "HOME=" + t.TempDir()}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("agsh %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if took := time.Since(began); took > patience {
			t.Fatalf("after agsh %s %v are over", strings.Join(args, " "), took)
		}
	}
}
