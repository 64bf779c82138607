package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const maxShown = 80

// show returns the JSON of v for people: compact and cut.
func show(v *value) string { return cut(v.raw) }

// cut drops the space outside strings and everything after maxShown
// characters. It does not look at more of raw than it shows.
func cut(raw []byte) string {
	var b strings.Builder
	quoted, escaped, shown := false, false, 0
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		space := r == ' ' || r == '\n' || r == '\t' || r == '\r'
		switch {
		case space && !quoted:
			raw = raw[n:]
			continue
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		}
		if shown == maxShown {
			return b.String() + "…"
		}
		shown++
		b.WriteRune(r)
		raw = raw[n:]
	}
	return b.String()
}

// kindNames is in the order in which kinds are named.
func kindNames() []struct {
	kind kind
	name string
	noun string
} {
	return []struct {
		kind kind
		name string
		noun string
	}{
		{text, "string", "a string"},
		{integer, "integer", "an integer"},
		{number, "number", "a number"},
		{boolean, "boolean", "true or false"},
		{array, "array", "a list"},
		{object, "object", "an object"},
		{null, "null", "null"},
	}
}

func kindNamed(name string) (kind, bool) {
	for _, k := range kindNames() {
		if k.name == name {
			return k.kind, true
		}
	}
	return 0, false
}

// noun says what a set of kinds wants.
func (ks kinds) noun() string {
	var nouns []string
	for _, k := range kindNames() {
		if ks&kinds(k.kind) != 0 {
			nouns = append(nouns, k.noun)
		}
	}
	return alternatives(nouns)
}

// alternatives joins as "a, b or c".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

const maxListed = 30

// list joins as "a, b", and counts what is too many to name.
func list(words []string) string {
	if len(words) > maxListed {
		return strings.Join(words[:maxListed], ", ") + fmt.Sprintf(", … (%d more)", len(words)-maxListed)
	}
	return strings.Join(words, ", ")
}

// choices lists the values of an enum: bare when all are plain words.
func choices(values []value) string {
	bare := true
	for i := range values {
		if values[i].kind != text || values[i].str == "" || strings.ContainsAny(values[i].str, " ,\"\n\t") {
			bare = false
		}
	}
	words := make([]string, len(values))
	for i := range values {
		if bare {
			words[i] = values[i].str
		} else {
			words[i] = show(&values[i])
		}
	}
	return list(words)
}

// count says "1 element", "2 elements".
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
