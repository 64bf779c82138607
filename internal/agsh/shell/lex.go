package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A SyntaxError says why a text is not a script.
type SyntaxError struct {
	Pos
	Msg string
	// Incomplete reports that more text may mend it: a quote is open, or the
	// text ends in a backslash or in |, && or ||.
	Incomplete bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

type kind int

const (
	word kind = iota
	end
	newline
	semicolon
	pipe
	and
	or
)

// A token is one word or operator; text is the word's value, or the operator
// as it is written.
type token struct {
	kind kind
	text string
	pos  Pos
}

// operators are tried in order, so the longer of two comes first.
var operators = []struct {
	text string
	kind kind
}{
	{"&&", and},
	{"||", or},
	{"|", pipe},
	{";", semicolon},
	{"\n", newline},
	{"\r\n", newline},
}

type lexer struct {
	src string
	off int
	// mark is the last place that was asked for. Places are asked for in
	// order, so counting lines costs one pass over the whole text.
	mark Pos
}

func newLexer(src string) *lexer {
	return &lexer{src: src, mark: Pos{Line: 1, Col: 1}}
}

// pos returns the place of offset off, which is not before any earlier one.
func (l *lexer) pos(off int) Pos {
	for l.mark.Offset < off {
		r, size := utf8.DecodeRuneInString(l.src[l.mark.Offset:])
		l.mark.Offset += size
		l.mark.Col++
		if r == '\n' {
			l.mark.Line++
			l.mark.Col = 1
		}
	}
	return l.mark
}

// operator returns the operator at the current offset.
func (l *lexer) operator() (text string, k kind, ok bool) {
	if strings.IndexByte("&|;\r\n", l.src[l.off]) < 0 {
		return "", 0, false // as most bytes
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src[l.off:], op.text) {
			return op.text, op.kind, true
		}
	}
	return "", 0, false
}

func (l *lexer) next() (token, error) {
	l.skip()
	pos := l.pos(l.off)
	if l.off == len(l.src) {
		return token{kind: end, pos: pos}, nil
	}
	if text, k, ok := l.operator(); ok {
		l.off += len(text)
		return token{kind: k, text: text, pos: pos}, nil
	}
	text, err := l.word()
	if err != nil {
		return token{}, err
	}
	return token{kind: word, text: text, pos: pos}, nil
}

// skip passes blanks, joined lines and a comment, which begins where a word
// could begin and ends before its newline.
func (l *lexer) skip() {
	for l.off < len(l.src) {
		rest := l.src[l.off:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			l.off++
		case strings.HasPrefix(rest, "\\\n"):
			l.off += 2
		case rest[0] == '#':
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.off += n
			} else {
				l.off = len(l.src)
			}
			return
		default:
			return
		}
	}
}

func (l *lexer) word() (string, error) {
	start := l.off
	var b strings.Builder
	bare := false // the last character was neither quoted nor escaped
	for l.off < len(l.src) && l.src[l.off] != ' ' && l.src[l.off] != '\t' {
		if _, _, ok := l.operator(); ok {
			break
		}
		bare = false
		var err error
		switch c := l.src[l.off]; c {
		case '\'':
			err = l.single(&b)
		case '"':
			err = l.double(&b)
		case '\\':
			err = l.escape(&b)
		default:
			bare = true
			b.WriteByte(c)
			l.off++
		}
		if err != nil {
			return "", err
		}
	}
	if msg := reserved(l.src[start:l.off], bare); msg != "" {
		return "", &SyntaxError{Pos: l.pos(start), Msg: msg}
	}
	return b.String(), nil
}

// reserved returns why the word that is written raw cannot be one: in sh it
// would be a redirection or a job, and passing it on as text would hide that
// there are none. A < > or & inside a word is an ordinary character.
func reserved(raw string, bareEnd bool) string {
	op := strings.TrimLeft(raw, "0123456789")
	switch {
	case op != "" && (op[0] == '<' || op[0] == '>'), strings.HasPrefix(raw, "&>"):
		return fmt.Sprintf("%s would redirect, and there are no files here; to pass it as text write %s", raw, Quote(raw))
	case raw[0] == '&', bareEnd && strings.HasSuffix(raw, "&"):
		return fmt.Sprintf("%s would start a job, and there are no jobs here; to pass it as text write %s", raw, Quote(raw))
	}
	return ""
}

func (l *lexer) single(b *strings.Builder) error {
	n := strings.IndexByte(l.src[l.off+1:], '\'')
	if n < 0 {
		return l.openQuote(l.off)
	}
	b.WriteString(l.src[l.off+1 : l.off+1+n])
	l.off += n + 2
	return nil
}

// double reads "…": \" and \\ stand for the second character and a backslash
// before a newline joins the lines; any other backslash is itself, so JSON
// escapes arrive whole.
func (l *lexer) double(b *strings.Builder) error {
	start := l.off
	for i := start + 1; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '"':
			l.off = i + 1
			return nil
		case c == '\\' && i+1 < len(l.src) && strings.IndexByte("\"\\\n", l.src[i+1]) >= 0:
			i++
			if l.src[i] != '\n' {
				b.WriteByte(l.src[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return l.openQuote(start)
}

func (l *lexer) openQuote(off int) error {
	return &SyntaxError{
		Pos:        l.pos(off),
		Msg:        fmt.Sprintf("the quote %c is not closed", l.src[off]),
		Incomplete: true,
	}
}

// escape reads a backslash and the byte after it. Only the first byte of a
// longer character need be taken: its other bytes are ordinary.
func (l *lexer) escape(b *strings.Builder) error {
	if l.off+1 == len(l.src) {
		return &SyntaxError{Pos: l.pos(l.off), Msg: "the backslash at the end escapes nothing", Incomplete: true}
	}
	if c := l.src[l.off+1]; c != '\n' {
		b.WriteByte(c)
	}
	l.off += 2
	return nil
}
