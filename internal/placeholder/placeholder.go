// Package placeholder reads text in which {name} stands for the argument of
// that name, and puts the arguments of a call in. It knows nothing of what
// the text is for: whoever uses it escapes.
package placeholder

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Template is text with placeholders, parsed once. It is never changed and
// safe for concurrent use; the zero Template is the empty text.
type Template struct{ parts []part }

// A part is literal text, or a placeholder if it has a name.
type part struct{ literal, name string }

// A SyntaxError says where a text is no template, why, and what to write
// instead.
type SyntaxError struct {
	Offset       int // in bytes, from 0
	Message, Fix string
}

func (e *SyntaxError) Error() string { return e.Message + ": " + e.Fix }

// marks are characters that mean something in JSON, URLs or command lines. No
// name has one, so that braces that are not meant as a placeholder are found,
// and a URL with placeholders can be split at its own marks.
const marks = "\"'`\\/?#&=%:;,<>|"

// Parse reads s. A name is any text without spaces, control characters, braces
// and the characters "'`\/?#&=%:;,<>| ; {{ and }} stand for braces. Errors are
// [*SyntaxError].
func Parse(s string) (Template, error) {
	var t Template
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			t.parts = append(t.parts, part{literal: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "{}")
		if next < 0 {
			literal.WriteString(s[i:])
			break
		}
		literal.WriteString(s[i : i+next])
		i += next
		if strings.HasPrefix(s[i:], "{{") || strings.HasPrefix(s[i:], "}}") {
			literal.WriteByte(s[i])
			i += 2
			continue
		}
		if s[i] == '}' {
			return Template{}, &SyntaxError{i, "a } has no { before it", "write }} for a brace"}
		}
		end := strings.IndexAny(s[i+1:], "{}")
		if end < 0 || s[i+1+end] != '}' {
			return Template{}, &SyntaxError{i, "a { has no } after it", "write {name}, or {{ for a brace"}
		}
		name := s[i+1 : i+1+end]
		if !isName(name) {
			return Template{}, &SyntaxError{i, fmt.Sprintf(
				"{%s} is no placeholder: a name has no spaces and none of %s", name, marks), "write {{ and }} for braces"}
		}
		flush()
		t.parts = append(t.parts, part{name: name})
		i += end + 2
	}
	flush()
	return t, nil
}

func isName(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsAny(s, marks) && strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) < 0
}

// Names are the arguments the template asks for, each once, in order.
func (t Template) Names() []string {
	var names []string
	for _, p := range t.parts {
		if p.name != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Sole returns the name of the placeholder that is all there is.
func (t Template) Sole() (name string, ok bool) {
	if len(t.parts) != 1 {
		return "", false
	}
	return t.parts[0].name, t.parts[0].name != ""
}

// Leading returns the name of the placeholder that the text begins with.
func (t Template) Leading() (name string, ok bool) {
	if len(t.parts) == 0 {
		return "", false
	}
	return t.parts[0].name, t.parts[0].name != ""
}

// Literals returns the template with every literal text passed through f.
func (t Template) Literals(f func(string) string) Template {
	parts := slices.Clone(t.parts)
	for i := range parts {
		if parts[i].name == "" {
			parts[i].literal = f(parts[i].literal)
		}
	}
	return Template{parts}
}

// Expand returns the text with value(name) in the place of each placeholder,
// or the first error of value.
func (t Template) Expand(value func(name string) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.literal)
			continue
		}
		v, err := value(p.name)
		if err != nil {
			return "", err
		}
		b.WriteString(v)
	}
	return b.String(), nil
}
