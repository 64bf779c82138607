//go:build unix

package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverEnv makes the test binary a server of the kind it names.
const serverEnv = "STDIO_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serverEnv) {
	case "":
		code := m.Run()
		if left := leftGoroutines(); left != "" {
			fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
			code = 1
		}
		os.Exit(code)
	case "mcp":
		serveMCP("")
	case "banner":
		serveMCP("ready\n\n{\"jsonrpc\":\n[1, 2]\n{\"level\":\"info\"}\n")
	case "detach":
		detach()
	case "parent":
		parent()
	}
}

// serveMCP serves the tools "size", which answers with so many bytes, and
// "die", which does not answer.
func serveMCP(banner string) {
	fmt.Print(banner)
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "size", InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ N int }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", in.N)}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "die", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprint(os.Stderr, "starting\nno licence found\n\n")
		os.Exit(3)
		return nil, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// detach leaves a process behind that is in another group and holds our
// streams, and tells its number.
func detach() {
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Printf(`{"jsonrpc":"2.0","method":"pid","params":[%d]}`+"\n", cmd.Process.Pid)
	if os.Getenv("THEN") == "exit" {
		os.Exit(3)
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// parent runs a server, tells its number and waits to be killed.
func parent() {
	tr := New(Config{Path: "sleep", Args: []string{"1000"}, Env: []string{path}})
	if _, err := tr.Connect(context.Background()); err != nil {
		panic(err)
	}
	fmt.Printf(`{"jsonrpc":"2.0","method":"pid","params":[%d]}`+"\n", tr.process.Load().pid)
	select {}
}

const path = "PATH=/usr/bin:/bin"

// self is the test binary as a server.
func self(t testing.TB, kind string, env ...string) Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Path: exe, Env: append(env, serverEnv+"="+kind, "GORACE=atexit_sleep_ms=0"), Grace: patient}
}

// sh is a shell as a server.
func sh(script string) Config {
	return Config{Path: "sh", Args: []string{"-c", script}, Env: []string{path}, Grace: patient}
}

// patient is a grace that no test that passes waits for.
const patient = 20 * time.Second

// connect starts a server and sees to it that nothing is left of it.
func connect(t testing.TB, cfg Config) (*Transport, mcp.Connection) {
	t.Helper()
	tr := New(cfg)
	conn, err := tr.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		p := tr.process.Load()
		if lives(-p.pid) {
			t.Errorf("after Close the group %d has members", p.pid)
		}
	})
	return tr, conn
}

// leftGoroutines returns the stacks if goroutines of the package are left.
// Those that have been waited for may need a moment to be gone.
func leftGoroutines() string {
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		stacks := string(buf[:runtime.Stack(buf, true)])
		_, others, _ := strings.Cut(stacks, "\n\n") // the first is ours
		if !strings.Contains(others, "/stdio.(*") && !strings.Contains(others, "/stdio.start") {
			return ""
		}
		if time.Now().After(deadline) {
			return stacks
		}
	}
}

// lives reports whether a process, or a member of the group -pid, is more
// than a dead one nobody has taken note of.
func lives(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	if pid < 0 {
		return groupRuns(-pid)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	after := stat[strings.LastIndexByte(string(stat), ')')+1:]
	return !strings.ContainsAny(strings.Fields(string(after))[0], "ZXx")
}

// awaitEnd fails unless the process ends soon.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); lives(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives", pid)
		}
	}
}

// readPID reads a message that tells the number of a process.
func readPID(t *testing.T, conn mcp.Connection) int {
	t.Helper()
	var pids []int
	if err := json.Unmarshal(read(t, conn).(*jsonrpc.Request).Params, &pids); err != nil || len(pids) != 1 || !lives(pids[0]) {
		t.Fatalf("pid = %v, %v, want that of one that lives", pids, err)
	}
	return pids[0]
}

// tellPID is shell for what readPID reads.
const tellPID = `printf '{"jsonrpc":"2.0","method":"pid","params":[%d]}\n' `

func read(t testing.TB, conn mcp.Connection) jsonrpc.Message {
	t.Helper()
	msg, err := conn.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

func notification(params string) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "note", Params: json.RawMessage(params)}
}
