package schema

import (
	"strconv"
	"strings"
)

// buildItems covers both spellings of tuples: prefixItems with items, and
// items as a list with additionalItems.
func buildItems(s *site) check {
	tuple, rest := "prefixItems", "items"
	if v := s.obj.member("items"); v != nil && v.kind == array {
		tuple, rest = "items", "additionalItems"
	}
	var prefix []*node
	if v := s.get(tuple, array); v != nil && s.obj.member(tuple) != nil {
		for i := range v.kids {
			prefix = append(prefix, s.node(&v.kids[i], s.at+"/"+tuple+"/"+strconv.Itoa(i), s.base))
		}
	}
	items := s.sub(rest)
	return func(r *run, v *value) {
		if v.kind != array {
			return
		}
		for i := range v.kids {
			n := items
			if i < len(prefix) {
				n = prefix[i]
			}
			if n == nil {
				return
			}
			r.child(n, &v.kids[i], step{index: i})
			r.mark(i)
		}
	}
}

func buildContains(s *site) check {
	n, least, most := s.sub("contains"), s.count("minContains"), s.count("maxContains")
	if least < 0 {
		least = 1
	}
	return func(r *run, v *value) {
		if v.kind != array {
			return
		}
		found := 0
		seen := r.seen
		for i := range v.kids {
			r.seen = nil
			ok := r.try(n, &v.kids[i]) == nil
			r.seen = seen
			if ok {
				found++
				r.mark(i)
			}
		}
		r.size(v, found, least, most, "fitting element")
	}
}

func buildItemCount(s *site) check {
	least, most := s.count("minItems"), s.count("maxItems")
	return func(r *run, v *value) {
		if v.kind == array {
			r.size(v, len(v.kids), least, most, "element")
		}
	}
}

func buildUnique(s *site) check {
	v := s.get("uniqueItems", boolean)
	if v == nil || string(v.raw) != "true" {
		return nil
	}
	return func(r *run, v *value) {
		if v.kind != array || len(v.kids) < 2 {
			return
		}
		first := make(map[string]int, len(v.kids))
		for i := range v.kids {
			key := canonical(&v.kids[i])
			if j, ok := first[key]; ok {
				r.addAt(step{index: i}, &v.kids[i], "an element that is not there yet",
					"must not repeat element "+strconv.Itoa(j))
				continue
			}
			first[key] = i
		}
	}
}

// canonical is the same text for equal values and only for them.
func canonical(v *value) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func buildUnevaluatedItems(s *site) check {
	n := s.sub("unevaluatedItems")
	s.n.tracks = true
	return func(r *run, v *value) {
		if v.kind == array {
			r.rest(n, v)
		}
	}
}

// rest checks the members that nobody has looked at.
func (r *run) rest(n *node, v *value) {
	for i := range v.kids {
		if r.seen[i] {
			continue
		}
		s := step{index: i}
		if v.kind == object {
			s = step{key: v.kids[i].key, index: -1}
		}
		r.child(n, &v.kids[i], s)
		r.mark(i)
	}
}
