package manpage

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

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
	var b strings.Builder
	for rest := string(raw); rest != ""; {
		switch n := reference(rest); {
		case n > 0:
			b.WriteString(html.UnescapeString(rest[:n]))
			rest = rest[n:]
		case rest[0] == '\\' && len(rest) > 1 && isPunctuation(rest[1]):
			b.WriteByte(rest[1])
			rest = rest[2:]
		default:
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return b.String()
}

// maxReference is longer than any reference that means something.
const maxReference = 48

func isPunctuation(c byte) bool {
	return c < utf8.RuneSelf && unicode.In(rune(c), unicode.P, unicode.S)
}

// reference is the length of the character reference at the front of s, such
// as &amp; or &#38; or &#x26;, and 0 if there is none.
func reference(s string) int {
	if s[0] != '&' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if end < 2 {
		return 0
	}
	name, digits, most := s[1:end], lettersAndDigits, end
	if number, ok := strings.CutPrefix(name, "#"); ok {
		name, digits, most = number, "0123456789", 7
		if number != "" && number[0]|0x20 == 'x' {
			name, digits, most = number[1:], "0123456789abcdefABCDEF", 6
		}
	} else if isNumeral(name[0]) {
		return 0
	}
	if name == "" || len(name) > most || strings.Trim(name, digits) != "" {
		return 0
	}
	return end + 1
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func isNumeral(c byte) bool { return c >= '0' && c <= '9' }
