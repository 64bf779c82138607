package requesttool

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/internal/placeholder"
)

// A target is where the requests of a tool go, parsed once. Placeholders stand
// only in segments of the path and in values of the query.
type target struct {
	scheme, host string
	segments     []placeholder.Template // of the path, escaped
	query        []parameter
}

// A parameter is a name, escaped and with its equals sign, and a value whose
// literal text is escaped.
type parameter struct {
	name  string
	value placeholder.Template
}

// parseTarget's errors show neither credentials nor the query.
func parseTarget(r agent.Request) (target, error) {
	scheme, rest, ok := strings.Cut(r.URL, "://")
	if !ok || (scheme != "http" && scheme != "https") {
		return target{}, errors.New("its url does not begin with http:// or https://")
	}
	// Names of placeholders have none of these characters.
	where, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(where, "/")
	if strings.Contains(host, "@") {
		return target{}, errors.New("its url has credentials, which belong in a header")
	}
	t := target{scheme: scheme, host: host}
	if err := t.parse(path, query); err != nil {
		return target{}, fmt.Errorf("its url %s://%s: %w", scheme, where, err)
	}
	for _, p := range r.Query {
		parsed, err := placeholder.Parse(p.Value)
		if err != nil {
			return target{}, fmt.Errorf("its query parameter %s: %w", p.Name, err)
		}
		t.query = append(t.query, parameter{escape(p.Name) + "=", parsed.Literals(escape)})
	}
	return t, nil
}

func (t *target) parse(path, query string) error {
	if err := checkHost(t.scheme, t.host); err != nil {
		return err
	}
	if strings.Contains(path+query, "#") {
		return errors.New("a fragment is never sent: leave out # and what follows")
	}
	for segment := range strings.SplitSeq(path, "/") {
		parsed, err := escapedTemplate(segment)
		if err != nil {
			return err
		}
		t.segments = append(t.segments, parsed)
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if strings.ContainsAny(name, "{}") {
			return errors.New("a call cannot choose the name of a query parameter")
		}
		if _, err := url.PathUnescape(name); err != nil {
			return err
		}
		parsed, err := escapedTemplate(value)
		if err != nil {
			return err
		}
		name = mend(name)
		if ok {
			name += "="
		}
		t.query = append(t.query, parameter{name, parsed})
	}
	return nil
}

// checkHost refuses an authority that is more than a host and a port.
func checkHost(scheme, host string) error {
	if strings.ContainsAny(host, "{}") {
		return errors.New("a call cannot choose the host: placeholders stand in the path and the query only")
	}
	u, err := url.Parse(scheme + "://" + host)
	switch {
	case err != nil:
		return err
	case u.Hostname() == "" || u.Host != host:
		return errors.New("it has no host, or one that is not written plainly")
	}
	return nil
}

func escapedTemplate(s string) (placeholder.Template, error) {
	t, err := placeholder.Parse(s)
	if err != nil {
		return t, err
	}
	if _, err := url.PathUnescape(s); err != nil {
		return t, err
	}
	return t.Literals(mend), nil
}

// names are the arguments that stand in the URL.
func (t target) names() []string {
	var names []string
	for _, s := range t.segments {
		names = append(names, s.Names()...)
	}
	for _, p := range t.query {
		names = append(names, p.value.Names()...)
	}
	return names
}

// url returns the URL for a call; more is added to its query, escaped.
func (t target) url(args placeholder.Arguments, more []string) (*url.URL, error) {
	segments := make([]string, len(t.segments))
	for i, s := range t.segments {
		var err error
		if segments[i], err = expandSegment(s, args); err != nil {
			return nil, err
		}
	}
	escaped := "/" + strings.Join(segments, "/")
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, err // not reached: literals are checked and values escaped
	}
	var query []string
	for _, p := range t.query {
		for _, value := range expandParameter(p.value, args) {
			query = append(query, p.name+value)
		}
	}
	return &url.URL{
		Scheme: t.scheme, Host: t.host, Path: path, RawPath: escaped,
		RawQuery: strings.Join(append(query, more...), "&"),
	}, nil
}

// expandSegment returns one segment of the path, escaped. Servers and proxies
// treat the segments "", "." and ".." as something else than a name, and some
// do so after they have decoded a slash.
func expandSegment(t placeholder.Template, args placeholder.Arguments) (string, error) {
	escaped, err := t.Expand(func(name string) (string, error) {
		value, err := args.Get(name)
		if err != nil {
			return "", fmt.Errorf("%w: it stands in the path of the URL", err)
		}
		if value[0] == '[' || value[0] == '{' {
			return "", fmt.Errorf("argument %s: the path of a URL takes one text, number or boolean, not %s", name, kindOf(value))
		}
		return escape(placeholder.Text(value)), nil
	})
	names := t.Names()
	if err != nil || len(names) == 0 {
		return escaped, err
	}
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return "", err
	}
	if plain == "" {
		return "", fmt.Errorf("argument %s is empty, so the URL would be that of something else", names[0])
	}
	for piece := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
		if piece == "." || piece == ".." {
			return "", fmt.Errorf("argument %s: %.80q would lead elsewhere in the path of the URL", names[0], plain)
		}
	}
	return escaped, nil
}

func kindOf(value json.RawMessage) string {
	if value[0] == '[' {
		return "an array"
	}
	return "an object"
}

// expandParameter returns the escaped values of one parameter: none when an
// argument is absent, one for each element when it is an array alone.
func expandParameter(t placeholder.Template, args placeholder.Arguments) []string {
	if name, ok := t.Sole(); ok {
		value, err := args.Get(name)
		if err != nil {
			return nil
		}
		return escapeElements(value)
	}
	value, err := t.Expand(func(name string) (string, error) {
		text, err := args.Text(name)
		return escape(text), err
	})
	if err != nil {
		return nil // absent
	}
	return []string{value}
}

func escapeElements(value json.RawMessage) []string {
	var out []string
	for _, element := range placeholder.Elements(value) {
		out = append(out, escape(placeholder.Text(element)))
	}
	return out
}

const unreserved = "-._~"

// escape makes s a piece of a path or query that is nothing but s.
func escape(s string) string { return percent(s, unreserved) }

// mend escapes what may not stand in a path or query as it is, and keeps what
// its author escaped or meant as a mark.
func mend(s string) string { return percent(s, unreserved+"!$&'()*+,;=:@/?%") }

func percent(s, keep string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
