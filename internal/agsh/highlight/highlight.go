// Package highlight colours the text of files by their names. It adds SGR
// sequences and changes nothing else: without them the text is byte for byte
// what it was, and no colour goes on past the end of a line.
//
// It knows nothing of terminals; who calls it decides whether there is colour,
// and escapes untrusted text before, never after.
package highlight

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"agsh.dev/internal/term/theme"
)

// Reading a file is never to wait for its colours. These bound the usual work
// to some 50 ms: what comes after is left as it is. The time only stops texts
// that are made to be slow; all others get the same colours on any machine.
const (
	maxSource = 16 << 10 // bytes
	maxTokens = 3000
	maxTime   = 250 * time.Millisecond
)

// Text returns src in the colours of the language that a file of that name is
// in. A name of no language we know, and the zero theme, leave it as it is;
// so does what follows the first 16 KB. A name may be a path.
//
// It is safe for concurrent use.
func Text(name, src string, t theme.Theme) string {
	if t == (theme.Theme{}) || !utf8.ValidString(src) {
		return src
	}
	language := languageOf(name, src)
	switch language {
	case "":
		return src
	case "json": // linear, so without a limit
		return JSON(src, t)
	}
	head := src
	if len(head) > maxSource {
		head = head[:strings.LastIndexByte(head[:maxSource], '\n')+1]
	}
	p := painter{}
	p.b.Grow(len(src) + len(head))
	p.add("", src[paint(&p, language, head, t):])
	return p.String()
}

// paint adds src in its colours and returns how many bytes it has added. It
// stops where the lexer fails or takes too long.
func paint(p *painter, language, src string, t theme.Theme) (done int) {
	// The library panics on text that its rules did not expect. The file can
	// be read without colours then.
	defer func() { _ = recover() }()
	lexer, err := newLexer(language)
	if err != nil {
		return 0
	}
	// Some rules want the end of the last line too.
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, strings.TrimSuffix(src, "\n")+"\n")
	if err != nil {
		return 0
	}
	start := time.Now()
	for n := 0; n < maxTokens && time.Since(start) < maxTime; n++ {
		token := next()
		value := token.Value
		if done+len(value) > len(src) {
			value = strings.TrimSuffix(value, "\n")
		}
		// Comparing makes sure that the text stays what it was.
		if token == chroma.EOF || !strings.HasPrefix(src[done:], value) {
			break
		}
		p.add(styleOf(token.Type, t), value)
		done += len(value)
	}
	return done
}

// A painter puts pieces of text in their styles together. Neighbours of one
// style share their escape sequences, and every line has its own.
type painter struct {
	b     strings.Builder
	style theme.Style
	run   strings.Builder // text in style that is not in b yet
}

func (p *painter) add(s theme.Style, text string) {
	if s != p.style {
		p.flush()
		p.style = s
	}
	p.run.WriteString(text)
}

func (p *painter) flush() {
	for line := range strings.Lines(p.run.String()) {
		text := strings.TrimRight(line, "\r\n")
		p.b.WriteString(p.style.Paint(text))
		p.b.WriteString(line[len(text):])
	}
	p.run.Reset()
}

// String returns everything that was added.
func (p *painter) String() string {
	p.flush()
	return p.b.String()
}
