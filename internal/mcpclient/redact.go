package mcpclient

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"agsh.dev/agent"
)

const (
	minSecret  = 6       // shorter values would make errors unreadable and are no secrets
	maxError   = 4 << 10 // of one error or log line
	ellipsis   = "…"
	maxSummary = 64 << 10 // of a tool's description
)

// A redactor takes the values of a connection's configuration out of texts
// that are shown.
type redactor struct{ values *strings.Replacer }

func newRedactor(c agent.Connection) redactor {
	var secrets []string
	add := func(s string) {
		if len(s) >= minSecret {
			secrets = append(secrets, s)
		}
	}
	for _, v := range c.Env {
		add(v)
	}
	for _, v := range c.Headers {
		add(v)
		if _, credential, ok := strings.Cut(v, " "); ok { // Bearer …
			add(credential)
		}
	}
	if u, err := url.Parse(c.URL); err == nil {
		add(u.RawQuery)
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
		if password, ok := u.User.Password(); ok {
			add(password)
		}
	}
	// A secret that is a part of another must not leave the rest of it.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range slices.Compact(secrets) {
		pairs = append(pairs, s, ellipsis)
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// text is s without secrets and of bounded length.
func (r redactor) text(s string) string { return bound(r.values.Replace(s), maxError) }

// error is err with a text that is fit to show. What errors.Is and As find in
// err they find in it.
func (r redactor) error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	clean := r.text(text)
	if clean == text {
		return err
	}
	return &redactedError{clean, err}
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.cause }

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
