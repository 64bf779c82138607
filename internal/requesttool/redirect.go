package requesttool

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// redirect returns where the answer to req leads, nil when it leads nowhere,
// and an error when it leads where the request must not go: headers are for
// the server they were written for, and a changing request is made once.
func (t *tool) redirect(req request, resp *http.Response, hop int) (*url.URL, error) {
	location := resp.Header.Get("Location")
	if location == "" || !slices.Contains([]int{301, 302, 303, 307, 308}, resp.StatusCode) {
		return nil, nil
	}
	next, err := req.url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("the server answers %s with a place that is no URL", status(resp.StatusCode))
	}
	why := ""
	switch {
	case t.method != http.MethodGet && t.method != http.MethodHead:
		why = "a " + t.method + " is not sent on"
	case req.body != nil:
		why = "a request with a body is not sent on"
	case origin(next) != origin(req.url) || next.User != nil:
		why = "that is another server: requests stay at " + req.url.Scheme + "://" + req.url.Host
	case hop >= maxRedirects:
		why = fmt.Sprintf("that would be redirect %d", hop+1)
	}
	if why != "" {
		// Its query may hold a token, and a model has no use for it.
		return nil, errors.New("the server answers " + status(resp.StatusCode) + ", which leads to " + shown(next) + ": " + why)
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// origin is what the headers of a request are for.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// status is a status as text that no server chose.
func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}
