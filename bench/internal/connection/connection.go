// Package connection calls the echo tool of an MCP server: through a
// connection as agents have them, and with the SDK's own client.
package connection

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient"
)

// A Caller makes calls of one server; many may be made at once.
type Caller struct {
	// Call makes one and checks its answer.
	Call func(ctx context.Context) error
	// Close ends the server.
	Close func() error
}

// Ours calls through a connection to program, run in dir.
func Ours(program, dir string, getenv func(string) string) Caller {
	pool := mcpclient.New([]agent.Connection{{Name: "echo", Command: program, Cwd: dir}}, mcpclient.Config{Getenv: getenv})
	return Caller{
		Call: func(ctx context.Context) error {
			res, err := pool.Call(ctx, "echo", "echo", json.RawMessage(`{"message":"hi"}`))
			if err == nil && (len(res.Content) != 1 || res.Content[0].Text != "hi") {
				err = fmt.Errorf("the connection gives %v", res.Content)
			}
			return err
		},
		Close: func() error { pool.Close(); return nil },
	}
}

// SDK calls with the client of the official SDK, which checks nothing, keeps
// nothing and cannot be asked for the exact result.
func SDK(ctx context.Context, program *exec.Cmd) (Caller, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: program, TerminateDuration: time.Second}, nil)
	if err != nil {
		return Caller{}, err
	}
	return Caller{
		Call: func(ctx context.Context) error {
			res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hi"}})
			if err != nil {
				return err
			}
			if len(res.Content) == 1 {
				if text, ok := res.Content[0].(*mcp.TextContent); ok && text.Text == "hi" {
					return nil
				}
			}
			return fmt.Errorf("the SDK's client gives %v", res.Content)
		},
		Close: session.Close,
	}, nil
}
