//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"net"
	"os/exec"
	"strings"
)

// trackerAddr is where the example looks for the tracker if it is not told of
// another place.
const trackerAddr = "127.0.0.1:39411"

// A tracker is the example's MCP server over HTTP.
type tracker struct {
	*server
	token string // without which its tools answer nobody
}

// environ tells the example's agents where the tracker is.
func (t tracker) environ() []string {
	return []string{"TRACKER_URL=" + t.url, "TRACKER_STATUS_URL=" + strings.TrimSuffix(t.url, "/mcp") + "/status", "TRACKER_TOKEN=" + t.token}
}

// startTracker starts the tracker of program at its usual address, or at a
// free one if that is taken. The caller has to call stop.
func startTracker(ctx context.Context, program string) (tracker, error) {
	t := tracker{token: rand.Text()}
	addr := trackerAddr
	if !isFree(ctx, addr) {
		addr = "127.0.0.1:0"
	}
	// It outlives ctx, as agent-sdk does.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, "--set", "tracker", "--http", addr)
	cmd.Env = append(environ(), "TRACKER_TOKEN="+t.token)
	var err error
	t.server, err = start(ctx, cmd, "tracker", readyTimeout)
	return t, err
}

func isFree(ctx context.Context, addr string) bool {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
