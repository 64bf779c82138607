package manpage

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// emphasisParser finds emphasis as CommonMark has it, but only around what
// reads like prose. Other asterisks and underscores are meant as they stand:
// those of *.ts,*.js, of a*b*c and of __init__.
type emphasisParser struct{}

// Trigger tells which characters may start emphasis.
func (emphasisParser) Trigger() []byte { return []byte{'*', '_'} }

// Parse takes one run of markers.
func (emphasisParser) Parse(_ ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, markers{block.Source()})
	if node == nil {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// markers decides which runs of markers belong together.
type markers struct{ source []byte }

// IsDelimiter reports whether b is a marker.
func (markers) IsDelimiter(b byte) bool { return b == '*' || b == '_' }

// CanOpenCloser reports whether two runs are around emphasis.
func (m markers) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	from, to := opener.Segment.Start+opener.OriginalLength, closer.Segment.Start
	after := to + closer.OriginalLength
	if opener.Char != closer.Char || from >= to || after > len(m.source) {
		return false
	}
	prev, _ := utf8.DecodeLastRune(m.source[:opener.Segment.Start])
	next, _ := utf8.DecodeRune(m.source[after:])
	first, _ := utf8.DecodeRune(m.source[from:to])
	if inWord(prev) || inWord(next) || !inWord(first) && !strings.ContainsRune("`\"'(<[*_", first) {
		return false
	}
	return opener.Char == '*' || bytes.ContainsAny(m.source[from:min(to, from+maxWidth)], " \n")
}

// OnMatch makes the node.
func (markers) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
