package agentdir

import (
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// endpoint checks where requests go. The URL is not shown: it may hold what
// should have been a header.
func (d document) endpoint(v *yaml.Node, what, raw string) (*url.URL, bool) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		d.invalid(v, "write it whole, such as https://example.com/mcp", "%s: want an http or https URL with a host", what)
	case u.User != nil:
		d.invalid(v, "send it in headers, such as {Authorization: Bearer ${TOKEN}}", "%s: a URL holds no name and no password", what)
	case u.Fragment != "" || strings.Contains(raw, "#"):
		d.invalid(v, "remove what begins with #", "%s: a fragment is never sent", what)
	default:
		return u, true
	}
	return nil, false
}

// checkSecure warns of headers that others on the way can read.
func (d document) checkSecure(v *yaml.Node, what string, u *url.URL, headers map[string]string) {
	if u.Scheme == "http" && len(headers) > 0 && !isLoopback(u.Hostname()) {
		d.report(d.at(v), URLInsecure, "use https", "%s: the headers go to another machine without encryption", what)
	}
}

func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// ownHeaders are set by whoever sends a request.
var ownHeaders = []string{"Connection", "Content-Length", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// headers reads what goes with every request, with variables.
func (d document) headers(v *yaml.Node, what string) map[string]string {
	if !d.is(v, yaml.MappingNode, what, "a mapping of names to strings") {
		return nil
	}
	out := make(map[string]string, len(v.Content)/2)
	seen := map[string]bool{}
	for k, v := range pairs(v) {
		name := textproto.CanonicalMIMEHeaderKey(k.Value)
		var value string
		switch at := what + "." + k.Value; {
		case !isToken(k.Value):
			d.invalid(k, "", "%s: %s is not the name of a header", what, quote(k.Value))
		case slices.Contains(ownHeaders, name):
			d.invalid(k, "remove it", "%s: %s is set by itself", what, name)
		case seen[name]:
			d.report(d.at(k), KeyDuplicate, "remove one of them", "%s: %s is here already, in another case", what, k.Value)
		case !d.resolve(v, at, &value):
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			d.invalid(v, "", "%s: a header is one line, without control characters", at)
		default:
			out[k.Value] = value
		}
		seen[name] = true
	}
	return out
}

// isToken reports whether s can be the name of a header.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
