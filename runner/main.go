package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"agsh.dev/agent"
	"agsh.dev/internal/serveflags"
	"agsh.dev/internal/term"
)

// Main serves agents defined in Go until it is told to stop, as
// "agent-sdk serve" does for a folder, with the same flags. It returns the
// exit code:
//
//	func main() { os.Exit(runner.Main(myAgent)) }
func Main(agents ...agent.Agent) int {
	t := term.OS()
	ctx, stop := term.Signals(context.Background())
	defer stop()
	name := "server"
	if exe, err := os.Executable(); err == nil {
		name = filepath.Base(exe)
	}
	cfg, err := parse(t, name, os.Args[1:], agents)
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(t.Err, "Error: %v\n", err)
		return 2
	}
	serveflags.TuneGC(t.Getenv)
	if err := Serve(ctx, cfg); err != nil {
		fmt.Fprintf(t.Err, "Error: %v\n", err)
		return 1
	}
	return 0
}

// parse makes a configuration of the command line of the program name.
func parse(t *term.Term, name string, args []string, agents []agent.Agent) (Config, error) {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SetOutput(t.Err)
	var flags serveflags.Flags
	flags.Add(fs, DefaultAddr)
	if err := fs.Parse(args); err != nil {
		return Config{}, err
	}
	if fs.NArg() > 0 {
		return Config{}, fmt.Errorf("unknown argument %q", fs.Arg(0))
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	cfg, err := flags.Config(t, agents, name+"\n"+strings.Join(names, "\n"))
	return Config(cfg), err
}
