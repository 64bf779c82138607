package mcpclient

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
)

func TestAdvertise(t *testing.T) {
	long := strings.Repeat("a", 65)
	for name, tt := range map[string]struct {
		conn     agent.Connection
		upstream []string
		want     map[string]string
	}{
		"kept":                       {agent.Connection{}, []string{"list_items"}, map[string]string{"list_items": "list_items"}},
		"other characters":           {agent.Connection{}, []string{"a.b/ü c"}, map[string]string{"a.b/ü c": "a_b___c"}},
		"no letter first":            {agent.Connection{}, []string{"7zip", "_x"}, map[string]string{"7zip": "t_7zip", "_x": "t__x"}},
		"renamed, then prefixed":     {agent.Connection{Prefix: "gh.", Rename: map[string]string{"a": "b"}}, []string{"a", "c"}, map[string]string{"a": "gh_b", "c": "gh_c"}},
		"the one that fits keeps it": {agent.Connection{}, []string{"a.b", "a_b", "a/b"}, map[string]string{"a_b": "a_b", "a.b": "a_b_2e7336dc", "a/b": "a_b_c14cddc0"}},
		"cut":                        {agent.Connection{}, []string{long}, map[string]string{long: long[:55] + "_635361c4"}},
	} {
		if diff := cmp.Diff(tt.want, advertise(tt.conn, tt.upstream)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzAdvertise(f *testing.F) {
	f.Add("a.b\na_b\na/b", "p-")
	f.Add("7\n_\n\n"+strings.Repeat("x", 70), "")
	f.Add("a.b\na/b\na_b_2e7336dc", "")
	ok := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	f.Fuzz(func(t *testing.T, list, prefix string) {
		c := agent.Connection{Prefix: prefix}
		upstream := strings.Split(list, "\n")
		slices.Sort(upstream)
		upstream = slices.Compact(upstream)
		names := advertise(c, upstream)
		seen := map[string]string{}
		for _, u := range upstream {
			n := names[u]
			if !ok.MatchString(n) {
				t.Fatalf("%q gets %q", u, n)
			}
			if other, twice := seen[n]; twice {
				t.Fatalf("%q and %q get %q", u, other, n)
			}
			seen[n] = u
		}
		slices.Reverse(upstream)
		if diff := cmp.Diff(names, advertise(c, upstream)); diff != "" {
			t.Fatalf("the order counts:\n%s", diff)
		}
	})
}

func TestSelection(t *testing.T) {
	c := agent.Connection{Allow: []string{"get_*", "list"}, Deny: []string{"*_secret"}, Approval: map[string]agent.ApprovalMode{
		"*": agent.Never, "get_*": agent.Once, "*_all": agent.Always,
	}}
	for name, want := range map[string]bool{"get_a": true, "list": true, "put": false, "get_secret": false} {
		if got := taken(c, name); got != want {
			t.Errorf("taken(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]agent.ApprovalMode{"list": "", "get_a": agent.Once, "get_all": agent.Always} {
		if got := approval(c, name); got != want {
			t.Errorf("approval(%q) = %q, want %q", name, got, want)
		}
	}
	broken := agent.Connection{Allow: []string{"["}, Approval: map[string]agent.ApprovalMode{"[": agent.Always}}
	if taken(broken, "[") || taken(agent.Connection{Deny: []string{"["}}, "a") || approval(broken, "a") != agent.Always {
		t.Error("a glob that is none does not fail closed")
	}
}
