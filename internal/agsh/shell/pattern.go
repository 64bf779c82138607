package shell

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A dialect is a way to write patterns.
type dialect int

const (
	basic    dialect = iota // \( \) \{ \} \| \+ \? are operators
	extended                // ( ) { } | + ? are operators
	fixed                   // nothing is
)

// translate writes a POSIX pattern, with GNU's additions, in the syntax of
// package regexp. Warnings are about what GNU grep accepts but means nothing.
//
// What RE2 cannot do is refused: back-references, and repeats above 1000. The
// word edges \< and \> become \b, which also matches at the other edge; \b
// knows ASCII words only.
func translate(pattern string, d dialect) (re string, warnings []string, err error) {
	if !utf8.ValidString(pattern) {
		return "", nil, fmt.Errorf("the pattern %q is not UTF-8", pattern)
	}
	if d == fixed {
		return regexp.QuoteMeta(pattern), nil, nil
	}
	t := translator{rest: pattern, ere: d == extended}
	for t.rest != "" && err == nil {
		err = t.step()
	}
	if err == nil && len(t.open) > 0 {
		err = errors.New("a ( is not closed")
	}
	if err != nil {
		return "", nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	return string(t.out), t.warnings, nil
}

// place is what stands before a character; it decides whether * and ^ are
// operators.
type place int

const (
	atStart  place = iota // of a branch
	anchored              // after the ^ of a branch
	afterAtom
)

type translator struct {
	rest     string
	ere      bool
	out      []byte
	before   place
	atom     int   // where in out the last atom begins
	open     []int // where in out the open groups begin
	warnings []string
}

// operators of the two dialects: bare in ERE, after a backslash in BRE.
var patternOperators = map[byte]func(*translator) error{
	'(': (*translator).openGroup,
	')': (*translator).closeGroup,
	'|': (*translator).alternative,
	'{': (*translator).interval,
	'+': func(t *translator) error { return t.repeat("+", '+') },
	'?': func(t *translator) error { return t.repeat("?", '?') },
}

// escapes of both dialects.
var patternEscapes = map[byte]string{
	'w':  `[` + wordChars + `]`,
	'W':  `[^` + wordChars + `]`,
	's':  `[\s\v\p{Z}]`,
	'S':  `[^\s\v\p{Z}]`,
	'b':  `\b`,
	'B':  `\B`,
	'<':  `\b`,
	'>':  `\b`,
	'`':  `\A`,
	'\'': `\z`,
}

// wordChars are the characters of words, for a class.
const wordChars = `\p{L}\p{M}\p{Nd}_`

// step translates the next operator or character.
func (t *translator) step() error {
	c := t.rest[0]
	if c == '\\' {
		return t.escape()
	}
	if op, ok := patternOperators[c]; ok && t.ere {
		t.rest = t.rest[1:]
		return op(t)
	}
	switch c {
	case '.':
		t.emit(1, ".")
	case '[':
		class, n, err := bracket(t.rest)
		if err != nil {
			return err
		}
		t.emit(n, class)
	case '*':
		t.rest = t.rest[1:]
		return t.repeat("*", '*')
	case '^':
		t.caret()
	case '$':
		if t.ere || t.rest == "$" || strings.HasPrefix(t.rest, `$\)`) || strings.HasPrefix(t.rest, `$\|`) {
			t.emit(1, "$")
		} else {
			t.emit(1, `\$`)
		}
	default:
		t.literal(t.rest)
	}
	return nil
}

// emit puts re in the place of the next n bytes, as an atom.
func (t *translator) emit(n int, re string) {
	t.rest = t.rest[n:]
	t.atom = len(t.out)
	t.out = append(t.out, re...)
	t.before = afterAtom
}

// literal takes the first character of s, which ends t.rest, as itself.
func (t *translator) literal(s string) {
	_, size := utf8.DecodeRuneInString(s)
	t.emit(len(t.rest)-len(s)+size, regexp.QuoteMeta(s[:size]))
}

// caret is an anchor in ERE, and at the start of a branch in BRE, where a *
// after it is a character.
func (t *translator) caret() {
	switch {
	case t.ere:
		t.emit(1, "^")
	case t.before == atStart:
		t.emit(1, "^")
		t.before = anchored
	default:
		t.emit(1, `\^`)
	}
}

func (t *translator) escape() error {
	if len(t.rest) == 1 {
		return errors.New(`the backslash at the end escapes nothing; write \\`)
	}
	c := t.rest[1]
	if op, ok := patternOperators[c]; ok && !t.ere {
		t.rest = t.rest[2:]
		return op(t)
	}
	if re, ok := patternEscapes[c]; ok {
		t.emit(2, re)
		return nil
	}
	switch {
	case c >= '1' && c <= '9':
		return fmt.Errorf(`\%c refers back to a group, which this grep cannot do`, c)
	case c == '}' && !t.ere:
		return errors.New(`a \} closes nothing`)
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		t.warnings = append(t.warnings, fmt.Sprintf(`\%c means just %c`, c, c))
	}
	t.literal(t.rest[1:])
	return nil
}

func (t *translator) openGroup() error {
	t.open = append(t.open, len(t.out))
	t.out = append(t.out, "(?:"...)
	t.before = atStart
	return nil
}

func (t *translator) closeGroup() error {
	n := len(t.open) - 1
	if n < 0 {
		if t.ere { // as GNU grep
			t.emit(0, `\)`)
			return nil
		}
		return errors.New(`a \) closes nothing`)
	}
	t.atom = t.open[n]
	t.open = t.open[:n]
	t.out = append(t.out, ')')
	t.before = afterAtom
	return nil
}

func (t *translator) alternative() error {
	t.out = append(t.out, '|')
	t.before = atStart
	return nil
}

// repeat applies the operator op, which is written c, to the last atom. With
// nothing to repeat it is a character in BRE and repeats nothing in ERE.
func (t *translator) repeat(op string, c byte) error {
	if t.before != afterAtom {
		if !t.ere {
			t.emit(0, regexp.QuoteMeta(string(c)))
			return nil
		}
		t.emit(0, "(?:)")
	}
	// The outer group keeps a second operator from making this one lazy.
	atom := string(t.out[t.atom:])
	t.out = append(t.out[:t.atom], "(?:(?:"+atom+")"+op+")"...)
	return nil
}

// interval reads what follows a {, up to its }.
func (t *translator) interval() error {
	closing := `\}`
	if t.ere {
		closing = "}"
	}
	body, rest, closed := strings.Cut(t.rest, closing)
	low, high, isRange := strings.Cut(body, ",")
	if !closed || !isDigits(low) || !isDigits(high) || body == "" {
		if t.ere { // as GNU grep
			t.emit(0, `\{`)
			return nil
		}
		return errors.New(`a \{ is not followed by a repeat such as 2,5\}`)
	}
	if t.before != afterAtom && !t.ere {
		return errors.New(`a \{ has nothing to repeat`)
	}
	if low == "" {
		low = "0"
	}
	if !isRange {
		high = low
	}
	from, err := strconv.Atoi(low)
	to := from
	if err == nil && high != "" {
		to, err = strconv.Atoi(high)
	}
	switch {
	case err != nil || from > 1000 || to > 1000:
		return fmt.Errorf("{%s} repeats more than 1000 times, which this grep cannot do", body)
	case from > to:
		return fmt.Errorf("{%s} is from more to less", body)
	}
	t.rest = rest
	if high == "" {
		return t.repeat("{"+low+",}", '{')
	}
	return t.repeat("{"+low+","+high+"}", '{')
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
