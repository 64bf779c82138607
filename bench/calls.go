//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// calls is how many recorded calls a server answers, for some numbers of
// clients.
func (b *bench) calls(ctx context.Context) (rows []row, err error) {
	ours, err := b.agent(ctx, "calls")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	return b.loads(ctx, ours, loadPlan{
		tool: "echo", args: `{"message":"hi"}`, goal: atLeast(0.7), clients: []clients{
			{"calls, 1 at once", 1, 1},
			{"calls, 16 at once", 16, 1},
			{"calls, 64 at once", 64, 1},
			{"calls, 64 at once in 64 sessions", 64, 64},
		},
	})
}

// exec is the same for a tool that is a program.
func (b *bench) exec(ctx context.Context) (rows []row, err error) {
	project, err := b.project()
	if err != nil {
		return nil, err
	}
	ours, err := b.serveProject(ctx, project)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	return b.loads(ctx, ours, loadPlan{
		tool: toolName, args: `{}`, goal: atLeast(0.8), program: filepath.Join(project, "agent", "tools", toolName),
		clients: []clients{
			{"calls of a program, 1 at once", 1, 1},
			{"calls of a program, 8 at once", 8, 1},
		},
	})
}

// A loadPlan says what to call, and by how many at once.
type loadPlan struct {
	tool, args string
	program    string // the floor runs it for each call, if set
	clients    []clients
	goal       goal
}

// Clients are connections that share sessions evenly.
type clients struct {
	name                  string // of the row
	connections, sessions int
}

// loads measures a server of ours against the floor, which stores the same
// bytes for a call.
func (b *bench) loads(ctx context.Context, ours *server, plan loadPlan) (rows []row, err error) {
	events, err := ours.stored(ctx, plan.tool, plan.args)
	if err != nil {
		return nil, err
	}
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "events")
	if err := os.WriteFile(file, events, 0o600); err != nil {
		return nil, err
	}
	floor, err := serve(ctx, b.floor("handler"), "-dir", dir, "-events", file, "-exec", plan.program)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, floor.stop()) }()
	for _, c := range plan.clients {
		r, err := b.loadRow(ctx, ours, floor, plan, c)
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (b *bench) loadRow(ctx context.Context, ours, floor *server, plan loadPlan, c clients) (row, error) {
	oursLoad, floorLoad := load{addr: ours.address()}, load{addr: floor.address()}
	sessions := make([]string, c.sessions)
	for i := range sessions {
		var err error
		if sessions[i], err = ours.session(ctx); err != nil {
			return row{}, err
		}
	}
	for i := range c.connections {
		body := fmt.Sprintf(`{"args":%s,"session":%q}`, plan.args, sessions[i%c.sessions])
		oursLoad.requests = append(oursLoad.requests, post(oursLoad.addr, "/bench/v1/tools/"+plan.tool, body))
		floorLoad.requests = append(floorLoad.requests, post(floorLoad.addr, "/v1/tools/"+plan.tool, body))
	}
	o, f, err := interleave(ctx, b.loadPairs,
		func(ctx context.Context) (served, error) { return b.serveLoad(ctx, ours, oursLoad) },
		func(ctx context.Context) (served, error) { return b.serveLoad(ctx, floor, floorLoad) })
	if err != nil {
		return row{}, err
	}
	return row{
		name: c.name, unit: perSecond, goal: plan.goal,
		pairs:    each(o, f, func(s served) float64 { return s.rate }),
		oursMore: details(o), floorMore: details(f),
	}, nil
}

// served is what a load measured, and what it cost the server.
type served struct {
	flow
	processor float64 // seconds for each answer
}

// serveLoad warms a server up, then measures it.
func (b *bench) serveLoad(ctx context.Context, s *server, l load) (m served, err error) {
	if _, err := l.flow(ctx, b.warm); err != nil {
		return m, err
	}
	before, err := s.processor()
	if err != nil {
		return m, err
	}
	if m.flow, err = l.flow(ctx, b.loadTime); err != nil {
		return m, err
	}
	after, err := s.processor()
	m.processor = (after - before) / float64(m.answers)
	return m, err
}

// details tells the medians of the measurements' p50, p99 and processor time.
func details(all []served) string {
	median := func(figure func(served) float64) string { return millis(spreadOf(each(all, nil, figure).ours).median) }
	return fmt.Sprintf(" (%s, %s, %s)", median(func(s served) float64 { return s.p50 }),
		median(func(s served) float64 { return s.p99 }), median(func(s served) float64 { return s.processor }))
}
