package view

import (
	"slices"
	"strconv"
	"strings"
)

// equal reports whether a and b say the same: the same keys in any order, and
// numbers of the same value, all digits counted (1.0 is 1, 1e2 is 100).
func equal(a, b value) bool {
	if a.kind != b.kind || len(a.items) != len(b.items) {
		return false
	}
	switch a.kind {
	case array:
		return slices.EqualFunc(a.items, b.items, equal)
	case object:
		ai, bi := a.byKey(), b.byKey()
		for i := range ai {
			if a.keys[ai[i]] != b.keys[bi[i]] || !equal(a.items[ai[i]], b.items[bi[i]]) {
				return false
			}
		}
		return true
	case scalar:
		return a.text == b.text || canonical(a.text) == canonical(b.text)
	case str:
	}
	return a.text == b.text
}

// byKey returns the indexes of v's keys in the order of the keys.
func (v *value) byKey() []int {
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(v.keys[i], v.keys[j]) })
	return order
}

// canonical writes a JSON number as its significant digits and an exponent, so
// that equal numbers are equal strings without computing either. What is no
// number, or has an exponent beyond all use, is returned as it is.
func canonical(number string) string {
	unsigned, negative := strings.CutPrefix(number, "-")
	if unsigned == "" || unsigned[0] < '0' || unsigned[0] > '9' {
		return number
	}
	mantissa, exponent := unsigned, 0
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		e, err := strconv.ParseInt(unsigned[i+1:], 10, 32)
		if err != nil {
			return number
		}
		mantissa, exponent = unsigned[:i], int(e)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	trimmed = strings.TrimLeft(trimmed, "0")
	if trimmed == "" {
		return "0"
	}
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + strconv.Itoa(exponent)
}
