//go:build unix

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRatioIsOfPairs(t *testing.T) {
	// The machine was ten times slower during the last two pairs: the ratio of
	// the medians would be 2.
	p := pairs{ours: []float64{2, 20, 20}, floor: []float64{1, 10, 10}}
	p.ours[1] = 10
	if got, want := p.ratio(), (spread{2, 1, 2}); got != want {
		t.Errorf("ratio = %+v, want %+v", got, want)
	}
	if got, want := spreadOf([]float64{4, 1, 3, 2}), (spread{2.5, 1, 4}); got != want {
		t.Errorf("spread of an even number = %+v, want %+v", got, want)
	}
}

func TestGoals(t *testing.T) {
	p := pairs{ours: []float64{8, 10, 12}, floor: []float64{10, 10, 10}}
	tests := []struct {
		name string
		goal goal
		want verdict
	}{
		{"the bound itself is met", atLeast(1), verdict{met: true}},
		{"all pairs meet it", atLeast(.8), verdict{met: true, sure: true}},
		{"only some pairs meet it", atLeast(1.1), verdict{}},
		{"no pair meets it", atLeast(1.3), verdict{sure: true}},
		{"at most", atMost(1.2), verdict{met: true, sure: true}},
		{"ours only", ourMost(9), verdict{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.goal.judge(p); got != tt.want {
				t.Errorf("judge = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	got := table([]row{
		{name: "calls", unit: perSecond, pairs: pairs{[]float64{900, 1100}, []float64{1000, 1000}}, goal: atLeast(1), oursMore: " (1.00 ms, 2.00 ms)"},
		{name: "size", unit: megabytes, pairs: pairs{ours: []float64{16e6}}, goal: ourMost(15e6)},
		{name: "start", unit: millis, pairs: pairs{[]float64{.1234}, []float64{.0123}}, goal: atMost(20)},
	})
	want := `row    ours                       floor    ratio             goal        met?
---    ----                       -----    -----             ----        ----
calls  1,000/s (1.00 ms, 2.00 ms)  1,000/s  1.00 [0.90-1.10]  >= 1.00     yes, noisy
size   16.0 MB                    -        -                 <= 15.0 MB  NO
start  123 ms                     12.3 ms  10.03 [10.03-10.03]  <= 20.00  yes
`
	squeeze := func(s string) []string {
		var lines []string
		for line := range strings.Lines(s) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return lines
	}
	if diff := cmp.Diff(squeeze(want), squeeze(got)); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestInterleaveTakesTurns(t *testing.T) {
	var order strings.Builder
	log := func(name string) func(context.Context) (int, error) {
		return func(context.Context) (int, error) {
			order.WriteString(name)
			return order.Len(), nil
		}
	}
	a, b, err := interleave(t.Context(), 3, log("a"), log("b"))
	if err != nil || order.String() != "abbaab" {
		t.Errorf("order = %q, error %v", order.String(), err)
	}
	if diff := cmp.Diff([][]int{{1, 4, 5}, {2, 3, 6}}, [][]int{a, b}); diff != "" {
		t.Errorf("measurements (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := interleave(ctx, 1, log("a"), log("b")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error = %v", err)
	}
}

func TestFilesystemOfTheDeepestMount(t *testing.T) {
	mounts := "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\nproc /tmp2/x proc rw 0 0\n"
	for dir, want := range map[string]string{"/home/me": "ext4", "/tmp/a": "tmpfs", "/tmp2": "ext4"} {
		if got := filesystem(mounts, dir); got != want {
			t.Errorf("filesystem(%s) = %q, want %q", dir, got, want)
		}
	}
}
