package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Redact returns line, an event as this package encodes it, without the
// fields that are stored and never served: token hashes, idempotency keys and
// hashes of bodies. Everything else stays byte for byte, fields that this
// version does not know included. A line that has nothing to hide, as nearly
// every one, is returned as it is and not decoded; line is never changed. An
// event whose data is in a blob has to be made whole first.
func Redact(line []byte) ([]byte, error) {
	// No string before the two fields can hold these bytes unescaped.
	_, rest, ok := bytes.Cut(line, []byte(`,"type":"`))
	kind, _, closed := bytes.Cut(rest, []byte{'"'})
	if !ok || !closed {
		return nil, errors.New("redact event: it does not begin as one")
	}
	hidden := kinds[string(kind)].hidden
	head, data, ok := bytes.Cut(line, []byte(`,"data":`))
	if len(hidden) == 0 || !ok {
		return line, nil
	}
	b := append(make([]byte, 0, len(line)), head...)
	b, err := appendWithout(append(b, `,"data":`...), data, hidden)
	if err != nil {
		return nil, fmt.Errorf("redact event %d (%s): %w", SeqOf(line), kind, err)
	}
	return append(b, '}'), nil
}

// appendWithout appends the object that data begins with, but not its members
// with these names.
func appendWithout(b, data []byte, names []string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("its data is no object")
	}
	b = append(b, '{')
	empty := true
	for dec.More() {
		start := dec.InputOffset()
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		// The decoder of the struct takes a name in any case.
		same := func(hidden string) bool { s, _ := name.(string); return strings.EqualFold(s, hidden) }
		if slices.ContainsFunc(names, same) {
			continue
		}
		if !empty {
			b = append(b, ',')
		}
		empty = false
		b = append(b, bytes.TrimLeft(data[start:dec.InputOffset()], ",")...)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}
