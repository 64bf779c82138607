package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
)

// maxName is how long an advertised name may be.
const maxName = 64

// taken says whether the configuration lets the agent have a tool. A glob that
// is none fails closed: it allows nothing and denies everything.
func taken(c agent.Connection, upstream string) bool {
	for _, glob := range c.Deny {
		if ok, err := doublestar.Match(glob, upstream); ok || err != nil {
			return false
		}
	}
	return len(c.Allow) == 0 || slices.ContainsFunc(c.Allow, func(glob string) bool {
		ok, err := doublestar.Match(glob, upstream)
		return ok && err == nil
	})
}

// approval is the strictest mode of all globs that match, and a glob that is
// none matches everything.
func approval(c agent.Connection, upstream string) agent.ApprovalMode {
	strictness := map[agent.ApprovalMode]int{agent.Once: 1, agent.Always: 2}
	var mode agent.ApprovalMode
	for glob, m := range c.Approval {
		if ok, err := doublestar.Match(glob, upstream); (ok || err != nil) && strictness[m] > strictness[mode] {
			mode = m
		}
	}
	return mode
}

// advertise gives every upstream name the one the agent sees: ASCII letters,
// digits, _ and -, at most 64, a letter first. Distinct upstream names, as
// those given must be, get distinct names. Of several that would get the same
// one, that which needs no change keeps it and the others get the start of a
// hash of their upstream name; so names depend neither on the order of a
// server's list nor on the run.
func advertise(c agent.Connection, upstream []string) map[string]string {
	names := make(map[string]string, len(upstream))
	used := make(map[string]bool, len(upstream))
	wish := make(map[string]string, len(upstream))
	claims := make(map[string][]string, len(upstream)) // by name, those that fit unchanged
	rivals := make(map[string]int, len(upstream))
	for _, u := range upstream {
		whole := u
		if renamed, ok := c.Rename[u]; ok {
			whole = renamed
		}
		whole = c.Prefix + whole
		wish[u] = valid(whole)
		rivals[wish[u]]++
		if wish[u] == whole {
			claims[whole] = append(claims[whole], u)
		}
	}
	give := func(u, name string) { names[u], used[name] = name, true }
	var rest []string
	for _, u := range upstream {
		name := wish[u]
		first := len(claims[name]) == 1 && claims[name][0] == u
		if len(name) <= maxName && (first || rivals[name] == 1) {
			give(u, name)
		} else {
			rest = append(rest, u)
		}
	}
	slices.Sort(rest) // whoever comes first may take a name that another wants
	for _, u := range rest {
		sum := sha256.Sum256([]byte(u))
		digits := hex.EncodeToString(sum[:])
		for n := 8; ; n++ {
			head := wish[u]
			name := head[:min(len(head), maxName-1-n)] + "_" + digits[:n]
			if !used[name] {
				give(u, name)
				break
			}
		}
	}
	return names
}

// valid turns each character that no name may have into _ and puts t_ in front
// of what does not begin with a letter. The result may be too long.
func valid(s string) string {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	s = strings.Map(func(r rune) rune {
		if letter(r) || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
	if s == "" || !letter(rune(s[0])) {
		return "t_" + s
	}
	return s
}
