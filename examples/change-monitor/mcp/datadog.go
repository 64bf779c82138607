package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const datadog = "datadog"

type monitorState string

// What a monitor can find.
const (
	stateOK     monitorState = "OK"
	stateWarn   monitorState = "Warn"
	stateAlert  monitorState = "Alert"
	stateNoData monitorState = "No Data"
)

// A monitor watches a metric and tells somebody.
type monitor struct {
	ID       int          `json:"id"`
	Name     string       `json:"name"`
	State    monitorState `json:"state"`
	Priority priority     `json:"priority"`
	Query    string       `json:"query"`
	Tags     []string     `json:"tags"`
	Since    time.Time    `json:"since" jsonschema:"when it came into this state"`
}

// builtInMonitors are those of deploy/alerts.yaml and of the hosts.
func builtInMonitors() []monitor {
	day := func(d, h int) time.Time { return time.Date(2026, 3, d, h, 0, 0, 0, time.UTC) }
	return []monitor{
		{70101, "confwatch is down", stateOK, "P1", `up{job="confwatch"} == 0 for 2m`, []string{"service:confwatch", "team:platform"}, day(2, 6)},
		{70102, "confwatch webhook failing", stateWarn, "P3", "rate(confwatch.notify.errors[15m]) > 0.1 for 15m", []string{"service:confwatch", "team:platform"}, day(23, 9)},
		{70107, "confwatch reads stalled", stateOK, "P2", "avg(confwatch.reads) < 40 for 5m", []string{"service:confwatch", "team:platform"}, day(2, 6)},
		{70110, "confwatch processor time", stateOK, "P4", "avg(confwatch.cpu) > 1 for 30m", []string{"service:confwatch", "team:platform"}, day(2, 6)},
		{70220, "gateway error rate", stateOK, "P1", "sum(gateway.responses.5xx) / sum(gateway.responses) > 0.01 for 5m", []string{"service:gateway", "team:edge"}, day(11, 22)},
		{70221, "gateway routes reloaded too often", stateAlert, "P3", "count(gateway.reloads) > 12 for 1h", []string{"service:gateway", "team:edge"}, day(23, 10)},
		{70305, "hooks.example.com certificate", stateNoData, "P5", "min(tls.days_left{host:hooks.example.com}) < 14", []string{"service:hooks", "team:platform"}, day(1, 0)},
	}
}

// A board is the monitors there are. Those that are created last as long as
// the program. It is safe for concurrent use.
type board struct {
	mu       sync.Mutex
	monitors []monitor
}

func (b *board) list() []monitor {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clip(b.monitors)
}

func (b *board) add(m monitor) monitor {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.ID = 80000 + len(b.monitors)
	b.monitors = append(b.monitors, m)
	return m
}

// monitorTools are the tools of two services: the server aggregates them.
func monitorTools() []offer {
	b := &board{monitors: builtInMonitors()}
	return append([]offer{
		tool(definition{
			name: "datadog_list_monitors", title: "List monitors", connector: datadog,
			description: "Lists monitors with the state they are in, as of the afternoon of 2026-03-23.",
		}, simple(b.find)),
		tool(definition{
			name: "datadog_query_metric", title: "Query a metric", connector: datadog,
			description: "Returns a series over a window, rolled up to a few points.\n\n`confwatch` tells its reads, processor time, notices, bytes of a notice and errors of the webhook.",
		}, simple(queryMetric)),
		tool(definition{
			name: "datadog_graph_metric", title: "Draw a metric", connector: datadog,
			description: "Draws a series over a window as a PNG image, and says its range before and after the canary of 1.4.0 began.",
		}, graphMetric),
		tool(definition{
			name: "datadog_watch_monitors", title: "Watch monitors for a while", connector: datadog,
			description: "Looks at the monitors a few times within the given time and reports each look as progress.",
		}, b.watch),
		tool(definition{
			name: "datadog_create_monitor", title: "Create a monitor", connector: datadog, writes: true,
			description: "Creates a monitor. It is there as long as the server runs.",
		}, simple(b.create)),
	}, pagerdutyTools()...)
}

type monitorQuery struct {
	Query  string         `json:"query,omitempty" jsonschema:"words that the name or a tag has to hold, such as service:confwatch"`
	States []monitorState `json:"states,omitempty" jsonschema:"only monitors in one of these states"`
	Limit  limit          `json:"limit,omitempty" jsonschema:"how many at most"`
}

type monitorList struct {
	Monitors []monitor `json:"monitors"`
	Total    int       `json:"total" jsonschema:"how many there are without the limit"`
}

func (b *board) find(in monitorQuery) (monitorList, error) {
	found := where(b.list(),
		func(m monitor) bool { return among(in.States, m.State) },
		func(m monitor) bool { return m.matches(in.Query) })
	return monitorList{first(found, in.Limit), len(found)}, nil
}

