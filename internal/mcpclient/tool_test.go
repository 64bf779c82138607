package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
)

func TestConnector(t *testing.T) {
	for meta, want := range map[string]string{
		`{}`:                     "",
		`{"connector":" mail "}`: "mail",
		`{"agsh.dev/connector":"chat","connector":"mail"}`: "chat",
		`{"agsh.dev/connector":7,"connector":"mail"}`:      "mail",
		`{"connector":"` + strings.Repeat("ü", 65) + `"}`:  strings.Repeat("ü", 64),
	} {
		o, err := readOffer(json.RawMessage(`{"name":"a","_meta":` + meta + `}`))
		if err != nil || o.connector() != want {
			t.Errorf("%s: %q, %v, want %q", meta, o.connector(), err, want)
		}
	}
}

func TestOffersThatCannotBeRead(t *testing.T) {
	for _, raw := range []string{`{}`, `7`, `{"name":"a","description":7}`} {
		if o, err := readOffer(json.RawMessage(raw)); err == nil {
			t.Errorf("%s is read as %+v", raw, o)
		}
	}
}

func TestAToolThatRunsAsATaskOnlyIsNotOffered(t *testing.T) {
	for support, offered := range map[string]bool{"required": false, "optional": true, "forbidden": true, "": true} {
		_, err := readOffer(json.RawMessage(`{"name":"a","execution":{"taskSupport":"` + support + `"}}`))
		if (err == nil) != offered {
			t.Errorf("taskSupport %q: %v", support, err)
		}
	}
}

func TestToolsAreListedOnce(t *testing.T) {
	offers := []offer{{Name: "b", Description: "first"}, {Name: "a"}, {Name: "b", Description: "second"}, {Name: "no"}}
	list := tools(agent.Connection{Deny: []string{"no"}}, offers, func(string) runFunc { return nil })
	var got []string
	for _, tool := range list {
		got = append(got, tool.Name+" "+tool.Description)
	}
	if diff := cmp.Diff([]string{"b first", "a "}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestRedactor(t *testing.T) {
	r := newRedactor(agent.Connection{
		URL:     "https://me:password@x.test/mcp?key=in%20query",
		Headers: map[string]string{"Authorization": "Bearer abcdef"},
		Env:     map[string]string{"A": "abcdefghi", "B": "short"},
	})
	got := r.text("abcdefghi abcdef password short key=in%20query in query")
	if want := "… … … short … …"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
}

func FuzzBound(f *testing.F) {
	f.Add("äöü", 5)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < len(ellipsis) || n > 1<<20 || !utf8.ValidString(s) {
			return // bound is given limits of ours and texts that came as JSON
		}
		got := bound(s, n)
		if len(got) > n || !utf8.ValidString(got) || got != s && !strings.HasPrefix(s, strings.TrimSuffix(got, ellipsis)) {
			t.Fatalf("bound(%q, %d) = %q", s, n, got)
		}
	})
}

// Nothing that is listed as content is lost.
func FuzzReadResult(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"},{"type":7},{"type":"x"},null],"structuredContent":{"n":1.10}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var want struct {
			Content []json.RawMessage `json:"content"`
		}
		if json.Unmarshal([]byte(raw), &want) != nil {
			return // nothing that could be lost
		}
		res, err := readResult(json.RawMessage(raw))
		if err != nil {
			return // isError is no boolean: the call fails, and says so
		}
		if len(res.Content) != len(want.Content) {
			t.Fatalf("%d blocks of %d", len(res.Content), len(want.Content))
		}
		if res.Structured != nil && !json.Valid(res.Structured) {
			t.Fatalf("structured: %s", res.Structured)
		}
	})
}
