package manpage

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// inline is the text of a block in spans.
func (m *renderer) inline(parent ast.Node, st style) []span {
	var spans []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			spans = append(spans, span{text: oneLine(plainText(n.Segment.Value(m.source))), style: st})
			spans = append(spans, m.lineEnd(n)...)
		case *ast.String:
			spans = append(spans, span{text: oneLine(string(n.Value)), style: st})
		case *ast.CodeSpan:
			spans = append(spans, span{text: m.code(n), style: st | code})
		case *ast.Emphasis:
			inner := underline
			if n.Level > 1 {
				inner = bold
			}
			spans = append(spans, m.inline(n, st|inner)...)
		case *ast.Link:
			spans = append(spans, m.link(n, n.Destination, n.Title, st)...)
		case *ast.Image:
			spans = append(spans, m.link(n, n.Destination, n.Title, st)...)
		case *ast.AutoLink:
			spans = append(spans, span{text: oneLine(string(n.Label(m.source))), style: st})
		case *ast.RawHTML:
			raw := strings.ReplaceAll(string(n.Segments.Value(m.source)), "\n", " ")
			spans = append(spans, span{text: oneLine(raw), style: st})
		default:
			spans = append(spans, m.inline(n, st)...)
		}
	}
	return spans
}

// lineEnd is what comes after a text at the end of a source line: a space, or
// a new line where the author wanted one. Indentation is taken for such a
// wish, as in the argument lists of docstrings.
func (m *renderer) lineEnd(n *ast.Text) []span {
	switch {
	case n.HardLineBreak():
		return []span{{end: true}}
	case !n.SoftLineBreak():
		return nil
	}
	rest := m.source[n.Segment.Stop:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[i+1:]
	}
	line := strings.ReplaceAll(string(rest[:min(len(rest), maxWidth)]), "\t", tab)
	depth := len(line) - len(strings.TrimLeft(line, " "))
	if p := n.Parent().Parent(); depth >= 2 && p != nil && p.Kind() == ast.KindDocument {
		return []span{{end: true, indent: depth}}
	}
	return []span{{text: " "}}
}

func (m *renderer) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(m.source))
		}
	}
	return oneLine(strings.ReplaceAll(b.String(), "\n", " "))
}

// link is the text, and the target if the text does not say it.
func (m *renderer) link(n ast.Node, target, title []byte, st style) []span {
	spans := m.inline(n, st|underline)
	var said strings.Builder
	for _, s := range spans {
		said.WriteString(s.text)
	}
	where := oneLine(plainText(target))
	if len(title) > 0 {
		where += ` "` + oneLine(strings.ReplaceAll(plainText(title), "\n", " ")) + `"`
	}
	switch {
	case said.Len() == 0:
		return []span{{text: where, style: st}}
	case said.String() == where || where == "":
		return spans
	}
	return append(spans, span{text: " (" + where + ")", style: st})
}

// plainText resolves backslash escapes and character references.
func plainText(raw []byte) string {
	if !bytes.ContainsAny(raw, `\&`) {
		return string(raw)
	}
	return escapes.ReplaceAllStringFunc(string(raw), func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return html.UnescapeString(s)
	})
}

var escapes = regexp.MustCompile(`\\[!-/:-@\[-` + "`" + `{-~]|&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);`)
