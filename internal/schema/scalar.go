package schema

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

func buildType(s *site) check {
	v := s.obj.member("type")
	names := []value{*v}
	if v.kind == array {
		names = v.kids
	}
	var want kinds
	for i := range names {
		k, ok := kindNamed(names[i].str)
		if !ok {
			s.bad("type", "unknown type "+show(&names[i]))
			return nil
		}
		want |= kinds(k)
	}
	if len(names) == 0 {
		return nil
	}
	s.n.types = want
	noun := want.noun()
	return func(r *run, v *value) {
		if !want.allow(v) {
			r.wrong(v, noun)
		}
	}
}

// allow reports whether v is of one of the kinds. A number is an integer if it
// has no fraction.
func (ks kinds) allow(v *value) bool {
	if ks&kinds(v.kind) != 0 {
		return true
	}
	return v.kind == number && ks&kinds(integer) != 0 && isInteger(v.raw)
}

func buildEnum(s *site) check {
	v := s.get("enum", array)
	if v == nil {
		return nil
	}
	want := "one of: " + choices(v.kids)
	if len(v.kids) == 0 {
		want = "nothing: the schema lists no value"
	}
	return func(r *run, got *value) {
		for i := range v.kids {
			if equal(&v.kids[i], got) {
				return
			}
		}
		r.wrong(got, want)
	}
}

func buildConst(s *site) check {
	want := s.obj.member("const")
	noun := show(want)
	return func(r *run, v *value) {
		if !equal(want, v) {
			r.wrong(v, noun)
		}
	}
}

func buildRange(s *site) check {
	type bound struct {
		limit decimal
		noun  string
		ok    func(order int) bool // of value against limit
	}
	var bounds []bound
	for _, k := range []struct {
		keyword, noun string
		ok            func(int) bool
	}{
		{"minimum", "at least ", func(c int) bool { return c >= 0 }},
		{"maximum", "at most ", func(c int) bool { return c <= 0 }},
		{"exclusiveMinimum", "more than ", func(c int) bool { return c > 0 }},
		{"exclusiveMaximum", "less than ", func(c int) bool { return c < 0 }},
	} {
		if v := s.get(k.keyword, number); v != nil {
			bounds = append(bounds, bound{decimalOf(v.raw), k.noun + show(v), k.ok})
		}
	}
	if bounds == nil {
		return nil
	}
	return func(r *run, v *value) {
		if v.kind != number {
			return
		}
		n := decimalOf(v.raw)
		for _, b := range bounds {
			if !b.ok(n.compare(b.limit)) {
				r.wrong(v, b.noun)
			}
		}
	}
}

func buildMultiple(s *site) check {
	v := s.get("multipleOf", number)
	if v == nil {
		return nil
	}
	m := decimalOf(v.raw)
	if m.sign() <= 0 {
		s.bad("multipleOf", "not above 0")
		return nil
	}
	want := "a multiple of " + show(v)
	return func(r *run, v *value) {
		if v.kind == number && !decimalOf(v.raw).multipleOf(m) {
			r.wrong(v, want)
		}
	}
}

func buildLength(s *site) check {
	least, most := s.count("minLength"), s.count("maxLength")
	return func(r *run, v *value) {
		if v.kind == text {
			r.size(v, utf8.RuneCountInString(v.str), least, most, "character")
		}
	}
}

// size checks a length against its bounds, -1 being none.
func (r *run) size(v *value, n, least, most int, noun string) {
	if n < least {
		r.add(v, "at least "+count(least, noun), "must have at least "+count(least, noun)+", not "+count(n, noun))
	}
	if most >= 0 && n > most {
		r.add(v, "at most "+count(most, noun), "must have at most "+count(most, noun)+", not "+count(n, noun))
	}
}

func buildPattern(s *site) check {
	v := s.get("pattern", text)
	if v == nil {
		return nil
	}
	re, err := compilePattern(v.str)
	if err != nil {
		s.bad("pattern", err.Error())
		return nil
	}
	want := "text that matches " + v.str
	return func(r *run, v *value) {
		if v.kind == text && !re.MatchString(v.str) {
			r.wrong(v, want)
		}
	}
}

// compilePattern reads an ECMAScript pattern as far as Go has the same; what
// differs only in spelling is respelled.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if strings.Contains(pattern, `\u`) {
		pattern = regexp.MustCompile(`\\(\\|u([0-9a-fA-F]{4}))`).ReplaceAllStringFunc(pattern, func(m string) string {
			if m == `\\` {
				return m
			}
			return `\x{` + m[2:] + `}`
		})
	}
	return regexp.Compile(pattern)
}
