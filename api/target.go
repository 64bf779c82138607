package api

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// parseTarget reads the URL of an agent or of a server. What it returns has no
// slash at its end.
func parseTarget(target string) (*url.URL, error) {
	u, err := url.Parse(target)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("target %q: want a URL such as http://127.0.0.1:39400/executor", shown(target))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("target %q: a target has no user, query or fragment; give a credential as a bearer token", shown(target))
	}
	return &url.URL{
		Scheme: u.Scheme, Host: u.Host,
		Path: strings.TrimRight(u.Path, "/"), RawPath: strings.TrimRight(u.EscapedPath(), "/"),
	}, nil
}

// shown is what an error may show of an address, which may be no URL at all:
// not its user and not its query, where people put credentials.
func shown(address string) string {
	s, _, _ := strings.Cut(address, "#")
	s, _, _ = strings.Cut(s, "?")
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			s = scheme + "://…" + rest[at:]
		}
	}
	if s != address && !strings.Contains(s, "…") {
		s += "…"
	}
	return excerpt(s)
}

// loopback reports whether a host is this machine however names are looked up
// and proxies are set.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
