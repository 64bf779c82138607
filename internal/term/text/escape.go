// Package text prepares text for a terminal: it shows control characters
// instead of sending them, and measures, wraps, pads and cuts by display
// cells.
//
// Every function is pure and safe for concurrent use. A cell is one column of
// the terminal: most characters take one, CJK and emoji two, combining marks
// none. A character here is a grapheme cluster, what a reader sees as one.
package text

import (
	"strings"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// Escape returns s with everything that could steer a terminal or reorder
// what it shows replaced by a visible escape: \x1b and \x7f for ASCII
// controls, \u009b for C1 controls, bidi controls and line separators, \xff
// for a byte that is not UTF-8. Newline, tab, and a carriage return directly
// before a newline pass. A string with nothing to replace is returned as it
// is, without an allocation.
//
// Escape is for reading, not for decoding: a backslash in s stays single.
func Escape(s string) string { return escape(s, false) }

// EscapeLine is [Escape] for places that hold one line: newline, carriage
// return and tab are replaced too, by \n, \r and \t.
func EscapeLine(s string) string { return escape(s, true) }

// IsControl reports whether [Escape] replaces r wherever it stands: an ASCII
// control other than newline, tab and carriage return, DEL, a C1 control, a
// bidi control, or a line or paragraph separator.
func IsControl(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t' && r != '\r'
	case r < 0x7f:
		return false
	case r <= 0x9f:
		return true
	case r < 0x200e:
		return r == 0x061c
	case r <= 0x200f:
		return true
	case r <= 0x2069:
		return r >= 0x2066 || r >= 0x2028 && r <= 0x202e
	}
	return false
}

func escape(s string, oneLine bool) string {
	i := clean(s, 0, oneLine)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/16 + 8)
	for start := 0; ; i = clean(s, start, oneLine) {
		b.WriteString(s[start:i])
		if i == len(s) {
			return b.String()
		}
		start = i + writeEscape(&b, s[i:])
	}
}

// clean returns the index of the first character of s at or after i that has
// to be escaped, or len(s).
func clean(s string, i int, oneLine bool) int {
	for i < len(s) {
		c := s[i]
		switch {
		case c-' ' < 0x7f-' ': // printable ASCII, in one comparison
			i++
			for i+8 <= len(s) && printable(s[i:i+8]) {
				i += 8
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || IsControl(r) {
				return i
			}
			i += size
		case passes(s, i, oneLine):
			i++
		default:
			return i
		}
	}
	return len(s)
}

// printable reports whether the eight bytes of s are all printable ASCII. It
// looks at them at once: the high bit of a byte of word is set by what is not
// ASCII, of word+1 by DEL, of word-' ' by a control.
func printable(s string) bool {
	const each = 0x0101010101010101
	_ = s[7]
	word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (word|(word+each)|(word-each*' '))&(each*0x80) == 0
}

// passes reports whether the ASCII control at s[i] is ordinary layout.
func passes(s string, i int, oneLine bool) bool {
	if oneLine {
		return false
	}
	switch s[i] {
	case '\n', '\t':
		return true
	case '\r':
		return i+1 < len(s) && s[i+1] == '\n'
	}
	return false
}

// writeEscape writes the first character of s as an escape and returns how
// many bytes of s that was.
func writeEscape(b *strings.Builder, s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case size == 1: // ASCII, or a byte that is not UTF-8
		b.WriteString(`\x`)
		b.WriteByte(hex[s[0]>>4])
		b.WriteByte(hex[s[0]&15])
	default: // every control beyond ASCII is below U+10000
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(hex[r>>shift&15])
		}
	}
	return size
}
