package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A metricName is the name of a series.
type metricName string

// A rollup makes one value of many.
type rollup string

// service is what all is about.
const service = "confwatch"

// canarySince is when release 1.4.0 began to run on one host of eight: half an
// hour after the branch key-changes was merged.
func canarySince() time.Time { return time.Date(2026, 3, 23, 8, 34, 0, 0, time.UTC) }

// A metric goes up or down by a wave, and jumps with the canary.
type metric struct {
	name           metricName
	unit           string
	before, after  float64
	wave           float64 // of the value
	minutesPerWave float64
}

// metrics are what the service costs and does. Release 1.4.0 reads the files
// six times as often and sends larger notices.
func metrics() []metric {
	return []metric{
		{"confwatch.reads", "reads/min", 80, 480, 0.01, 17},
		{"confwatch.cpu", "percent", 0.06, 0.41, 0.2, 53},
		{"confwatch.notices", "notices/h", 2.1, 2.3, 0.6, 240},
		{"confwatch.notice.bytes", "bytes", 190, 5200, 0.4, 97},
		{"confwatch.notify.errors", "errors/15min", 0.01, 0.09, 0.5, 131},
	}
}

func metricNames() []metricName {
	var names []metricName
	for _, m := range metrics() {
		names = append(names, m.name)
	}
	return names
}

func (m metric) at(t time.Time) float64 {
	value := m.before
	if !t.Before(canarySince()) {
		value = m.after
	}
	wave := math.Sin(float64(t.Unix()) / 60 / m.minutesPerWave * 2 * math.Pi)
	return value * (1 + m.wave*wave)
}

// A window is a span of time; its zero value is the two hours around the
// canary's start.
type window struct {
	From time.Time `json:"from,omitzero" jsonschema:"begin, such as 2026-03-23T08:00:00Z; default is an hour before the canary of 1.4.0"`
	To   time.Time `json:"to,omitzero" jsonschema:"end; default is two hours after the begin"`
}

// resolve fills in what is left out.
func (w window) resolve() (window, error) {
	if w.From.IsZero() {
		w.From = canarySince().Add(-time.Hour)
	}
	if w.To.IsZero() {
		w.To = w.From.Add(2 * time.Hour)
	}
	if !w.From.Before(w.To) || w.To.Sub(w.From) > 31*24*time.Hour {
		return w, fmt.Errorf("window: %s to %s is not a span of at most 31 days; let from be before to",
			w.From.Format(time.RFC3339), w.To.Format(time.RFC3339))
	}
	return window{w.From.UTC(), w.To.UTC()}, nil
}

// A point is a value of a series.
type point struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

// points rolls the metric's values of each minute up to n points.
func (m metric) points(w window, n int, by rollup) []point {
	step := max(w.To.Sub(w.From)/time.Duration(n), time.Minute)
	points := []point{}
	for at := w.From; at.Before(w.To); at = at.Add(step) {
		var values []float64
		for t := at; t.Before(at.Add(step)) && t.Before(w.To); t = t.Add(time.Minute) {
			values = append(values, m.at(t))
		}
		points = append(points, point{at, math.Round(by.of(values)*1000) / 1000})
	}
	return points
}

func rollups() []rollup { return []rollup{"avg", "min", "max", "p95"} }

// of rolls up values, of which there is at least one.
func (r rollup) of(values []float64) float64 {
	slices.Sort(values)
	switch r {
	case "min":
		return values[0]
	case "max":
		return values[len(values)-1]
	case "p95":
		return values[(len(values)*95+99)/100-1]
	default:
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
}

func findMetric(name metricName) (metric, error) {
	all := metrics()
	i := slices.IndexFunc(all, func(m metric) bool { return m.name == name })
	if i < 0 {
		return metric{}, fmt.Errorf("metric: there is no %q", name)
	}
	return all[i], nil
}
