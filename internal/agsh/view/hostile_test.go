package view_test

import (
	"fmt"
	"strings"
	"testing"

	"agsh.dev/internal/agsh/view"
)

// TestOutputIsBoundedByTheInput has values whose naive layout is far larger
// than they are.
func TestOutputIsBoundedByTheInput(t *testing.T) {
	sparse := make([]string, 3000)
	for i := range sparse {
		sparse[i] = fmt.Sprintf(`{"k%d":1}`, i)
	}
	tests := map[string]string{
		"deep list":           strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"deep object":         strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"a column per record": "[" + strings.Join(sparse, ",") + "]",
		"one huge cell":       `[{"a":"` + strings.Repeat("x", 1<<20) + `","b":1}` + strings.Repeat(`,{"a":1,"b":1}`, 5000) + "]",
		"huge key":            `[{"` + strings.Repeat("x", 1<<16) + `":1,"b":1}` + strings.Repeat(`,{"b":1}`, 5000) + "]",
	}
	for name, in := range tests {
		for _, width := range []int{0, 40} {
			if got := view.Text(said(in), view.Options{Width: width}); len(got) > 32*len(in)+1<<17 {
				t.Errorf("%s of %d bytes is shown at width %d in %d bytes", name, len(in), width, len(got))
			}
		}
	}
}

func BenchmarkText(b *testing.B) {
	record := `{"id":12345,"name":"API latency","status":"ok","tags":["a","b"]}`
	numbered := &strings.Builder{}
	for i := range 1 << 18 {
		fmt.Fprintf(numbered, "%6d|%s\n", i+1, "func main() { return } // a line of ordinary source text")
	}
	for _, bb := range []struct {
		name  string
		in    string
		shape view.Shape
	}{
		{"verbatim 16 MiB", strings.Repeat("a line of ordinary text, not JSON\n", 16<<20/34), view.None},
		{"read 16 MiB", numbered.String(), view.Read},
		{"table of 10000", "[" + strings.Repeat(record+",", 9999) + record + "]", view.None},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := said(bb.in)
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			for b.Loop() {
				_ = view.Text(r, view.Options{Width: 80, Shape: bb.shape})
			}
		})
	}
}
