//go:build peers

package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// programs is the directory of the built programs.
var programs string

func TestMain(m *testing.M) {
	if os.Getenv(scenarioVariable) != "" {
		if err := client(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agsh-peers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", dir+string(filepath.Separator), "agsh.dev/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	programs = dir
	return m.Run()
}

// modules is where .ci/peers is installed.
func modules(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", ".ci", "peers", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// module is the main file of an installed peer.
func module(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(modules(t), filepath.FromSlash(name), "dist", "index.js")
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v; run make peers, which installs it", err)
	}
	return file
}

// node is the Node that is installed with the peers or, where there is none
// for the machine, the one of the machine.
func node(t *testing.T) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pinned := filepath.Join(modules(t), "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(pinned); err == nil {
		return pinned
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("%v; the peers need Node 22", err)
	}
	return path
}
