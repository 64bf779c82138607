package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"

	"agsh.dev/api"
)

func digest(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// guard decides whether a request may be looked at, before anything of it is
// read but its headers.
func (h *handler) guard(r *http.Request) error {
	authorized := false
	if h.cfg.BearerToken != "" {
		if !h.bearer(r) {
			return api.Errorf(api.CodeUnauthorized, "the bearer token is missing or wrong").
				WithHint("send Authorization: Bearer <token>; agsh takes --bearer-token or AGENT_SHELL_BEARER_TOKEN")
		}
		authorized = true
	}
	if !h.cfg.Loopback {
		return nil
	}
	return h.sameMachine(r, authorized)
}

// bearer compares digests, so that neither the length nor the content of the
// token shows in how long it takes.
func (h *handler) bearer(r *http.Request) bool {
	credentials := r.Header.Values("Authorization")
	if len(credentials) != 1 {
		return false // of two, somebody in between may have looked at the other
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	given := digest(strings.TrimSpace(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(given[:], h.token[:]) == 1
}

// sameMachine refuses what a web page or a proxy could have caused: a page
// whose name was rebound to a loopback address sends its own name as Host,
// and no Origin on reads.
func (h *handler) sameMachine(r *http.Request, authorized bool) error {
	if !h.ours(r.Host) {
		return forbidden("Host", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !h.ours(u.Host) || u.Scheme != "http" && u.Scheme != "https" {
			return forbidden("Origin", origin)
		}
	}
	if authorized {
		return nil
	}
	for name := range r.Header {
		if name == "Forwarded" || strings.HasPrefix(name, "X-Forwarded-") {
			return api.Errorf(api.CodeForbidden, "the request came through a proxy (%s) and carries no credential", name).
				WithHint("serve with --bearer-token behind a proxy")
		}
	}
	return nil
}

func forbidden(header, value string) error {
	return api.Errorf(api.CodeForbidden, "%s %q is not this server", header, value).
		WithHint("use localhost, or allow the name with --allowed-host")
}

// ours reports whether a Host header names this machine, or a name that is
// allowed.
func (h *handler) ours(hostport string) bool {
	name := hostport
	if bare, _, err := net.SplitHostPort(hostport); err == nil {
		name = bare
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	for _, allowed := range h.cfg.AllowedHosts {
		if strings.EqualFold(allowed, hostport) || strings.EqualFold(allowed, name) {
			return true
		}
	}
	return false
}
