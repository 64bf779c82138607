package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// namedClasses are the contents of POSIX character classes.
var namedClasses = map[string]string{
	"alpha":  `\p{L}\p{M}`,
	"digit":  `0-9`,
	"alnum":  `\p{L}\p{M}\p{Nd}`,
	"upper":  `\p{Lu}`,
	"lower":  `\p{Ll}`,
	"space":  `\s\v\p{Z}`,
	"blank":  `\t\p{Zs}`,
	"punct":  `\p{P}\p{S}`,
	"cntrl":  `\p{Cc}`,
	"graph":  `\p{L}\p{M}\p{N}\p{P}\p{S}`,
	"print":  `\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}`,
	"xdigit": `0-9A-Fa-f`,
}

// bracket translates the bracket expression at the start of s and returns its
// length in s. A backslash is an ordinary character in it.
func bracket(s string) (re string, size int, err error) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		b.WriteByte('^')
		i++
	}
	for first := true; ; first = false {
		switch {
		case i >= len(s):
			return "", 0, errors.New("a [ is not closed")
		case s[i] == ']' && !first:
			b.WriteByte(']')
			if hint := colonHint(s[:i+1]); hint != nil {
				return "", 0, hint
			}
			return b.String(), i + 1, nil
		}
		n, err := bracketItem(&b, s[i:])
		if err != nil {
			return "", 0, err
		}
		i += n
	}
}

// colonHint catches a class that was written with one pair of brackets, which
// would match its letters.
func colonHint(s string) error {
	if len(s) > 4 && strings.HasPrefix(s, "[:") && strings.HasSuffix(s, ":]") {
		return fmt.Errorf("a class of characters is written [%s]", s)
	}
	return nil
}

// bracketItem writes the class, range or character at the start of s and
// returns its length.
func bracketItem(b *strings.Builder, s string) (int, error) {
	if name, ok := strings.CutPrefix(s, "[:"); ok {
		name, _, ok = strings.Cut(name, ":]")
		if !ok {
			return 0, errors.New("a [: is not closed")
		}
		class, known := namedClasses[name]
		if !known {
			return 0, fmt.Errorf("there is no class of characters [:%s:]", name)
		}
		b.WriteString(class)
		return len(name) + 4, nil
	}
	from, n, err := bracketChar(s)
	if err != nil {
		return 0, err
	}
	to := from
	if rest := s[n:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		c, size, err := bracketChar(rest[1:])
		if err != nil {
			return 0, err
		}
		to, n = c, n+1+size
	}
	if to < from {
		return 0, fmt.Errorf("the range %c-%c is from more to less", from, to)
	}
	fmt.Fprintf(b, `\x{%x}-\x{%x}`, from, to)
	return n, nil
}

// bracketChar reads a character, which may be written [.x.] or [=x=].
func bracketChar(s string) (c rune, size int, err error) {
	for _, mark := range []string{".", "="} {
		if rest, ok := strings.CutPrefix(s, "["+mark); ok {
			c, size := utf8.DecodeRuneInString(rest)
			if rest == "" || !strings.HasPrefix(rest[size:], mark+"]") {
				return 0, 0, fmt.Errorf("[%s does not enclose one character", mark)
			}
			return c, size + 4, nil
		}
	}
	c, size = utf8.DecodeRuneInString(s)
	if size == 0 {
		return 0, 0, errors.New("a [ is not closed")
	}
	return c, size, nil
}
