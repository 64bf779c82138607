package toolset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
)

// checkApproval refuses an approval that says two things, or nothing that can
// be understood: one that is never asked for would go unnoticed.
func checkApproval(a agent.Approval) error {
	switch a.Mode {
	case "", agent.Never, agent.Once, agent.Always:
	default:
		return fmt.Errorf("approval mode %q: want %s, %s or %s", a.Mode, agent.Never, agent.Once, agent.Always)
	}
	if a.Mode != "" && len(a.When) > 0 {
		return fmt.Errorf("approval has both a mode, %s, and globs: give one of them", a.Mode)
	}
	for field, glob := range a.When {
		if !doublestar.ValidatePattern(glob) {
			return fmt.Errorf("approval for %s: %q is not a glob", field, glob)
		}
	}
	return nil
}

// asks says whether the call must be approved and is not.
func asks(a agent.Approval, call Call) bool {
	if call.Approved {
		return false
	}
	if len(a.When) > 0 {
		return matches(a.When, call.Args)
	}
	switch a.Mode {
	case agent.Always:
		return true
	case agent.Once:
		return !call.ApprovedBefore
	case agent.Never:
	}
	return false
}

// matches reports whether every field named by a glob is there and matches.
// A field is a property, or a path of properties joined by dots; a value that
// is not a string is matched as its JSON. Programs differ in which of two
// properties of one name they take, so it is enough that one matches.
func matches(when map[string]string, args json.RawMessage) bool {
	for field, glob := range when {
		hit := func(value string) bool { return globMatches(glob, value) }
		if !slices.ContainsFunc(lookup(args, field), hit) {
			return false
		}
	}
	return true
}

// globMatches reports whether glob matches all of value. Values are texts and
// not paths: * is any text and ? any character, so the slash, at which both
// would stop, is replaced by what no argument needs. A glob that cannot be
// read matches: asking once too often is the safe side.
func globMatches(glob, value string) bool {
	const slash = "\x00"
	ok, err := doublestar.Match(strings.ReplaceAll(glob, "/", slash), strings.ReplaceAll(value, "/", slash))
	return ok || err != nil
}

// lookup returns the values of a field, more than one if it is given twice.
func lookup(args json.RawMessage, field string) []string {
	var found []string
	dec := json.NewDecoder(bytes.NewReader(args))
	if brace, err := dec.Token(); err != nil || brace != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return found
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return found
		}
		if name == field {
			found = append(found, plain(raw))
		} else if rest, below := strings.CutPrefix(field, name.(string)+"."); below {
			found = append(found, lookup(raw, rest)...)
		}
	}
	return found
}

// plain is a string as it is, and any other value as JSON.
func plain(raw json.RawMessage) string {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
