package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// A node is one compiled subschema: checks to be made in order.
type node struct {
	checks []check
	types  kinds   // what "type" allows; 0 is anything
	tags   []tag   // properties that must have one certain value: they tell alternatives apart
	edges  []*edge // subschemas that look at the same value
	tracks bool    // needs to know which members other keywords have looked at
	state  loopState
}

type check func(r *run, v *value)

// A tag is a property and the only value it can have.
type tag struct {
	name string
	want *value
}

// An edge leads from a node to one that judges the same value. Cutting a loop
// clears it, which accepts everything.
type edge struct {
	to *node
	at string // pointer of the keyword
}

// A run is the state of one Validate.
type run struct {
	path     []step
	problems []Problem
	steps    int // left
	depth    int
	full     bool // no more problems are wanted
	spent    bool // gave up; no verdict counts any more
	// seen marks the members of the value in hand that some keyword has
	// looked at; nil when nobody asks.
	seen []bool
}

// A step of a path is a key, or an index where key is not set.
type step struct {
	key   string
	index int // -1 when key counts
}

func (r *run) node(n *node, v *value) {
	if r.full {
		return
	}
	r.steps--
	if r.steps < 0 || r.depth >= maxNesting {
		r.full, r.spent = true, true
		return
	}
	r.depth++
	if n.tracks {
		outer := r.seen
		r.seen = make([]bool, len(v.kids))
		n.run(r, v)
		for i, s := range r.seen {
			if s && outer != nil {
				outer[i] = true
			}
		}
		r.seen = outer
	} else {
		n.run(r, v)
	}
	r.depth--
}

func (n *node) run(r *run, v *value) {
	for _, c := range n.checks {
		c(r, v)
	}
}

// child checks a member or element of the value in hand.
func (r *run) child(n *node, v *value, s step) {
	seen := r.seen
	r.seen = nil
	r.path = append(r.path, s)
	r.node(n, v)
	r.path = r.path[:len(r.path)-1]
	r.seen = seen
}

// try checks the value in hand against n and returns the problems instead of
// reporting them. What n has looked at counts only if there are none.
func (r *run) try(n *node, v *value) []Problem {
	before := r.problems
	var seen []bool
	if r.seen != nil {
		seen = append(seen, r.seen...)
	}
	r.problems = nil
	r.node(n, v)
	found := r.problems
	r.problems = before
	r.full = r.spent
	if found != nil && seen != nil {
		r.seen = seen
	}
	return found
}

func (r *run) mark(i int) {
	if r.seen != nil {
		r.seen[i] = true
	}
}

// add reports v, which is missing if nil.
func (r *run) add(v *value, want, message string) {
	if r.full {
		return
	}
	p := Problem{Path: r.pointer(), Want: want, Message: message}
	if v != nil {
		p.Value = show(v)
	}
	r.report(p)
}

// report takes over a problem found in a trial.
func (r *run) report(p Problem) {
	switch {
	case r.full:
	case len(r.problems) < maxProblems:
		r.problems = append(r.problems, p)
	default:
		r.problems = append(r.problems, Problem{Want: p.Want, Message: fmt.Sprintf("has more problems; these are the first %d", maxProblems)})
		r.full = true
	}
}

// wrong reports that v is not what is wanted.
func (r *run) wrong(v *value, want string) {
	r.add(v, want, "must be "+want+", not "+show(v))
}

func (r *run) addAt(s step, v *value, want, message string) {
	r.path = append(r.path, s)
	r.add(v, want, message)
	r.path = r.path[:len(r.path)-1]
}

func (r *run) pointer() string {
	var b strings.Builder
	for _, s := range r.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		b.WriteString(escapePointer(s.key))
	}
	return b.String()
}

func escapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
