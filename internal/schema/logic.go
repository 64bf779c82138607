package schema

import (
	"fmt"
	"slices"
	"strings"
)

func buildAllOf(s *site) check {
	all := s.edges("allOf")
	return func(r *run, v *value) {
		for _, e := range all {
			if e.to != nil {
				r.node(e.to, v)
			}
		}
	}
}

func buildAnyOf(s *site) check {
	anyOf := s.edges("anyOf")
	if len(anyOf) == 0 {
		return nil
	}
	return func(r *run, v *value) {
		fits, failed := r.fits(anyOf, v, r.seen == nil)
		if fits == 0 {
			r.none(v, anyOf, failed)
		}
	}
}

func buildOneOf(s *site) check {
	oneOf := s.edges("oneOf")
	if len(oneOf) == 0 {
		return nil
	}
	return func(r *run, v *value) {
		switch fits, failed := r.fits(oneOf, v, false); {
		case fits == 0:
			r.none(v, oneOf, failed)
		case fits > 1:
			r.add(v, "exactly one of the alternatives", fmt.Sprintf("fits %d of the %d alternatives, and must fit exactly one", fits, len(oneOf)))
		}
	}
}

// fits counts the alternatives that v meets, or stops at the first, and
// returns the problems of those it does not.
func (r *run) fits(alternatives []*edge, v *value, first bool) (n int, failed [][]Problem) {
	failed = make([][]Problem, len(alternatives))
	for i, e := range alternatives {
		if e.to != nil {
			failed[i] = r.try(e.to, v)
		}
		if failed[i] == nil {
			n++
			if first {
				return n, failed
			}
		}
	}
	return n, failed
}

// none reports that v meets no alternative: by the problems of the one that
// was evidently meant, if one was, else by what all of them want.
func (r *run) none(v *value, alternatives []*edge, failed [][]Problem) {
	var meant []int
	for _, fits := range []func(*node) bool{
		func(n *node) bool { return n.kinds(0) == 0 || n.kinds(0).allow(v) },
		func(n *node) bool { return n.tagged(v) },
	} {
		var still []int
		for i, e := range alternatives {
			if (meant == nil || slices.Contains(meant, i)) && fits(e.to) {
				still = append(still, i)
			}
		}
		if len(still) > 0 {
			meant = still
		}
	}
	if len(meant) == 1 {
		for _, p := range failed[meant[0]] {
			r.report(p)
		}
		return
	}
	here := r.pointer()
	if names := needed(here, failed); names != nil {
		r.add(v, "an object with "+alternativesOf(names), "needs "+alternativesOf(names))
		return
	}
	var wants []string
	for _, problems := range failed {
		if len(problems) != 1 || problems[0].Path != here {
			wants = nil
			break
		}
		if !slices.Contains(wants, problems[0].Want) {
			wants = append(wants, problems[0].Want)
		}
	}
	if wants == nil {
		wants = []string{fmt.Sprintf("a value that fits one of the %d alternatives", len(alternatives))}
	}
	r.wrong(v, alternativesOf(wants))
}

// needed names what each alternative misses, nil if that is not all that is
// wrong.
func needed(here string, failed [][]Problem) []string {
	var names []string
	for _, problems := range failed {
		var missing []string
		for _, p := range problems {
			name, ok := strings.CutPrefix(p.Path, here+"/")
			if !ok || p.Value != "" || strings.Contains(name, "/") {
				return nil
			}
			missing = append(missing, strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"))
		}
		if all := strings.Join(missing, " and "); !slices.Contains(names, all) {
			names = append(names, all)
		}
	}
	return names
}

// alternativesOf joins wants, the longest list kept short.
func alternativesOf(wants []string) string {
	if len(wants) > maxListed {
		wants = wants[:maxListed]
	}
	return alternatives(wants)
}

// kinds returns what the node's own type or that of its reference allows; 0 is
// anything.
func (n *node) kinds(depth int) kinds {
	if n.types == 0 && len(n.edges) == 1 && n.edges[0].to != nil && depth < maxDepth {
		return n.edges[0].to.kinds(depth + 1)
	}
	return n.types
}

// tagged reports whether v has, where it has them, the values that the node
// demands of certain properties.
func (n *node) tagged(v *value) bool {
	for n.tags == nil && len(n.edges) == 1 && n.edges[0].to != nil {
		n = n.edges[0].to
	}
	for _, t := range n.tags {
		if got := v.member(t.name); got != nil && !equal(got, t.want) {
			return false
		}
	}
	return true
}

func buildNot(s *site) check {
	e := s.edge(s.obj.member("not"), s.at+"/not")
	return func(r *run, v *value) {
		if e.to == nil {
			return
		}
		seen := r.seen
		r.seen = nil
		ok := r.try(e.to, v) == nil
		r.seen = seen
		if ok {
			r.add(v, "a value of another kind", "is what the schema rules out")
		}
	}
}

func buildIf(s *site) check {
	cond := s.edge(s.obj.member("if"), s.at+"/if")
	var then, otherwise *edge
	if v := s.obj.member("then"); v != nil {
		then = s.edge(v, s.at+"/then")
	}
	if v := s.obj.member("else"); v != nil {
		otherwise = s.edge(v, s.at+"/else")
	}
	return func(r *run, v *value) {
		if cond.to == nil {
			return
		}
		e := then
		if r.try(cond.to, v) != nil {
			e = otherwise
		}
		if e != nil && e.to != nil {
			r.node(e.to, v)
		}
	}
}
