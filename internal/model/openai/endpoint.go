package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// endpointOf returns where completions are asked for.
func endpointOf(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		// The parser's error quotes all of it, and with it a password.
		return nil, errors.New("the model's baseUrl is no URL: want https://host/v1")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the model's baseUrl %s: want http or https and a host, as in http://localhost:11434/v1", u.Redacted())
	}
	u.Fragment, u.RawFragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		u.Path, u.RawPath = path, ""
		return u, nil
	case !hasVersion(path):
		path += "/v1"
	}
	u.Path, u.RawPath = path+"/chat/completions", ""
	return u, nil
}

// hasVersion reports whether a segment of path is v1, v4, v1beta or the like.
func hasVersion(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) >= 2 && segment[0] == 'v' && '0' <= segment[1] && segment[1] <= '9' {
			return true
		}
	}
	return false
}

// isOpenAI reports whether the server is OpenAI's own, which refuses what
// others still need.
func isOpenAI(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

const maxRedirects = 5

// errRedirect is why a redirect was not followed; the text around it says
// which.
var errRedirect = errors.New("redirects of a model stay at its own server and keep the request")

// stayAt refuses redirects that would take a key and a conversation to another
// server, or would drop the request's body.
func stayAt(endpoint *url.URL) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		where := req.URL.Scheme + "://" + req.URL.Host + req.URL.Path // a query may hold a token
		switch {
		case origin(req.URL) != origin(endpoint):
			return fmt.Errorf("the server leads to %s, another server: %w; if that is right, put it into baseUrl", where, errRedirect)
		case req.Method != http.MethodPost:
			return fmt.Errorf("the server leads to %s with a redirect that makes a POST a GET: %w; put that URL into baseUrl", where, errRedirect)
		case len(via) > maxRedirects:
			return fmt.Errorf("the server leads on and on, now to %s: %w", where, errRedirect)
		}
		return nil
	}
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
