package scripttool

import (
	"bytes"
	"fmt"
	"strings"
)

// A FrontMatterError says what is wrong with a manifest's fences.
type FrontMatterError struct {
	Line    int // from 1
	Message string
}

func (e *FrontMatterError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// FrontMatter finds the manifest in the source of a tool: YAML in the leading
// comment block ("#" or "//"), between two comment lines that hold only
// "---". Before the block there may be a shebang, other comments and empty
// lines. It returns nil when there is none.
//
// The result has the lines and columns of source, with everything that is not
// YAML blank, so that positions in it are positions in the file. Errors are
// [*FrontMatterError].
func FrontMatter(source []byte) ([]byte, error) {
	var doc bytes.Buffer
	open := 0
	mark := ""
	for n, line := range lines(source) {
		body, m := uncomment(line)
		switch fence := m != "" && strings.TrimSpace(body) == "---"; {
		case open == 0 && fence:
			open, mark = n, m
		case open == 0 && m == "" && strings.TrimSpace(line) != "":
			return nil, nil // code: the leading block is over
		case open == 0:
		case fence && m == mark:
			return doc.Bytes(), nil
		case m != mark:
			return nil, &FrontMatterError{Line: n, Message: fmt.Sprintf(
				"the manifest that begins on line %d is not closed: every line of it starts with %s, and a line %s --- ends it", open, mark, mark)}
		default:
			doc.WriteString(strings.Repeat(" ", strings.Index(line, mark)+len(mark)))
			doc.WriteString(strings.TrimRight(body, " \r"))
		}
		doc.WriteByte('\n')
	}
	if open == 0 {
		return nil, nil
	}
	return nil, &FrontMatterError{Line: open, Message: fmt.Sprintf("the manifest is not closed: a line %s --- ends it", mark)}
}

// lines yields the lines of source without their ends, numbered from 1.
func lines(source []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range bytes.Lines(source) {
			n++
			if !yield(n, strings.TrimRight(string(line), "\r\n")) {
				return
			}
		}
	}
}

// uncomment splits a comment line into its mark and what follows it; the mark
// is "" when line is no comment.
func uncomment(line string) (body, mark string) {
	trimmed := strings.TrimLeft(line, " \t")
	for _, mark := range []string{"//", "#"} {
		if body, ok := strings.CutPrefix(trimmed, mark); ok {
			return body, mark
		}
	}
	return "", ""
}
