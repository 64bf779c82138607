package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	minSecret  = 6 // shorter values are part of ordinary text
	redacted   = "[redacted]"
	maxMessage = 2 << 10 // of one error
	ellipsis   = "…"
)

// A redactor takes the key and the values of headers out of what is shown:
// servers quote what they refuse.
type redactor struct{ values *strings.Replacer }

func newRedactor(key string, headers map[string]string) redactor {
	var secrets []string
	add := func(s string) {
		s = strings.TrimSpace(s)
		if len(s) < minSecret {
			return
		}
		secrets = append(secrets, s)
		quoted, _ := json.Marshal(s) // a string always has its JSON
		secrets = append(secrets, strings.Trim(string(quoted), `"`))
	}
	add(key)
	for _, v := range headers {
		add(v)
		if _, credential, ok := strings.Cut(v, " "); ok { // Bearer …
			add(credential)
		}
	}
	// A secret that is a part of another must not leave the rest of it.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		pairs = append(pairs, s, redacted)
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// text is s without secrets and of bounded length.
func (r redactor) text(s string) string { return bound(r.values.Replace(s), maxMessage) }

// bound cuts s at the start of a character, so that at most n bytes are left,
// and says so.
func bound(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}
