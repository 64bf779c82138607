//go:build unix

package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A row is one line of the table.
type row struct {
	name  string
	unit  unit
	pairs pairs
	goal  goal
	// More is said behind the figure of ours and of the floor.
	oursMore, floorMore string
}

// A unit writes a figure for people.
type unit func(float64) string

func millis(v float64) string    { return strconv.FormatFloat(v*1e3, 'f', digits(v*1e3), 64) + " ms" }
func perSecond(v float64) string { return thousands(int64(v)) + "/s" }
func mebibytes(v float64) string { return strconv.FormatFloat(v/(1<<20), 'f', 1, 64) + " MiB" }
func megabytes(v float64) string { return strconv.FormatFloat(v/1e6, 'f', 1, 64) + " MB" }

// digits are those behind the point that are worth showing.
func digits(v float64) int {
	switch {
	case v < 1:
		return 3
	case v < 10:
		return 2
	case v < 100:
		return 1
	}
	return 0
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

const legend = `Figures are medians. A ratio is the median over pairs that ran one right after
the other, with the least and the most of them; "noisy" means that not all
pairs agree with the verdict: run again on a quieter machine before you believe
it. Calls at once: answers a second (p50, p99, processor time of the server for
each). What each row does, and its floor: bench/README.md.
`

// table renders rows under their headings.
func table(rows []row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\tours\tfloor\tratio\tgoal\tmet?")
	fmt.Fprintln(w, "---\t----\t-----\t-----\t----\t----")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.name,
			cell(r.unit, r.pairs.ours, r.oursMore), cell(r.unit, r.pairs.floor, r.floorMore), r.ratio(), r.want(), r.met())
	}
	_ = w.Flush() // a Builder takes everything
	return b.String()
}

func cell(u unit, figures []float64, more string) string {
	if len(figures) == 0 {
		return "-"
	}
	return u(spreadOf(figures).median) + more
}

func (r row) ratio() string {
	if len(r.pairs.floor) == 0 {
		return "-"
	}
	s := r.pairs.ratio()
	return fmt.Sprintf("%.2f [%.2f-%.2f]", s.median, s.least, s.most)
}

func (r row) want() string {
	sign := "<="
	if r.goal.least {
		sign = ">="
	}
	if r.goal.absolute {
		return sign + " " + r.unit(r.goal.bound)
	}
	return fmt.Sprintf("%s %.2f", sign, r.goal.bound)
}

func (r row) met() string {
	v := r.goal.judge(r.pairs)
	word := "NO"
	if v.met {
		word = "yes"
	}
	if !v.sure {
		word += ", noisy"
	}
	return word
}
