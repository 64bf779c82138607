package agentdir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"go.yaml.in/yaml/v3"
)

// toJSON writes an expanded node as JSON. The order of keys is kept, and a
// number that JSON can write stays as it is written.
func toJSON(n *yaml.Node) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// A nodeError is a value that JSON does not have.
type nodeError struct {
	node    *yaml.Node
	message string
}

func (e *nodeError) Error() string { return fmt.Sprintf("line %d: %s", e.node.Line, e.message) }

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for k, v := range pairs(n) {
			if b.Bytes()[b.Len()-1] != '{' {
				b.WriteByte(',')
			}
			writeString(b, k.Value)
			b.WriteByte(':')
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, v := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return writeScalar(b, n)
	}
	return nil
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		b.WriteString(strings.ToLower(n.Value))
	case "!!int", "!!float":
		number, ok := jsonNumber(n.Value)
		if !ok {
			return &nodeError{n, fmt.Sprintf("%s cannot be written in JSON", n.Value)}
		}
		b.WriteString(number)
	default:
		writeString(b, n.Value)
	}
	return nil
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string into a buffer
	b.Truncate(b.Len() - 1)
}

// jsonNumber spells a YAML number as JSON does.
func jsonNumber(s string) (string, bool) {
	if json.Valid([]byte(s)) {
		return s, true
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", "")
	if i, ok := new(big.Int).SetString(plain, 0); ok {
		return i.String(), true
	}
	// What is left has a point without a digit on one side: .5 or 1.
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(plain), "e")
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	out := sign + whole
	if hasPoint && fraction != "" {
		out += "." + fraction
	}
	if hasExponent {
		out += "e" + exponent
	}
	return out, json.Valid([]byte(out))
}
