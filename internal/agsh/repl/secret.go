package repl

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

const hidden = "***"

// A value is a word as it is written, with its quotes, of which the last may
// be open.
const value = `((?:'[^']*(?:'|$)|"(?:\\(?s:.)|[^"\\])*(?:"|$)|\\(?s:.)|[^\s'"\\;|&])+)`

// patterns finds secrets. They are compiled for the first entry: most runs of
// the program have none.
type patterns struct {
	// places are where a secret stands after its name. Group 1 is the text up
	// to the value, group 2 the name in it, group 3 the value.
	places []*regexp.Regexp
	bearer *regexp.Regexp
	humps  *regexp.Regexp // of camelCase
}

var secretPatterns = sync.OnceValue(func() patterns {
	return patterns{
		places: []*regexp.Regexp{
			// '--token=x y' and "--token=x y"
			regexp.MustCompile(`('--?([A-Za-z][\w.-]*)=)([^']+)`),
			regexp.MustCompile(`("--?([A-Za-z][\w.-]*)=)((?:\\(?s:.)|[^"\\])+)`),
			// --token=x
			regexp.MustCompile(`((?:^|\s)--?([A-Za-z][\w.-]*)=)` + value),
			// --token x, "--token" x; a flag that follows is no value
			regexp.MustCompile(`((?:^|[\s'"])--?([A-Za-z][\w.-]*)['"]?(?:\s|\\\n)+)(?:--[A-Za-z]|` + value + `)`),
			// "token": "x", also inside double quotes
			regexp.MustCompile(`(\\*["']([A-Za-z][\w.-]*)\\*["']\s*:\s*)` +
				`(\\+"(?:\\\\\\"|\\\\[^"]|\\[^"\\]|[^"\\])*(?:\\+"|$)|"(?:\\(?s:.)|[^"\\])*(?:"|$)|[^\s,}\]"'\\]+)`),
			// Authorization: Bearer x, X-Api-Key: x
			regexp.MustCompile(`(\b([A-Za-z][\w-]*):\s*(?:(?i:bearer|basic|token)\s+)?)([^\s'"\\,}]+)`),
		},
		bearer: regexp.MustCompile(`\b((?i:bearer)\s+)[\w.~+/=-]{16,}`),
		humps:  regexp.MustCompile(`([a-z0-9])([A-Z])`),
	}
})

// redact replaces what looks like a secret in an entry that may not even
// parse. It goes by names: it cannot know a secret that has none.
func redact(entry string) string {
	for _, place := range secretPatterns().places {
		entry = redactPlace(entry, place)
	}
	return secretPatterns().bearer.ReplaceAllString(entry, "${1}"+hidden)
}

// redactPlace goes on inside a value that is kept, where another name may be.
func redactPlace(entry string, place *regexp.Regexp) string {
	var b strings.Builder
	for {
		m := place.FindStringSubmatchIndex(entry)
		if m == nil {
			return b.String() + entry
		}
		next := m[5]
		b.WriteString(entry[:next])
		if m[6] >= 0 && secretName(entry[m[4]:m[5]]) {
			next = m[7]
			b.WriteString(entry[m[5]:m[6]] + mask(entry[m[6]:m[7]]))
		}
		entry = entry[next:]
	}
}

// mask hides a value and leaves the quotes it is in, or the one it opens.
func mask(val string) string {
	bare := strings.TrimLeft(val, `\"'`)
	quote := strings.TrimRight(val[:len(val)-len(bare)], `\`)
	switch {
	case quote == "":
		return hidden
	case len(bare) >= len(quote) && strings.HasSuffix(bare, quote):
		return quote + hidden + quote
	case strings.Contains(bare, quote[len(quote)-1:]): // closed somewhere inside
		return hidden
	default:
		return quote + hidden
	}
}

// secretName reports whether a flag or a member of that name holds a secret:
// its last word says so, so max-tokens and token-file do not.
func secretName(name string) bool {
	words := strings.FieldsFunc(secretPatterns().humps.ReplaceAllString(name, "$1-$2"), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	if n := len(words) - 1; n > 0 && (words[n] == "value" || strings.Trim(words[n], "0123456789") == "") {
		words = words[:n]
	}
	n := len(words) - 1
	if n < 0 {
		return false
	}
	if words[n] == "key" && n > 0 {
		return slices.Contains(secretKeys, words[n-1])
	}
	return slices.Contains(secretWords, words[n])
}

var (
	secretWords = []string{
		"token", "password", "passwd", "passphrase", "pwd", "secret", "secrets", "credential", "credentials",
		"apikey", "accesskey", "secretkey", "privatekey", "auth", "authorization", "bearer", "cookie",
	}
	secretKeys = []string{"api", "access", "secret", "private", "signing", "encryption", "auth", "ssh", "account"}
)
