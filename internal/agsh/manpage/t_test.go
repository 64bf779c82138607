package manpage
import ("testing";"strings";"time")
func TestPath(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("word ", 1_000), strings.Repeat(">", 3_000), strings.Repeat("- ", 3_000), strings.Repeat("*a ", 2_000),
		strings.Repeat("[", 3_000), strings.Repeat("<a ", 2_000), strings.Repeat("`", 3_000) + strings.Repeat("x", 3_000),
		strings.Repeat("![](", 1_500), strings.Repeat("_*", 3_000), strings.Repeat("&", 6_000),
	} {
		n := time.Now()
		w := newWriter(Options{})
		_ = w
		Render(Page{Description: source}, Options{})
		t.Logf("%.10q %v", source, time.Since(n))
	}
}
