package toolset

import (
	"encoding/json"
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
// is not a string is matched as its JSON. A glob that cannot be read matches:
// asking once too often is the safe side.
func matches(when map[string]string, args json.RawMessage) bool {
	for field, glob := range when {
		value, ok := lookup(args, field)
		if !ok {
			return false
		}
		if hit, err := doublestar.Match(glob, value); err == nil && !hit {
			return false
		}
	}
	return true
}

func lookup(args json.RawMessage, field string) (string, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil {
		return "", false
	}
	raw, ok := object[field]
	if !ok {
		name, rest, nested := strings.Cut(field, ".")
		if raw, ok = object[name]; !ok || !nested {
			return "", false
		}
		return lookup(raw, rest)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	return string(raw), true
}
