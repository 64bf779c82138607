package argv

import (
	"encoding/json"
	"slices"
)

// limits are what a schema asks of a value beyond its type, in words, and of a
// list as a whole.
type limits struct {
	value []string // "1 to 200 characters"
	list  []string // "at most 50 elements"
}

// limitsOf reads the limits of one schema. Those that are malformed say
// nothing.
func limitsOf(get func(string) json.RawMessage) limits {
	var l limits
	number := func(keyword string) string {
		if raw := get(keyword); kindOf(raw)&(kindInteger|kindNumber) != 0 {
			return string(compact(raw))
		}
		return ""
	}
	say := func(into *[]string, before, n, after string) {
		if n != "" {
			*into = append(*into, before+n+after)
		}
	}
	bounds := func(into *[]string, least, most, one, many string) {
		least, most = number(least), number(most)
		noun := func(n string) string {
			if n == "1" {
				return one
			}
			return many
		}
		switch {
		case least != "" && least == most:
			say(into, "", least, noun(least))
		case least != "" && most != "":
			say(into, least+" to ", most, many)
		default:
			say(into, "at least ", least, noun(least))
			say(into, "at most ", most, noun(most))
		}
	}
	bounds(&l.value, "minimum", "maximum", "", "")
	say(&l.value, "more than ", number("exclusiveMinimum"), "")
	say(&l.value, "less than ", number("exclusiveMaximum"), "")
	say(&l.value, "a multiple of ", number("multipleOf"), "")
	bounds(&l.value, "minLength", "maxLength", " character", " characters")
	bounds(&l.value, "minProperties", "maxProperties", " property", " properties")
	var format, pattern string
	decode(get("format"), &format)
	decode(get("pattern"), &pattern)
	say(&l.value, "format ", format, "")
	say(&l.value, `matching "`, pattern, `"`)
	bounds(&l.list, "minItems", "maxItems", " element", " elements")
	var unique bool
	if decode(get("uniqueItems"), &unique); unique {
		l.list = append(l.list, "none twice")
	}
	return l
}

// merge takes in what another schema says of the same value.
func (l *limits) merge(o limits) {
	add := func(list, more []string) []string {
		for _, s := range more {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		return list
	}
	l.value, l.list = add(l.value, o.value), add(l.list, o.list)
}
