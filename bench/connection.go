//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agsh.dev/agent"
	"agsh.dev/internal/mcpclient"
)

// connection is how many calls go through a connection to an MCP server on
// standard streams. The floor is the SDK's client with the same server, which
// checks nothing, keeps nothing and cannot be asked for the exact result.
func (b *bench) connection(ctx context.Context) (rows []row, err error) {
	pool := mcpclient.New([]agent.Connection{{Name: "echo", Command: b.floor("echo"), Cwd: b.tmp}}, mcpclient.Config{Getenv: os.Getenv}) //nolint:forbidigo // a main program
	defer pool.Close()
	ours := func(ctx context.Context) error {
		res, err := pool.Call(ctx, "echo", "echo", json.RawMessage(`{"message":"hi"}`))
		if err == nil && (len(res.Content) != 1 || res.Content[0].Text != "hi") {
			err = fmt.Errorf("the connection gives %v", res.Content)
		}
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command(ctx, b.floor("echo")), TerminateDuration: time.Second}, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	floor := func(ctx context.Context) error {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hi"}})
		if err != nil {
			return err
		}
		if text, ok := res.Content[0].(*mcp.TextContent); !ok || text.Text != "hi" {
			return fmt.Errorf("the SDK's client gives %v", res.Content)
		}
		return nil
	}
	for _, n := range []int{1, 16} {
		measure := func(call func(context.Context) error) func(context.Context) (float64, error) {
			return func(ctx context.Context) (float64, error) {
				if _, err := callRate(ctx, n, b.warm, call); err != nil {
					return 0, err
				}
				return callRate(ctx, n, b.loadTime, call)
			}
		}
		o, f, err := interleave(ctx, b.loadPairs, measure(ours), measure(floor))
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{name: fmt.Sprintf("calls of an MCP server, %d at once", n), unit: perSecond, pairs: pairs{o, f}, goal: atLeast(0.8)})
	}
	return rows, nil
}

// callRate is how many calls n callers make in a second, measured for d.
func callRate(ctx context.Context, n int, d time.Duration, call func(context.Context) error) (float64, error) {
	var calls atomic.Int64
	failures := make([]error, n)
	var callers sync.WaitGroup
	began := time.Now()
	for i := range n {
		callers.Go(func() {
			for time.Since(began) < d {
				if failures[i] = call(ctx); failures[i] != nil {
					return
				}
				calls.Add(1)
			}
		})
	}
	callers.Wait()
	return float64(calls.Load()) / time.Since(began).Seconds(), errors.Join(failures...)
}
