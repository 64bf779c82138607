package stdio

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxNote = 4 << 10 // bytes of a line that somebody is told of
	keep    = 8       // lines of standard error that an ExitError has
)

// notes are the last lines of standard error that were not empty.
type notes []string

// follow reads r to its end and tells of each line.
func (n *notes) follow(r io.Reader, tell func(line string)) {
	lines := bufio.NewReaderSize(r, maxNote)
	for {
		b, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := note(b)
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
		if tell != nil {
			tell(line)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(*n) == keep {
			*n = append((*n)[:0], (*n)[1:]...)
		}
		*n = append(*n, line)
	}
}

// note is a line cut to what may be told of it, not within a character.
func note(b []byte) string {
	if len(b) < maxNote {
		return string(b)
	}
	b = b[:maxNote]
	for i := len(b) - 1; i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				b = b[:i]
			}
			break
		}
	}
	return string(b)
}
