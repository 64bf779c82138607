//go:build unix

package main

import (
	"context"
	"math"
	"slices"
)

// Pairs are measurements of ours and of the floor; those with the same index
// were taken one right after the other. Without a floor there are none of it.
type pairs struct{ ours, floor []float64 }

// A spread is the middle of some figures and how far they reach.
type spread struct{ median, least, most float64 }

func spreadOf(figures []float64) spread {
	if len(figures) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(figures))
	mid := len(sorted) / 2
	median := sorted[mid]
	if len(sorted)%2 == 0 {
		median = (sorted[mid-1] + sorted[mid]) / 2
	}
	return spread{median, sorted[0], sorted[len(sorted)-1]}
}

// ratio is that of the pairs, not of the medians: what slowed the machine for
// a while slowed both of a pair.
func (p pairs) ratio() spread {
	ratios := make([]float64, len(p.floor))
	for i := range ratios {
		ratios[i] = p.ours[i] / p.floor[i]
	}
	return spreadOf(ratios)
}

// A goal bounds the ratio to the floor or, when absolute, our own figure.
type goal struct {
	bound    float64
	least    bool // the bound is the least allowed; else the most
	absolute bool
}

func atMost(ratio float64) goal      { return goal{bound: ratio} }
func atLeast(ratio float64) goal     { return goal{bound: ratio, least: true} }
func ourMost(figure float64) goal    { return goal{bound: figure, absolute: true} }
func (g goal) allows(v float64) bool { return g.least && v >= g.bound || !g.least && v <= g.bound }

// A verdict is whether a goal is met, and whether all pairs agree on it.
type verdict struct{ met, sure bool }

func (g goal) judge(p pairs) verdict {
	s := p.ratio()
	if g.absolute {
		s = spreadOf(p.ours)
	}
	met := g.allows(s.median)
	return verdict{met, met == g.allows(s.least) && met == g.allows(s.most)}
}

// interleave measures ours and the floor n times each, in turns. Who is first
// changes from pair to pair, since the first may find a colder machine.
func interleave[T any](ctx context.Context, n int, ours, floor func(context.Context) (T, error)) (a, b []T, err error) {
	a, b = make([]T, n), make([]T, n)
	for i := range n {
		turns := []func() error{
			func() (err error) { a[i], err = ours(ctx); return err },
			func() (err error) { b[i], err = floor(ctx); return err },
		}
		if i%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if err := turn(); err != nil {
				return nil, nil, err
			}
		}
	}
	return a, b, nil
}

// each takes one figure out of every measurement.
func each[T any](ours, floor []T, figure func(T) float64) pairs {
	var p pairs
	for i := range ours {
		p.ours = append(p.ours, figure(ours[i]))
	}
	for i := range floor {
		p.floor = append(p.floor, figure(floor[i]))
	}
	return p
}
