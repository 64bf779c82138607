//go:build unix

// Demo builds agsh and agent-sdk, serves the change-monitor example and opens
// agsh on it: a shell on a terminal, a script when something is piped in, one
// command when there are arguments.
//
//	go run ./examples/demo
//	echo 'ls /repo' | go run ./examples/demo
//	go run ./examples/demo read /repo/config.json
//
// The agent is executor, or the one that is named first of all:
//
//	go run ./examples/demo --agent planner help
//
// Beside the agents runs the example's tracker, an MCP server over HTTP.
//
// It works in any folder of the module, ends with agsh's exit code and leaves
// nothing running and no temporary files behind.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const module = "agsh.dev"

func main() {
	runtime.LockOSThread()                                            // see ownGroup
	d := &demo{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr} //nolint:forbidigo // a main program
	os.Exit(d.main(os.Args[1:]))                                      //nolint:forbidigo // a main program
}

// A demo is one run of this program.
type demo struct {
	stdin, stdout, stderr *os.File
	// inShell is true while agsh runs: Ctrl-C is then meant for it, and the
	// terminal sends it there.
	inShell atomic.Bool
}

// An interruption is a signal that ends the demo.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return i.signal.String() }

func (d *demo) main(args []string) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			if s != syscall.SIGINT || !d.inShell.Load() {
				cancel(interruption{s.(syscall.Signal)})
			}
		}
	}()

	code, err := d.run(ctx, args)
	if cause, ok := errors.AsType[interruption](context.Cause(ctx)); ok {
		return 128 + int(cause.signal)
	}
	if err != nil {
		fmt.Fprintf(d.stderr, "demo: %v\n", err)
		return 1
	}
	return code
}

// run returns agsh's exit code. Whatever it started and made is gone by then.
func (d *demo) run(ctx context.Context, args []string) (int, error) {
	slug, args, err := selectAgent(args)
	if err != nil {
		return 0, err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return 0, err
	}
	if err := checkAgent(filepath.Join(root, "examples", "change-monitor"), slug); err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "agsh-demo-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err := os.RemoveAll(tmp); err != nil {
			fmt.Fprintf(d.stderr, "demo: %v\n", err)
		}
	}()

	d.progress("building agsh, agent-sdk and the example's MCP servers")
	bin := filepath.Join(tmp, "bin") + string(filepath.Separator)
	build := command(ctx, "go", "build", "-o", bin, "./cmd/agsh", "./cmd/agent-sdk", "./examples/change-monitor/mcp")
	build.Dir = root
	if err := d.quiet(build); err != nil {
		return 0, fmt.Errorf("build the programs: %w", err)
	}
	project, err := d.unpack(ctx, filepath.Join(root, "examples", "change-monitor"), tmp)
	if err != nil {
		return 0, err
	}

	d.progress("serving " + project)
	servers := filepath.Join(bin, "mcp")
	tracker, err := startTracker(ctx, servers)
	if err != nil {
		return 0, fmt.Errorf("start the tracker: %w", err)
	}
	defer tracker.stop()
	// The servers outlive ctx: stop ends them, after agsh.
	serve := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(bin, "agent-sdk"), "serve", "--dir", project,
		"--addr", "127.0.0.1:0", "--state-root", filepath.Join(tmp, "state"), "--drain-timeout", "2s")
	serve.Env = append(append(environ(), "CHANGE_MONITOR_MCP="+servers), tracker.environ()...)
	srv, err := start(ctx, serve, slug, readyTimeout)
	if err != nil {
		return 0, err
	}
	defer srv.stop()
	return d.shell(ctx, filepath.Join(bin, "agsh"), srv.url, args)
}

// selectAgent takes --agent from the front of args: what stands behind is
// agsh's, and may be a tool's flag of the same name.
func selectAgent(args []string) (slug string, rest []string, err error) {
	const flag = "--agent"
	if len(args) == 0 {
		return "executor", args, nil
	}
	name, slug, inline := strings.Cut(args[0], "=")
	switch rest = args[1:]; {
	case name != flag:
		return "executor", args, nil
	case !inline && len(rest) > 0:
		slug, rest = rest[0], rest[1:]
	}
	if slug == "" {
		return "", nil, fmt.Errorf("%s has no value: name an agent, as in %s planner", flag, flag)
	}
	return slug, rest, nil
}

// checkAgent refuses a name that no agent of the project has.
func checkAgent(project, slug string) error {
	entries, err := os.ReadDir(filepath.Join(project, "agents"))
	if err != nil {
		return fmt.Errorf("find the agents of the example: %w", err)
	}
	var slugs []string
	for _, entry := range entries {
		if entry.IsDir() {
			slugs = append(slugs, entry.Name())
		}
	}
	if !slices.Contains(slugs, slug) {
		return fmt.Errorf("--agent: the example has no agent %q; it has %s", slug, strings.Join(slugs, ", "))
	}
	return nil
}

// moduleRoot finds the checkout this program is part of.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", fmt.Errorf("this folder is not inside the module %s: run the demo in a checkout of it", module)
	}
	return dir, nil
}

// unpack runs the example's setup and returns the folder to serve: the example
// itself, or a copy in tmp if it is not unpacked and cannot be written to.
func (d *demo) unpack(ctx context.Context, project, tmp string) (string, error) {
	if _, err := os.Stat(filepath.Join(project, "tree", "repo")); err != nil && !writable(project) {
		dir := filepath.Join(tmp, "change-monitor")
		if err := os.CopyFS(dir, os.DirFS(project)); err != nil {
			return "", fmt.Errorf("copy the example: %w", err)
		}
		project = dir
	}
	if err := d.quiet(command(ctx, filepath.Join(project, "setup"))); err != nil {
		return "", fmt.Errorf("unpack the example: %w", err)
	}
	return project, nil
}

func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".demo-")
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	return os.Remove(f.Name()) == nil
}

// shell runs agsh on our own streams.
func (d *demo) shell(ctx context.Context, agsh, url string, args []string) (int, error) {
	cmd := command(ctx, agsh, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.stdin, d.stdout, d.stderr
	cmd.Env = append(environ(), "AGENT_SHELL_TARGET="+url)
	d.inShell.Store(true)
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return 0, fmt.Errorf("run agsh: %w", err)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// environ is our environment without the targets and tokens of the caller's
// own agents: the demo's programs know only each other.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "AGENT_SHELL_") || strings.HasPrefix(v, "AGENT_SDK_")
	})
}

// command prepares a program that is asked to end when ctx does, and made to
// five seconds later.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// quiet runs cmd and shows what it said only if it failed.
func (d *demo) quiet(cmd *exec.Cmd) error {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if err != nil {
		_, _ = io.Copy(d.stderr, &said)
	}
	return err
}

// progress tells a person what takes the time; a script hears nothing.
func (d *demo) progress(what string) {
	if info, err := d.stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(d.stderr, "demo: %s\n", what)
	}
}
