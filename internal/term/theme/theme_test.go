package theme_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agsh.dev/internal/term/theme"
)

// styles are the styles of a theme by name.
func styles(t theme.Theme) map[string]theme.Style {
	all := map[string]theme.Style{}
	v := reflect.ValueOf(t)
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = theme.Style(v.Field(i).String())
	}
	return all
}

func TestEveryFixedColourIsReadableOnBlackAndOnWhite(t *testing.T) {
	for _, colors := range []int{256, theme.TrueColor} {
		seen := 0
		for name, style := range styles(theme.New(colors)) {
			rgb, ok := color(t, style)
			if !ok {
				continue
			}
			seen++
			l := luminance(rgb)
			if white, black := 1.05/(l+.05), (l+.05)/.05; white < 4.5 || black < 4.5 {
				t.Errorf("%s of %d colours, %v: contrast %.2f on white, %.2f on black; want 4.5", name, colors, rgb, white, black)
			}
		}
		if seen < 10 {
			t.Errorf("%d colours: only %d styles have one", colors, seen)
		}
	}
}

func TestNamedColoursAreSafe(t *testing.T) {
	safe := []string{"1", "2", "4", "31", "32", "33", "35", "36"} // no white, black, blue or bright
	for name, style := range styles(theme.New(16)) {
		for part := range strings.SplitSeq(string(style), ";") {
			if !slices.Contains(safe, part) {
				t.Errorf("%s is %q, want only %v", name, style, safe)
			}
		}
	}
}

func TestEveryThemeHasEveryStyle(t *testing.T) {
	for _, colors := range []int{8, 16, 88, 256, theme.TrueColor} {
		for name, style := range styles(theme.New(colors)) {
			if !regexp.MustCompile(`^[0-9]+(;[0-9]+)*$`).MatchString(string(style)) {
				t.Errorf("%s of %d colours = %q, want SGR parameters", name, colors, style)
			}
		}
	}
	for _, colors := range []int{-1, 0, 2} {
		if got := theme.New(colors); got != (theme.Theme{}) {
			t.Errorf("New(%d) = %+v, want no colour", colors, got)
		}
	}
}

func TestPaintKeepsSpacesAtTheEndOutside(t *testing.T) {
	for _, tt := range []struct {
		style    theme.Style
		in, want string
	}{
		{"1", "ab  ", "\x1b[1mab\x1b[0m  "},
		{"1", " a", "\x1b[1m a\x1b[0m"},
		{"1", "  ", "  "},
		{"1", "", ""},
		{"", "ab", "ab"},
	} {
		if got := tt.style.Paint(tt.in); got != tt.want {
			t.Errorf("Style(%q).Paint(%q) = %q, want %q", tt.style, tt.in, got, tt.want)
		}
	}
}

// color is the colour of a style that has a fixed one.
func color(t *testing.T, s theme.Style) (rgb [3]int, ok bool) {
	t.Helper()
	_, code, ok := strings.Cut(string(s), "38;")
	if !ok {
		return rgb, false
	}
	if _, err := fmt.Sscanf(code, "2;%d;%d;%d", &rgb[0], &rgb[1], &rgb[2]); err == nil {
		return rgb, true
	}
	var n int
	if _, err := fmt.Sscanf(code, "5;%d", &n); err != nil || n < 16 {
		t.Fatalf("style %q: not a fixed colour", s)
	}
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return [3]int{grey, grey, grey}, true
	}
	levels := []int{0, 95, 135, 175, 215, 255}
	n -= 16
	return [3]int{levels[n/36], levels[n/6%6], levels[n%6]}, true
}

// luminance is the relative luminance as WCAG defines it.
func luminance(rgb [3]int) float64 {
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		c := float64(rgb[i]) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
