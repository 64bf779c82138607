package agentdir

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// syntax reports what the parser says of text, or, where that is known, what
// its author did. The parser's own words are about tokens.
func (d document) syntax(err error, text []byte) {
	at, message := d.unplaced(strings.TrimPrefix(err.Error(), "yaml: "), text)
	lines := strings.Split(string(text), "\n")
	for _, s := range slips {
		if !strings.Contains(message, s.says) {
			continue
		}
		for i := max(at.line-1, 0); i < min(at.line+s.reach, len(lines)); i++ {
			line := strings.TrimSuffix(lines[i], "\r")
			if offset, message, fix := s.find(line); message != "" {
				at = place{file: d.file, line: i + 1, col: 1 + utf8.RuneCountInString(line[:offset])}
				d.report(at, YAMLSyntax, fix, "this is not YAML: %s", message)
				return
			}
		}
	}
	d.report(at, YAMLSyntax, "", "this is not YAML: %s", message)
}

// A slip is something that authors do, by what the parser says of it. The
// parser names the line or one before it, and for a flow that does not end as
// it should, its beginning.
type slip struct {
	says  string // part of the message
	reach int    // how many lines after the named one are looked at
	// find returns where in a line the slip is, in bytes, and what to say of
	// it; no message if it is not there.
	find func(line string) (offset int, message, fix string)
}

// slips are tried in this order.
var slips = []slip{
	{"", 1, tabSlip},
	{"mapping values are not allowed", 1, colonSlip},
	{"did not find expected ',' or", 20, colonSlip},
	{"cannot start any token", 1, markSlip},
	{"could not find expected ':'", 1, spaceSlip},
}

func tabSlip(line string) (offset int, message, fix string) {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if i := strings.IndexByte(indent, '\t'); i >= 0 && len(indent) < len(line) {
		return i, "the line is indented with a tab", "indent with spaces"
	}
	return 0, "", ""
}

// colonSlip finds text that holds a colon and a space, which begin the value
// of a key.
func colonSlip(line string) (offset int, message, fix string) {
	flow, value := 0, false // value: the entry's key was read
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '-' && strings.HasPrefix(line[i:], "- "):
			i++
		case c == '{' || c == '[':
			flow, value = flow+1, false
			i++
		case flow > 0 && (c == ',' || c == '}' || c == ']'):
			if value = false; c != ',' {
				flow--
			}
			i++
		case c == '"' || c == '\'':
			i += quoted(line[i:])
		case c == ':':
			value = true
			i++
		case c == '#':
			return 0, "", ""
		default:
			end, colon := plain(line[i:], flow > 0)
			switch {
			case colon < 0:
				i += end
			case value:
				return i + colon, `": " within text begins the value of a key`, "put the text in quotes: " + quote(line[i:i+end])
			default:
				i += colon + 1
				value = true
			}
		}
	}
	return 0, "", ""
}

// quoted is the length of the quoted text that s begins with.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}

// plain returns the length of the text without quotes that s begins with, and
// where in it the first colon is that ends a key; -1 without one.
func plain(s string, flow bool) (end, colon int) {
	colon = -1
	for i := range len(s) {
		switch {
		case flow && strings.IndexByte(",]}", s[i]) >= 0, s[i] == '#' && i > 0 && s[i-1] == ' ':
			return len(strings.TrimRight(s[:i], " ")), colon
		case s[i] == ':' && colon < 0 && (i+1 == len(s) || s[i+1] == ' '):
			colon = i
		}
	}
	return len(strings.TrimRight(s, " ")), colon
}

var markPattern = regexp.MustCompile("(?:^|[:,{\\[-] |[{\\[])\\s*([@%`])")

// markSlip finds a value that begins with a character that YAML keeps for
// itself.
func markSlip(line string) (offset int, message, fix string) {
	m := markPattern.FindStringSubmatchIndex(line)
	if m == nil {
		return 0, "", ""
	}
	return m[2], "text cannot begin with " + line[m[2]:m[3]], "put the text in quotes"
}

var spacePattern = regexp.MustCompile(`^\s*(?:- )?[A-Za-z_][\w-]*(:)[^\s:/]`)

// spaceSlip finds a key and its value with no space between them.
func spaceSlip(line string) (offset int, message, fix string) {
	m := spacePattern.FindStringSubmatchIndex(line)
	if m == nil {
		return 0, "", ""
	}
	return m[2], "a key ends with a colon and a space", "write a space after the colon"
}

// unplaced splits the parser's message into its place and what it says. The
// parser tells no line when it is the first, and none for some faults.
func (d document) unplaced(message string, text []byte) (place, string) {
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, said, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				return place{file: d.file, line: n, col: 1}, said
			}
		}
	}
	offset := 0
	if rest, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		offset = bytes.Index(text, []byte("*"+name))
	} else if strings.HasPrefix(message, "control characters") {
		offset = bytes.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r) })
	}
	before := text[:max(offset, 0)]
	line := 1 + bytes.Count(before, []byte("\n"))
	return place{file: d.file, line: line, col: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])}, message
}
