package text

import (
	"regexp"
	"strings"
)

// plainWord is what a shell takes for one word as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,~-]+$`)

// ShellWord returns s as one word for a shell, quoted when it needs that. It
// holds no control characters, so that it can be shown and pasted.
func ShellWord(s string) string {
	if plainWord.MatchString(s) && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "~") {
		return s
	}
	if strings.ContainsFunc(s, IsControl) {
		return "$'" + EscapeLine(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
