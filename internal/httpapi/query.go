package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agsh.dev/api"
	"agsh.dev/internal/host"
)

// values are the parameters of a query string, each known and given once.
type values map[string]string

// query reads the query string. A parameter that is not known is an error: to
// ignore it could do something else than was asked for.
func query(r *http.Request, known ...string) (values, error) {
	if r.URL.RawQuery == "" {
		return values{}, nil
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, api.Errorf(api.CodeInvalidQuery, "the query string cannot be read")
	}
	out := make(values, len(q))
	for name, all := range q {
		if !slices.Contains(known, name) {
			hint := "this route takes no parameters"
			if len(known) > 0 {
				hint = "this route takes " + strings.Join(known, ", ")
			}
			return nil, api.Errorf(api.CodeInvalidQuery, "unknown parameter %q", name).WithHint(hint).WithField(name)
		}
		if len(all) > 1 {
			return nil, api.Errorf(api.CodeInvalidQuery, "parameter %s is given %d times", name, len(all)).WithField(name)
		}
		out[name] = all[0]
	}
	return out, nil
}

func (v values) flag(name string) (bool, error) {
	switch v[name] {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, api.Errorf(api.CodeInvalidQuery, "%s=%q: want 0 or 1", name, v[name]).WithField(name)
}

func (v values) number(name string, absent int64) (int64, error) {
	s, ok := v[name]
	if !ok {
		return absent, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, api.Errorf(api.CodeInvalidQuery, "%s=%q: want a whole number", name, s).WithField(name)
	}
	return n, nil
}

// get returns a parameter, or nil when it is not given.
func (v values) get(name string) *string {
	if s, ok := v[name]; ok {
		return &s
	}
	return nil
}

// binding is the session a request is about. One that is given empty is an
// error: it comes from a variable that was not set.
func binding(session, token *string, code api.Code) (b host.Binding, err error) {
	for name, in := range map[string]struct{ from, to *string }{
		"session": {session, &b.Session}, "continuationToken": {token, &b.Token},
	} {
		switch {
		case in.from == nil:
		case *in.from == "":
			return b, api.Errorf(code, "%s is empty", name).WithHint("leave it out, or give one").WithField(name)
		default:
			*in.to = *in.from
		}
	}
	return b, nil
}
