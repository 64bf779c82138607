package requesttool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// minSecret is the shortest value that is taken for a secret: shorter ones are
// part of ordinary text.
const minSecret = 6

// redacted stands where a secret was.
const redacted = "[redacted]"

// A redactor takes the values of a tool's headers out of what others are
// shown.
type redactor struct {
	// failures is for errors and logs: no value of a header stays in them but
	// of those that everybody may know.
	failures *strings.Replacer
	// answers is for what a server sent on success. Only credentials are taken
	// out of it: another header's value may be a word of the answer.
	answers *strings.Replacer
}

func newRedactor(headers map[string]string) redactor {
	var all, credentials []string
	for name, value := range headers {
		name = strings.ToLower(name)
		if public(name) {
			continue
		}
		forms := formsOf(value)
		all = append(all, forms...)
		if credential(name) {
			credentials = append(credentials, forms...)
		}
	}
	return redactor{failures: replacer(all), answers: replacer(credentials)}
}

// formsOf are the texts that give a header's value away: all of it, what
// follows a scheme as Bearer, and both as JSON writes them.
func formsOf(value string) []string {
	value = strings.TrimSpace(value)
	plain := []string{value}
	if i := strings.LastIndexByte(value, ' '); i >= 0 {
		plain = append(plain, value[i+1:])
	}
	var forms []string
	for _, s := range plain {
		if len(s) < minSecret {
			continue
		}
		forms = append(forms, s)
		quoted, _ := json.Marshal(s) // a string always has its JSON
		if q := strings.Trim(string(quoted), `"`); q != s {
			forms = append(forms, q)
		}
	}
	return forms
}

// replacer takes longer texts first: a part of one must not save the rest.
func replacer(texts []string) *strings.Replacer {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(texts) {
		pairs = append(pairs, s, redacted)
	}
	return strings.NewReplacer(pairs...)
}

// public reports whether the header, in lower case, says nothing that is
// secret.
func public(name string) bool {
	return strings.HasPrefix(name, "accept") || strings.HasPrefix(name, "content-") || strings.HasSuffix(name, "-version") ||
		slices.Contains([]string{"user-agent", "cache-control", "prefer", "host"}, name)
}

func credential(name string) bool {
	return slices.ContainsFunc([]string{"auth", "token", "key", "secret", "cookie", "pass", "credential", "signature", "session"},
		func(word string) bool { return strings.Contains(name, word) })
}
