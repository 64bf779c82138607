package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"agsh.dev/api"
)

func TestTargetsAreReadAsURLs(t *testing.T) {
	tests := []struct{ target, agent, url, tools, root string }{
		{"http://127.0.0.1:39400/executor", "executor", "http://127.0.0.1:39400/executor", "/executor/v1/tools", "/"},
		{"http://h/a///", "a", "http://h/a", "/a/v1/tools", "/"},
		{"HTTPS://h:8443/p/q/a", "a", "https://h:8443/p/q/a", "/p/q/a/v1/tools", "/p/q/"},
		{"https://h/a?", "a", "https://h/a", "/a/v1/tools", "/"},
		{"https://h/a#", "a", "https://h/a", "/a/v1/tools", "/"},
		{"http://[::1]:80/a", "a", "http://[::1]:80/a", "/a/v1/tools", "/"},
		{"http://[fe80::1%25eth0]/a", "a", "http://[fe80::1%25eth0]/a", "/a/v1/tools", "/"},
		{"https://bücher.test/ä", "ä", "https://b%C3%BCcher.test/%C3%A4", "/%C3%A4/v1/tools", "/"},
		{"https://h/p%2Fq/a", "a", "https://h/p%2Fq/a", "/p%2Fq/a/v1/tools", "/p%2Fq/"},
		{"https://h", "", "https://h", "/v1/tools", "/"},
		{"https://h/", "", "https://h", "/v1/tools", "/"},
	}
	for _, tt := range tests {
		t.Run(tt.target, func(t *testing.T) {
			var asked []string
			c := serve(t, tt.target, api.Config{}, func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.EscapedPath())
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"tools":[],"agents":[]}`)
			})
			if c.Agent() != tt.agent {
				t.Errorf("the agent is %q, want %q", c.Agent(), tt.agent)
			}
			if c.URL() != tt.url {
				t.Errorf("the URL is %q, want %q", c.URL(), tt.url)
			}
			if _, err := c.Tools(t.Context(), api.Binding{}); err != nil {
				t.Error(err)
			}
			if _, err := c.Agents(t.Context()); err != nil {
				t.Error(err)
			}
			if want := tt.tools + " " + tt.root; strings.Join(asked, " ") != want {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
}

func TestAnotherAgentIsOnTheSameServerWhateverItsName(t *testing.T) {
	tests := []struct{ slug, path string }{
		{"b", "/p/b/v1/tools"},
		{"../x", "/p/..%2Fx/v1/tools"},
		{"http://evil.test/", "/p/http:%2F%2Fevil.test%2F/v1/tools"},
		{"a?b#c", "/p/a%3Fb%23c/v1/tools"},
	}
	for _, tt := range tests {
		c := serve(t, "https://h/p", api.Config{BearerToken: secret}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Host != "h" || r.URL.EscapedPath() != tt.path {
				t.Errorf("asked %s, want %s of h", r.URL, tt.path)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"tools":[]}`)
		})
		if _, err := c.WithAgent(tt.slug).Tools(t.Context(), api.Binding{}); err != nil {
			t.Error(err)
		}
	}
}

// TestR76_NoCredentialIsShownOfATarget covers credentials where people put
// them: in the URL.
func TestR76_NoCredentialIsShownOfATarget(t *testing.T) {
	tests := []struct{ target, want string }{
		{"", "want a URL"},
		{"prod", "want a URL"},
		{"ftp://h/a", "want a URL"},
		{"http:", "want a URL"},
		{"http:///a", "want a URL"},
		{"http://:80/a", "want a URL"},
		{"h:80/a", "want a URL"},
		{" http://h/a", "want a URL"},
		{"http://h:x/a", "want a URL"},
		{"http://h/%zz", "want a URL"},
		{"http://h\x1b/a", "want a URL"},
		{"http://" + secret + "@h/a", `target "http://…@h/a": a target has no user`},
		{"http://me:" + secret + "@h/a", "no user"},
		{"http://me:p/" + secret + "@h/a", "want a URL"},
		{"http://me:" + secret + " x@h/%zz", "want a URL"},
		{"https://h/a?token=" + secret, `target "https://h/a…": a target has no user, query`},
		{"https://h/%zz?token=" + secret, "want a URL"},
		{"https://h/a#" + secret, "fragment"},
	}
	for _, tt := range tests {
		_, err := api.NewClient(tt.target, api.Config{})
		if err == nil {
			t.Errorf("%q is a target", tt.target)
			continue
		}
		says(t, err, tt.want)
	}
}

func TestR76_ATokenIsOnlySentWhereNobodyCanReadIt(t *testing.T) {
	tests := []struct {
		target string
		ok     bool
	}{
		{"https://agents.test/a", true},
		{"http://127.0.0.1/a", true},
		{"http://127.9.9.9:80/a", true},
		{"http://[::1]/a", true},
		{"http://localhost:1/a", true},
		{"http://agents.test/a", false},
		{"http://10.0.0.1/a", false},
		{"http://0.0.0.0/a", false},
		{"http://localhost.evil.test/a", false},
		{"http://127.0.0.1.evil.test/a", false},
		{"http://LOCALHOST/a", false}, // which a proxy would be asked for
		{"http://127.1/a", false},     // a name to us
		{"http://[fe80::1%25lo]/a", false},
	}
	for _, tt := range tests {
		_, err := api.NewClient(tt.target, api.Config{BearerToken: secret})
		switch {
		case tt.ok && err != nil:
			t.Errorf("%s: %v", tt.target, err)
		case !tt.ok && err == nil:
			t.Errorf("%s takes a token", tt.target)
		case !tt.ok:
			says(t, err, "use https")
		}
	}
	for _, token := range []string{"a\r\nX: y", "a\nb", "a\x00", "a\x7f"} {
		_, err := api.NewClient("https://h/a", api.Config{BearerToken: token})
		if err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("the token %q: %v", token, err)
		}
	}
}
