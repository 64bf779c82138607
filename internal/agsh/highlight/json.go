package highlight

import (
	"strings"

	"agsh.dev/internal/term/theme"
)

// JSON returns src, which is JSON or nearly so, in colours: keys apart from
// other strings. Its work is linear in src.
func JSON(src string, t theme.Theme) string {
	if t == (theme.Theme{}) {
		return src
	}
	p := painter{}
	p.b.Grow(2 * len(src))
	for len(src) > 0 {
		n, style := token(src, t)
		p.add(style, src[:n])
		src = src[n:]
	}
	return p.String()
}

// token measures the token at the front of src, which is not empty.
func token(src string, t theme.Theme) (n int, style theme.Style) {
	switch c := src[0]; {
	case c == '"':
		n := stringEnd(src)
		if strings.HasPrefix(strings.TrimLeft(src[n:], " \t\r\n"), ":") {
			return n, t.Key
		}
		return n, t.String
	case c == '-' || c >= '0' && c <= '9':
		return span(src, isNumberByte), t.Number
	case isLetter(c):
		n := span(src, isLetter)
		switch src[:n] {
		case "true", "false", "null":
			return n, t.Literal
		}
		return n, ""
	default:
		return 1 + span(src[1:], isPlain), ""
	}
}

// stringEnd returns where the string at the front of src ends: at its quote,
// or, if it has none, at the end of the line.
func stringEnd(src string) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '"':
			return i + 1
		case '\n':
			return i
		case '\\':
			if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		}
	}
	return len(src)
}

// span is how many bytes at the front of s are so.
func span(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}

// isPlain reports whether c starts no token that has a style.
func isPlain(c byte) bool {
	return c != '"' && c != '-' && (c < '0' || c > '9') && !isLetter(c)
}
