// Mcp is the two MCP servers of the change-monitor example in one program:
//
//	mcp --set monitors                              what watches confwatch, over standard input and output
//	mcp --set tracker --http 127.0.0.1:39411        what is worked on, over streamable HTTP
//
// What they tell is made up and always the same, but for what is added while
// the program runs. With --http it prints "<set> <url>" once it is ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	p := program{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, stdio: &mcp.StdioTransport{}} //nolint:forbidigo // a main program
	os.Exit(p.main(ctx, os.Args[1:]))                                                                   //nolint:forbidigo // a main program
}

// A program is one run of this program.
type program struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	stdio          mcp.Transport
}

// main returns the exit code: 2 for arguments it does not understand.
func (p program) main(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	set := flags.String("set", "", "which tools to serve: monitors or tracker")
	addr := flags.String("http", "", "serve streamable HTTP at this `address`; port 0 is a free one; empty is standard input and output")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	offers, ok := sets()[*set]
	if !ok || flags.NArg() > 0 {
		fmt.Fprintf(p.stderr, "mcp: there is no set %q with arguments %q; want --set monitors or --set tracker, and no arguments\n", *set, flags.Args())
		return 2
	}
	if err := p.serve(ctx, *set, *addr, offers); err != nil {
		fmt.Fprintf(p.stderr, "mcp: serve %s: %v\n", *set, err)
		return 1
	}
	return 0
}

func sets() map[string]func() []offer {
	return map[string]func() []offer{"monitors": monitorTools, "tracker": trackerTools}
}

// serve returns when ctx ends or, on standard input, when the client is gone.
func (p program) serve(ctx context.Context, set, addr string, offers func() []offer) error {
	server, err := newServer(set, offers())
	if err != nil {
		return err
	}
	if addr != "" {
		return serveHTTP(ctx, addr, handler(server, p.getenv("TRACKER_TOKEN")), func(host string) {
			fmt.Fprintf(p.stdout, "%s http://%s/mcp\n", set, host)
		})
	}
	if err := server.Run(ctx, p.stdio); ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil // a signal, or the client is gone
}
