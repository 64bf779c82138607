package placeholder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Arguments are what a call sent: the members of one JSON object, in order,
// with their values as they came. They are never changed.
type Arguments struct{ members []Member }

// A Member is one argument with its JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// An AbsentError says that a call lacks an argument. One that is null counts
// as absent.
type AbsentError struct{ Name string }

func (e *AbsentError) Error() string { return fmt.Sprintf("argument %s is missing", e.Name) }

// ReadArguments reads one JSON object; nothing counts as an empty one. A name
// that comes twice is an error: another reader may take the other value.
func ReadArguments(raw json.RawMessage) (Arguments, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return Arguments{}, nil
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return Arguments{}, fmt.Errorf("read arguments: not one JSON object: %.40q", raw)
	}
	var args Arguments
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil { // the opening brace
		return Arguments{}, fmt.Errorf("read arguments: %w", err)
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return Arguments{}, fmt.Errorf("read arguments: %w", err)
		}
		name, _ := token.(string) // a key is one
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Arguments{}, fmt.Errorf("read argument %s: %w", name, err)
		}
		if seen[name] {
			return Arguments{}, fmt.Errorf("read arguments: %s is given more than once", name)
		}
		seen[name] = true
		args.members = append(args.members, Member{name, value})
	}
	return args, nil
}

// Without returns the members that are not among names.
func (a Arguments) Without(names []string) []Member {
	return slices.DeleteFunc(slices.Clone(a.members), func(m Member) bool { return slices.Contains(names, m.Name) })
}

// Get returns the JSON of an argument, or an [*AbsentError].
func (a Arguments) Get(name string) (json.RawMessage, error) {
	for _, m := range a.members {
		if m.Name == name && string(m.Value) != "null" {
			return m.Value, nil
		}
	}
	return nil, &AbsentError{name}
}

// Text returns an argument as [Text] does, or an [*AbsentError].
func (a Arguments) Text(name string) (string, error) {
	v, err := a.Get(name)
	if err != nil {
		return "", err
	}
	return Text(v), nil
}

// Text is the text of a JSON value: a string's own, and of anything else its
// JSON without spaces, in which numbers keep their digits.
func Text(value json.RawMessage) string {
	if len(value) > 0 && value[0] == '"' {
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// Elements are the values of an array in order, or value itself if it is
// none. A null stands for nothing.
func Elements(value json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	switch {
	case string(value) == "null":
		return nil
	case len(value) > 0 && value[0] == '[' && json.Unmarshal(value, &list) == nil:
		return list
	}
	return []json.RawMessage{value}
}
