package agentdir

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// substitute replaces ${NAME} and ${NAME:-default} in s; nothing else is
// special. A variable that is empty counts as unset. It returns the names of
// those that are unset and have no default, and what is wrong with a ${ that
// begins neither form, or "". Nil getenv leaves s as it is.
func substitute(s string, getenv func(string) string) (out string, unset []string, malformed string) {
	var b strings.Builder
	for rest := s; ; {
		before, after, found := strings.Cut(rest, "${")
		b.WriteString(before)
		if !found {
			break
		}
		inner, tail, closed := strings.Cut(after, "}")
		if !closed {
			return s, nil, "${ has no closing brace"
		}
		name, preset, hasPreset := strings.Cut(inner, ":-")
		if !variablePattern.MatchString(name) {
			return s, nil, "want ${NAME} or ${NAME:-default}"
		}
		rest = tail
		if getenv == nil {
			continue
		}
		switch value := getenv(name); {
		case value != "":
			b.WriteString(value)
		case hasPreset:
			b.WriteString(preset)
		case !slices.Contains(unset, name):
			unset = append(unset, name)
		}
	}
	if getenv == nil {
		return s, nil, ""
	}
	return b.String(), unset, ""
}

// resolve reads a string with variables. What they stand for is never part of
// a problem: it may be secret.
func (d document) resolve(v *yaml.Node, what string, into *string) bool {
	var s string
	return d.str(v, what, &s) && d.substituted(v, what, s, into)
}

// substituted is [document.resolve] for a part of a string.
func (d document) substituted(v *yaml.Node, what, s string, into *string) bool {
	out, unset, malformed := substitute(s, d.cfg.Getenv)
	if malformed != "" {
		d.invalid(v, "", "%s: %s", what, malformed)
		return false
	}
	for _, name := range unset {
		d.report(d.at(v), VariableUnset, "set it where agent-sdk is started, or write a default: ${"+name+":-default}",
			"%s: the variable %s is not set", what, name)
	}
	if len(unset) > 0 {
		return false
	}
	*into = out
	return true
}

// open reports whether s still has variables, as it does without an
// environment.
func (d document) open(s string) bool { return d.cfg.Getenv == nil && strings.Contains(s, "${") }
