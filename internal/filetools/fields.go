package filetools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A field is one argument of a tool.
type field struct {
	name     string
	aliases  []string // accepted, not advertised
	required bool
	kind     kind
	enum     []string // of a string
	natural  bool     // an integer that is not negative
	doc      string
}

// fields are the arguments of a tool, in the order they are advertised.
type fields []field

// arguments are given values by field name.
type arguments map[string]json.RawMessage

// kind is the JSON Schema type of a field. An array holds strings.
type kind string

const (
	str  kind = "string"
	num  kind = "integer"
	flag kind = "boolean"
	list kind = "array"
)

// property is a field as JSON Schema has it.
type property struct {
	Type        string    `json:"type"`
	Items       *property `json:"items,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Minimum     *int      `json:"minimum,omitempty"`
	Description string    `json:"description,omitempty"`
}

// schema is the JSON Schema of the fields, properties in order. It allows
// further properties, since aliases are among them: decode knows which.
func (fs fields) schema() json.RawMessage {
	var props bytes.Buffer
	required := []string{}
	for i, f := range fs {
		p := property{Type: string(f.kind), Enum: f.enum, Description: f.doc}
		if f.natural {
			p.Minimum = new(int)
		}
		if f.kind == list {
			p.Items = &property{Type: "string"}
		}
		if i > 0 {
			props.WriteByte(',')
		}
		fmt.Fprintf(&props, "%s:%s", encode(f.name), encode(p))
		if f.required {
			required = append(required, f.name)
		}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s}`, &props, encode(required))
}

// encode is the JSON of a value that always has one.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// rename reads one JSON object and puts aliases under the names of their
// fields. A null is left out.
func (fs fields) rename(raw json.RawMessage) (arguments, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, fmt.Errorf("arguments are not a JSON object: %w", err)
		}
	}
	out, from := arguments{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		f := fs.find(name)
		if f == nil {
			return nil, fmt.Errorf("unknown field %q; its fields are %s", name, fs.names())
		}
		if string(given[name]) == "null" {
			continue
		}
		if other, twice := from[f.name]; twice {
			return nil, fmt.Errorf("fields %q and %q are the same; give one", other, name)
		}
		from[f.name], out[f.name] = name, given[name]
	}
	return out, nil
}

// decode is rename of values that are checked, and in the form their kinds
// decode from.
func (fs fields) decode(raw json.RawMessage) (arguments, error) {
	args, err := fs.rename(raw)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if args[name], err = fs.find(name).value(args[name]); err != nil {
			return nil, fmt.Errorf("field %q %w", name, err)
		}
	}
	return args, nil
}

// value checks one given value and returns it in the form its kind decodes
// from.
func (f *field) value(raw json.RawMessage) (json.RawMessage, error) {
	var v any
	// A number too big for its Go type decodes to none, which no kind wants.
	_ = json.Unmarshal(raw, &v)
	ok := false
	switch f.kind {
	case str:
		var s string
		s, ok = v.(string)
		if ok && len(f.enum) > 0 && !slices.Contains(f.enum, s) {
			return nil, fmt.Errorf("is %q; it must be one of %s", s, strings.Join(f.enum, ", "))
		}
	case flag:
		_, ok = v.(bool)
	case list:
		ok = json.Unmarshal(raw, new([]string)) == nil
	case num:
		// 3.0 is an integer too.
		n, isNum := v.(float64)
		if ok = isNum && n == math.Trunc(n) && math.Abs(n) < 1<<53; ok {
			if raw = strconv.AppendInt(nil, int64(n), 10); f.natural && n < 0 {
				return nil, fmt.Errorf("is %s; it must not be negative", raw)
			}
		}
	}
	if !ok {
		return nil, fmt.Errorf("is %s; it must be of type %s", raw, f.kind)
	}
	return raw, nil
}

// complete checks that every required field is given.
func (fs fields) complete(args arguments) error {
	for _, f := range fs {
		if _, ok := args[f.name]; f.required && !ok {
			return fmt.Errorf("field %q is required", f.name)
		}
	}
	return nil
}

func (fs fields) find(name string) *field {
	for i := range fs {
		if fs[i].name == name || slices.Contains(fs[i].aliases, name) {
			return &fs[i]
		}
	}
	return nil
}

func (fs fields) names() string {
	var names []string
	for _, f := range fs {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}
