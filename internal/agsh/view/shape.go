package view

import (
	"strconv"
	"strings"
)

// apply returns the text of a tool's result in the form of the shape, or as it
// is, and false, if it does not have the expected form. An error is never
// reshaped.
func (s Shape) apply(t string, isError bool) (reshaped string, ok bool) {
	if isError {
		return t, false
	}
	switch s {
	case LS:
		reshaped, ok = names(t)
	case Read:
		reshaped, ok = unnumber(t)
	default: // the others are printed as the tool says it
	}
	if ok {
		return reshaped, true
	}
	return t, false
}

// Names returns the names that a listing tool's result shows, folders with a
// slash. It reports false if r has not the form of a listing.
func Names(r Result) ([]string, bool) {
	if r.IsError || len(r.Blocks) != 1 || !r.Blocks[0].isText() {
		return nil, false
	}
	list, ok := names(r.Blocks[0].Text)
	if !ok {
		return nil, false
	}
	return strings.Split(strings.TrimSuffix(list, "\n"), "\n"), true
}

// FileText returns the text of the file that a reading tool's result shows:
// the lines without the number and bar before each. It reports false if r is
// an error, has anything but one text block, or has a line without the next
// number.
func FileText(r Result) (string, bool) {
	if r.IsError || len(r.Blocks) != 1 || !r.Blocks[0].isText() {
		return "", false
	}
	return unnumber(r.Blocks[0].Text)
}

// names takes the rows "  - name" from under a heading. A heading alone is
// not taken for an empty listing: it may as well be a message.
func names(t string) (string, bool) {
	const bullet = "  - "
	_, rows, _ := strings.Cut(t, "\n")
	rows = strings.TrimSuffix(rows, "\n")
	if rows == "" {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(rows))
	for row := range strings.SplitSeq(rows, "\n") {
		name, ok := strings.CutPrefix(row, bullet)
		if !ok || name == "" {
			return "", false
		}
		b.WriteString(name)
		b.WriteByte('\n')
	}
	return b.String(), true
}

// unnumber removes the line numbers, which are right-aligned to six digits and
// count up by one from any start.
func unnumber(t string) (string, bool) {
	var b strings.Builder
	b.Grow(len(t))
	want := -1 // any
	for line := range strings.Lines(t) {
		n, rest, ok := cutNumber(line)
		if !ok || want >= 0 && n != want {
			return "", false
		}
		want = n + 1
		b.WriteString(rest)
	}
	return b.String(), want >= 0
}

// cutNumber splits "    12|rest".
func cutNumber(line string) (n int, rest string, ok bool) {
	const digits = 6
	number, rest, ok := strings.Cut(line, "|")
	bare := strings.TrimLeft(number, " ")
	if !ok || len(number) < digits || len(number) > digits && bare != number {
		return 0, "", false
	}
	n, err := strconv.Atoi(bare)
	return n, rest, err == nil && n >= 0
}
