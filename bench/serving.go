//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// toolName is the executable of the small project.
const toolName = "fine"

// The files of a small project: an agent with one tool, a shell script that
// starts no other program.
var projectFiles = map[string]string{
	"agent/agent.yaml": "name: bench\ndescription: An agent of the bench.\n",
	"agent/tools/" + toolName: `#!/bin/sh
# ---
# description: Says that all is fine.
# effect: read
# ---
echo '{"fine":true}'
`,
}

// project writes the small project to a new directory.
func (b *bench) project() (string, error) {
	dir, err := b.dir()
	if err != nil {
		return "", err
	}
	for name, content := range projectFiles {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil { //nolint:gosec // a tool is executable
			return "", err
		}
	}
	return dir, nil
}

// serveProject serves a project with agent-sdk; the caller stops it.
func (b *bench) serveProject(ctx context.Context, project string) (*server, error) {
	state, err := b.dir()
	if err != nil {
		return nil, err
	}
	return serve(ctx, b.ours("agent-sdk"), "serve", "--dir", project, "--addr", "127.0.0.1:0", "--state-root", state)
}

// A boot is what one start of a server measured.
type boot struct{ wall, resident float64 }

// firstAnswer starts a server, asks it one thing and stops it.
func firstAnswer(ctx context.Context, start func(context.Context) (*server, error)) (m boot, err error) {
	began := time.Now()
	s, err := start(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.get(ctx, "/v1/tools"); err != nil {
		return m, err
	}
	m.wall = time.Since(began).Seconds()
	m.resident, err = s.resident()
	return m, err
}

// start is how long agent-sdk takes to its first answer, and what it has in
// memory then.
func (b *bench) start(ctx context.Context) ([]row, error) {
	project, err := b.project()
	if err != nil {
		return nil, err
	}
	ours := func(ctx context.Context) (boot, error) {
		return firstAnswer(ctx, func(ctx context.Context) (*server, error) { return b.serveProject(ctx, project) })
	}
	floor := func(ctx context.Context) (boot, error) {
		return firstAnswer(ctx, func(ctx context.Context) (*server, error) {
			dir, err := b.dir()
			if err != nil {
				return nil, err
			}
			return serve(ctx, b.floor("handler"), "-dir", dir)
		})
	}
	o, f, err := interleave(ctx, b.startPairs, ours, floor)
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "serve, start to first answer", unit: millis, goal: ourMost(0.040), pairs: each(o, f, func(m boot) float64 { return m.wall })},
		{name: "serve, memory when idle", unit: mebibytes, goal: ourMost(30 << 20), pairs: each(o, f, func(m boot) float64 { return m.resident })},
	}, nil
}

// memory compares what a server has in memory after many calls and after many
// more: it must not grow. Its earlier self is the floor.
func (b *bench) memory(ctx context.Context) (rows []row, err error) {
	s, err := b.agent(ctx, "memory")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	l := load{addr: s.address()}
	for range b.growthConnections {
		session, err := s.session(ctx)
		if err != nil {
			return nil, err
		}
		l.requests = append(l.requests, post(l.addr, "/bench/v1/tools/echo", `{"args":{"message":"hi"},"session":"`+session+`"}`))
	}
	window := b.growthA / 5
	if err := l.send(ctx, b.growthA-window); err != nil {
		return nil, err
	}
	early, err := s.watch(ctx, l, window)
	if err != nil {
		return nil, err
	}
	if err := l.send(ctx, b.growthB-b.growthA-window); err != nil {
		return nil, err
	}
	late, err := s.watch(ctx, l, window)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "serve, memory after " + thousands(int64(b.growthB)) + " calls", unit: mebibytes, goal: atMost(1.05),
		pairs: pairs{[]float64{late}, []float64{early}}, floorMore: " after " + thousands(int64(b.growthA)),
	}}, nil
}

// watch sends n calls and returns the median of what the server has in memory
// meanwhile: a single look would see the heap before or after a collection.
func (s *server) watch(ctx context.Context, l load, n int) (float64, error) {
	sent := make(chan error, 1)
	go func() { sent <- l.send(ctx, n) }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var seen []float64
	for {
		resident, looked := s.resident()
		seen = append(seen, resident)
		select {
		case err := <-sent:
			return spreadOf(seen).median, errors.Join(err, looked)
		case <-tick.C:
		}
	}
}