func (m monitor) matches(query string) bool {
	text := strings.ToLower(m.Name + " " + strings.Join(m.Tags, " "))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

type metricQuery struct {
	Metric metricName `json:"metric" jsonschema:"which series"`
	Window window     `json:"window,omitzero" jsonschema:"which time"`
	Rollup rollup     `json:"rollup,omitempty" jsonschema:"how the values of a point are made one; default is avg"`
	Limit  limit      `json:"limit,omitempty" jsonschema:"how many points at most"`
}

type series struct {
	Metric metricName `json:"metric"`
	Unit   string     `json:"unit"`
	Points []point    `json:"points"`
}

func queryMetric(in metricQuery) (series, error) {
	m, err := findMetric(in.Metric)
	if err != nil {
		return series{}, err
	}
	w, err := in.Window.resolve()
	if err != nil {
		return series{}, err
	}
	return series{m.name, m.unit, m.points(w, int(in.Limit), in.Rollup)}, nil
}

type watchOrder struct {
	Query   string  `json:"query,omitempty" jsonschema:"words that the name or a tag has to hold"`
	Seconds seconds `json:"seconds,omitempty" jsonschema:"how long"`
}

type watched struct {
	Looks    int       `json:"looks"`
	Unsteady []string  `json:"unsteady" jsonschema:"monitors that changed their state meanwhile"`
	Monitors []monitor `json:"monitors" jsonschema:"as they were last"`
}

// looks is how often watch looks.
const looks = 5

func (b *board) watch(ctx context.Context, req *mcp.CallToolRequest, in watchOrder) (*mcp.CallToolResult, watched, error) {
	pause := time.Duration(float64(in.Seconds) / looks * float64(time.Second))
	seen := watched{Unsteady: []string{}}
	for seen.Looks < looks {
		select {
		case <-ctx.Done():
			return nil, watched{}, fmt.Errorf("ended after %d of %d looks: %w", seen.Looks, looks, context.Cause(ctx))
		case <-time.After(pause):
		}
		seen.Monitors = where(b.list(), func(m monitor) bool { return m.matches(in.Query) })
		seen.Looks++
		calm := len(where(seen.Monitors, func(m monitor) bool { return m.State == stateOK }))
		report(ctx, req, seen.Looks, looks, fmt.Sprintf("%d of %d monitors are OK", calm, len(seen.Monitors)))
	}
	return nil, seen, nil
}

// report tells how far a call has come, if the client wants to know.
func report(ctx context.Context, req *mcp.CallToolRequest, done, total int, message string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	// A report that is lost costs nothing but itself.
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Progress: float64(done), Total: float64(total), Message: message,
	})
}

type newMonitor struct {
	Name    string         `json:"name" jsonschema:"what it is called"`
	Metric  metricName     `json:"metric" jsonschema:"what it watches"`
	Options monitorOptions `json:"options" jsonschema:"when it tells whom"`
	Tags    []string       `json:"tags,omitempty" jsonschema:"tags beside service:confwatch, each as key:value"`
}

type monitorOptions struct {
	Thresholds thresholds `json:"thresholds" jsonschema:"values above which it tells somebody"`
	Priority   priority   `json:"priority,omitempty" jsonschema:"how urgent it is; default is P3"`
	Minutes    minutes    `json:"minutes,omitempty" jsonschema:"for how many minutes the value has to be above"`
}

type thresholds struct {
	Critical float64  `json:"critical" jsonschema:"above this it alerts"`
	Warning  *float64 `json:"warning,omitempty" jsonschema:"above this it warns"`
}

func (b *board) create(in newMonitor) (monitor, error) {
	if strings.TrimSpace(in.Name) == "" {
		return monitor{}, fmt.Errorf("name: it is blank; say what the monitor watches")
	}
	limits := in.Options.Thresholds
	if limits.Warning != nil && *limits.Warning >= limits.Critical {
		return monitor{}, fmt.Errorf("options.thresholds: the warning at %v is not below the critical value %v", *limits.Warning, limits.Critical)
	}
	m, err := findMetric(in.Metric)
	if err != nil {
		return monitor{}, err
	}
	made := monitor{
		Name: in.Name, State: stateOK, Priority: cmp.Or(in.Options.Priority, "P3"), Since: canarySince().Add(6 * time.Hour),
		Query: fmt.Sprintf("avg(%s) > %v for %dm", m.name, limits.Critical, cmp.Or(in.Options.Minutes, 5)),
		Tags:  append([]string{"service:" + service}, in.Tags...),
	}
	switch value := m.at(made.Since); {
	case value > limits.Critical:
		made.State = stateAlert
	case limits.Warning != nil && value > *limits.Warning:
		made.State = stateWarn
	}
	return b.add(made), nil
}
