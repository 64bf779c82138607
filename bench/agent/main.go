// Agent is what the bench serves: one agent with one tool, echo. It runs as
// agent-sdk serve does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/pprof"
	"syscall"

	"agsh.dev/agent"
	"agsh.dev/runner"
)

type message struct {
	Message string `json:"message" jsonschema:"What to say back."`
}

var echo = agent.Tool[message, string]{
	Name:        "echo",
	Title:       "Echo",
	Description: "Says back what it is told.",
	Effect:      agent.Read,
	Run:         func(_ context.Context, in message) (string, error) { return in.Message, nil },
}

func main() {
	state := flag.String("state-root", "", "`directory` for sessions")
	profile := flag.String("cpuprofile", "", "`file` for a CPU profile of the whole run")
	flag.Parse()
	if err := serve(*state, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err) //nolint:forbidigo // a main program
		os.Exit(1)                             //nolint:forbidigo // a main program
	}
}

func serve(state, profile string) (err error) {
	debug.SetGCPercent(400) // as agent-sdk serve does
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, f.Close())
		}()
	}
	return runner.Serve(ctx, runner.Config{
		Agents:    []agent.Agent{{Name: "bench", Description: "Echoes.", Natives: []string{}, Tools: []agent.AnyTool{echo}}},
		StateRoot: state,
		Addr:      "127.0.0.1:0",
		Ready:     func(base string) { fmt.Fprintf(os.Stdout, "bench %s/bench\n", base) }, //nolint:forbidigo // a main program
	})
}
