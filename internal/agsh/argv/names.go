package argv

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

const maxName = 100

// flagName is the flag that a property path has for its own, before
// collisions: "telemetry", "userID" is --telemetry-user-id.
func flagName(path []string) string {
	if len(path) == 1 && len(path[0]) <= maxName && isFlagShaped(path[0]) {
		return path[0]
	}
	var parts []string
	for _, name := range path {
		if k := kebab(name); k != "" {
			parts = append(parts, k)
		}
	}
	if parts == nil {
		parts = []string{"arg"}
	}
	return "--" + strings.Join(parts, "-")
}

// isFlagShaped reports whether a property name is a flag as it stands, like
// grep's -A.
func isFlagShaped(name string) bool {
	bare, ok := strings.CutPrefix(name, "-")
	bare = strings.TrimPrefix(bare, "-")
	return ok && bare != "" && bare[0] != '-' && !strings.ContainsFunc(bare, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// kebab spells a name in lower case with dashes between words. An acronym is
// one word, with the digits or plural s behind it: userIDs is user-ids. What
// is no letter or digit only separates.
func kebab(name string) string {
	runes := []rune(name)
	if len(runes) > maxName {
		runes = runes[:maxName]
	}
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	var b strings.Builder
	gap := false
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if unicode.IsUpper(r) {
			prev, next := at(i-1), at(i+1)
			plural := next == 's' && !unicode.IsLower(at(i+2))
			gap = gap || unicode.IsLower(prev) || unicode.IsDigit(prev) ||
				unicode.IsUpper(prev) && unicode.IsLower(next) && !plural
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// assign gives every field a flag of its own. A field whose natural name is
// reserved, or taken by one before it, gets -2, -3 and so on; a natural name
// is never given away to make such a suffix.
func (c *Command) assign() {
	taken := map[string]bool{}
	for _, g := range reserved {
		for _, name := range g.names {
			taken[name] = true
		}
	}
	natural := make([]string, len(c.flags))
	for i, f := range c.flags {
		natural[i] = flagName(f.path)
		if !taken[natural[i]] {
			taken[natural[i]] = true
			f.flag = natural[i]
		}
	}
	for _, f := range c.flags {
		f.renamed = f.flag != f.path[0] && slices.ContainsFunc(f.path, func(name string) bool {
			return kebab(name) == "" || utf8.RuneCountInString(name) > maxName
		})
	}
	next := map[string]int{}
	for i, f := range c.flags {
		if f.flag != "" {
			continue
		}
		n := max(next[natural[i]], 2)
		for taken[natural[i]+"-"+strconv.Itoa(n)] {
			n++
		}
		f.flag = natural[i] + "-" + strconv.Itoa(n)
		f.renamed = true
		taken[f.flag] = true
		next[natural[i]] = n + 1
	}
	for _, f := range c.flags {
		c.byFlag[f.flag] = f
	}
	for _, f := range c.flags {
		if f.form != formBool || !strings.HasPrefix(f.flag, "--") {
			continue
		}
		if no := "--no-" + f.flag[2:]; !taken[no] {
			taken[no] = true
			c.negated[no] = f
		}
	}
}

// suggest returns the name nearest to what was typed, "" if none is near.
func suggest(typed string, names []string) string {
	bare := func(s string) string { return strings.TrimLeft(s, "-") }
	want := kebab(bare(typed))
	best, bestScore := "", 1<<30
	for _, name := range names {
		have := bare(name)
		score := text.Distance(want, have)
		if strings.HasSuffix(want, "-"+have) || strings.HasSuffix(have, "-"+want) ||
			strings.HasPrefix(want, have+"-") || strings.HasPrefix(have, want+"-") {
			score = min(score, 1)
		}
		if score <= max(1, len(want)/3) && score < len(want) && score < bestScore {
			best, bestScore = name, score
		}
	}
	return best
}
