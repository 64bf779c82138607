package toolset

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agsh.dev/agent"
)

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
// properties of one name they take, so it is enough that one matches. A glob
// that cannot be read matches: asking once too often is the safe side.
func matches(when map[string]string, args json.RawMessage) bool {
	for field, glob := range when {
		hit := func(value string) bool {
			ok, err := doublestar.Match(glob, value)
			return ok || err != nil
		}
		if !slices.ContainsFunc(lookup(args, field), hit) {
			return false
		}
	}
	return true
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
