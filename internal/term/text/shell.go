package text

import "strings"

// ShellWord returns s as one word for a shell, quoted when it needs that. It
// holds no control characters, so that it can be shown and pasted.
func ShellWord(s string) string {
	if s != "" && s[0] != '-' && s[0] != '~' && !strings.ContainsFunc(s, needsQuotes) {
		return s
	}
	if strings.ContainsFunc(s, IsControl) {
		return "$'" + EscapeLine(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// needsQuotes reports whether a shell may take r for something else than part
// of a word.
func needsQuotes(r rune) bool {
	letter, digit := r|0x20 >= 'a' && r|0x20 <= 'z', r >= '0' && r <= '9'
	return !letter && !digit && !strings.ContainsRune("_./:@%+=,~-", r)
}
