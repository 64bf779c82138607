package manpage

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"agsh.dev/internal/term/text"
	"agsh.dev/internal/term/theme"
)

// A text that is longer, nests deeper or has more asterisks and underscores
// than this is shown as it stands: the parser's work grows with the square of
// each.
const (
	maxMarkdown = 16 << 10
	maxNesting  = 30
	maxMarkers  = 2_000
)

// markdown lays a text out for reading. Only markers of markdown go: a link
// keeps its target, a reference its definition, code its indentation, a table
// its lines, HTML its tags; an asterisk in *.go stays.
func (w *writer) markdown(s string, width int) []string {
	s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n") + "\n" // a last line without its end can lose a word
	switch {
	case strings.TrimSpace(s) == "":
		return nil
	case len(s) > maxMarkdown || nests(s) || strings.Count(s, "*")+strings.Count(s, "_") > maxMarkers:
		return w.verbatim(s, width)
	}
	m := renderer{source: []byte(s), theme: w.theme}
	return m.blocks(newParser().Parse(gtext.NewReader(m.source)), width, false)
}

// newParser is CommonMark without reference definitions, which it would take
// out of the text, and with emphasis only where it is meant.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(emphasisParser{}, 500),
		),
	)
}

// nests reports whether a line is inside of too many quotes and lists.
func nests(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		for depth := 0; ; depth++ {
			inner, ok := cutContainer(line)
			if !ok {
				break
			}
			if depth == maxNesting {
				return true
			}
			line = inner
		}
	}
	return false
}

// cutContainer takes the start of a quote or of a list item off a line.
func cutContainer(line string) (inner string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if inner, ok := strings.CutPrefix(line, ">"); ok {
		return inner, true
	}
	marker := strings.TrimLeft(line, "0123456789")
	switch digits := len(line) - len(marker); {
	case len(marker) < 2 || marker[1] != ' ' && marker[1] != '\t':
		return "", false
	case digits == 0 && strings.IndexByte("-+*", marker[0]) >= 0,
		digits >= 1 && digits <= 9 && (marker[0] == '.' || marker[0] == ')'):
		return marker[2:], true
	}
	return "", false
}

// verbatim keeps lines and the spaces in them.
func (w *writer) verbatim(s string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, text.Wrap(oneLine(strings.TrimRight(line, " \t\r")), width)...)
	}
	return lines
}

// A renderer turns the tree of one text into lines.
type renderer struct {
	source []byte
	theme  theme.Theme
}

func (m *renderer) blocks(parent ast.Node, width int, tight bool) []string {
	var lines []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := m.block(n, width)
		if len(block) == 0 {
			continue
		}
		if lines != nil && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

func (m *renderer) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return fill(m.inline(n, bold), width, m.theme)
	case *ast.ThematicBreak:
		return []string{"---"}
	case *ast.CodeBlock:
		return m.prefixed(tab, tab, width, func(width int) []string { return m.raw(n, width) })
	case *ast.FencedCodeBlock:
		return m.fenced(n, width)
	case *ast.HTMLBlock:
		lines := m.raw(n, width)
		if n.HasClosure() {
			lines = append(lines, m.rawLine(n.ClosureLine.Value(m.source), width)...)
		}
		return lines
	case *ast.Blockquote:
		return m.prefixed("> ", "> ", width, func(width int) []string { return m.blocks(n, width, false) })
	case *ast.List:
		return m.list(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		if m.isTable(n) {
			return m.raw(n, width)
		}
		return fill(m.inline(n, 0), width, m.theme)
	default:
		return m.blocks(n, width, false)
	}
}

// prefixed sets lines behind a prefix, as long as there is room for it.
func (m *renderer) prefixed(first, rest string, width int, lines func(width int) []string) []string {
	if width-len(rest) < minWidth/2 {
		if marker := strings.Trim(first, " "); marker != "" {
			return append(fill([]span{{text: marker}}, width, theme.Theme{}), lines(width)...)
		}
		return lines(width)
	}
	out := lines(width - len(rest))
	for i, l := range out {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		out[i] = strings.TrimRight(prefix+l, " ")
	}
	return out
}

func (m *renderer) fenced(n *ast.FencedCodeBlock, width int) []string {
	lines := m.prefixed(tab, tab, width, func(width int) []string { return m.raw(n, width) })
	if n.Info == nil {
		return lines
	}
	info := oneLine(plainText(n.Info.Segment.Value(m.source)))
	return append(fill([]span{{text: info + ":"}}, width, m.theme), lines...)
}

func (m *renderer) list(n *ast.List, width int) []string {
	var lines []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if lines != nil && !n.IsTight {
			lines = append(lines, "")
		}
		block := m.prefixed(marker, strings.Repeat(" ", len(marker)), width, func(width int) []string {
			return m.blocks(item, width, n.IsTight)
		})
		if block == nil {
			block = []string{strings.TrimRight(marker, " ")}
		}
		lines = append(lines, block...)
	}
	return lines
}

// raw is the source lines of a block.
func (m *renderer) raw(n ast.Node, width int) []string {
	var lines []string
	source := n.Lines()
	for i := range source.Len() {
		segment := source.At(i)
		lines = append(lines, m.rawLine(segment.Value(m.source), width)...)
	}
	return lines
}

func (m *renderer) rawLine(line []byte, width int) []string {
	return text.Wrap(oneLine(string(bytes.TrimRight(line, " \t\r\n"))), width)
}

// isTable reports whether a paragraph is a table, which is as well read as it
// is written.
func (m *renderer) isTable(n ast.Node) bool {
	lines := n.Lines()
	if lines.Len() < 2 {
		return false
	}
	second := lines.At(1)
	rule := bytes.Trim(second.Value(m.source), " \t\r\n")
	// The line under the head; a bar alone is none.
	return len(bytes.Trim(rule, " \t|:-")) == 0 && bytes.LastIndexByte(rule, '|') > 0
}
