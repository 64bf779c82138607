package argv

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A form is how the words of a field are read.
type form uint8

const (
	formJSON   form = iota // JSON of the field's kinds, or else a string if that is one
	formString             // as it stands
	formNumber
	formInteger
	formBool
	formChoice // one of an enum
	formObject // no words: its children have flags
)

// A field is a property: a leaf with a flag or an operand, or an object whose
// children are fields.
type field struct {
	name     string
	path     []string
	parent   *field
	children []*field // in schema order
	byName   map[string]*field
	required bool // in its parent

	form   form
	list   bool  // one word per element
	kinds  kinds // for formJSON
	enum   []json.RawMessage
	about  string
	preset json.RawMessage
	limits limits
	// value is the schema of a value, of an element if it is a list.
	value   property
	flag    string
	renamed bool
	operand string // as shown, if it is one
	// fallback is the operand's word when it is left out and required.
	fallback string
}

// accept settles how a leaf reads its words.
func (f *field) accept(b *builder, p property, s shape) {
	f.limits, f.value = s.limits, p
	if s.kinds == kindArray && s.enum == nil && !s.tuple && !s.loop {
		element := shape{}
		if s.items != nil {
			element = b.reader.shape(*s.items)
			f.value = *s.items
		}
		if element.kinds&kindArray == 0 {
			f.list = true
			f.limits.value = element.limits.value
			f.scalar(element)
			return
		}
	}
	f.scalar(s)
}

func (f *field) scalar(s shape) {
	f.kinds = s.kinds
	switch {
	case s.loop:
	case s.enum != nil && s.kinds != kindBool && allScalar(s.enum):
		f.form, f.enum = formChoice, s.enum
	case s.kinds == kindString:
		f.form = formString
	case s.kinds == kindInteger:
		f.form = formInteger
	case s.kinds != 0 && s.kinds&^(kindInteger|kindNumber) == 0:
		f.form = formNumber
	case s.kinds == kindBool:
		f.form = formBool
		if f.list {
			f.form = formJSON // an element needs a word
		}
	}
}

func allScalar(values []json.RawMessage) bool {
	return !slices.ContainsFunc(values, func(v json.RawMessage) bool { return kindOf(v)&(kindObject|kindArray) != 0 })
}

// needed reports whether the command cannot run without the field: it and all
// objects around it are required.
func (f *field) needed() bool {
	for ; f.parent != nil; f = f.parent {
		if !f.required {
			return false
		}
	}
	return true
}

// shown is the field's name in messages.
func (f *field) shown() string {
	switch {
	case f.operand != "":
		return f.operand
	case f.flag != "":
		return f.flag
	}
	return f.property()
}

// leaves are the fields with words in and under f.
func (f *field) leaves() []*field {
	if f.form != formObject {
		return []*field{f}
	}
	var all []*field
	for _, child := range f.children {
		all = append(all, child.leaves()...)
	}
	return all
}

// object finds the object within f that would have the flag name if it were
// one value.
func (f *field) object(name string) *field {
	for _, child := range f.children {
		if child.form != formObject {
			continue
		}
		if flagName(child.path) == name {
			return child
		}
		if found := child.object(name); found != nil {
			return found
		}
	}
	return nil
}

// isNumber reports whether a word is a JSON number and nothing else.
func isNumber(s string) bool {
	if s == "" {
		return false
	}
	first, last := s[0], s[len(s)-1] // no space, which JSON would take
	return (first == '-' || isDigit(first)) && isDigit(last) && json.Valid([]byte(s))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWhole reports whether a JSON number is written without fraction or
// exponent, or has a fraction of zeros.
func isWhole(s string) bool {
	if whole, frac, ok := strings.Cut(s, "."); ok && strings.Trim(frac, "0") == "" && frac != "" {
		s = whole
	}
	return isNumber(s) && !strings.ContainsAny(s, ".eE")
}

// read turns one word into JSON, ok if it is what the field wants.
func (f *field) read(word string) (v json.RawMessage, ok bool) {
	switch f.form {
	case formString:
		return quote(word), true
	case formInteger:
		return json.RawMessage(word), isWhole(word) || hasWholeExponent(word)
	case formNumber:
		return json.RawMessage(word), isNumber(word)
	case formBool:
		_, ok := truth(word)
		return json.RawMessage(word), ok
	case formChoice:
		return f.choose(word)
	case formJSON:
		return f.json(word)
	default: // formObject has no words
		return nil, false
	}
}

// hasWholeExponent reports whether a word is an integer like 1e3.
func hasWholeExponent(s string) bool {
	digits, exponent, ok := strings.Cut(strings.ToLower(s), "e")
	return ok && isNumber(s) && !strings.Contains(digits, ".") && strings.TrimPrefix(digits, "-") != "0" &&
		!strings.HasPrefix(exponent, "-") && len(strings.TrimPrefix(exponent, "+")) <= 3
}

func truth(word string) (on, ok bool) { return word == "true", word == "true" || word == "false" }

// choose finds the word among the values of the enum: as the JSON of any
// value, or else as the text of a string. So every value can be said, also
// where a string reads like another one.
func (f *field) choose(word string) (json.RawMessage, bool) {
	for _, say := range []func(json.RawMessage) string{func(v json.RawMessage) string { return string(compact(v)) }, display} {
		for _, v := range f.enum {
			if say(v) == word {
				return compact(v), true
			}
		}
	}
	return nil, false
}

func (f *field) json(word string) (json.RawMessage, bool) {
	if json.Valid([]byte(word)) {
		v := compact(json.RawMessage(word))
		k := kindOf(v)
		if f.kinds == 0 || f.kinds&k != 0 || k == kindInteger && f.kinds&kindNumber != 0 {
			return v, true
		}
	}
	if f.kinds == 0 || f.kinds&kindString != 0 {
		return quote(word), true
	}
	return nil, false
}

// want says what a word must be.
func (f *field) want() string {
	switch f.form {
	case formInteger:
		return "an integer"
	case formNumber:
		return "a number"
	case formChoice:
		if list := f.choices(); len(list) > 1 {
			return "one of: " + strings.Join(cutList(list), ", ")
		}
		return f.choices()[0]
	case formString:
		return "a string"
	case formBool:
		return "true or false"
	default:
	}
	var nouns []string
	for _, k := range kindTable {
		if f.kinds&k.kind != 0 {
			nouns = append(nouns, k.noun)
		}
	}
	if nouns == nil {
		return "a value"
	}
	return strings.Join(nouns, " or ")
}

func (f *field) typeName() string {
	ks := f.kinds
	if f.form == formChoice && ks == 0 {
		for _, v := range f.enum {
			ks |= kindOf(v)
		}
	}
	var names []string
	for _, k := range kindTable {
		if ks&k.kind != 0 {
			names = append(names, k.name)
		}
	}
	if names == nil {
		return "any"
	}
	return strings.Join(names, " or ")
}

const maxPlaceholder = 40

func (f *field) placeholder() string {
	switch f.form {
	case formBool:
		return ""
	case formString, formInteger, formNumber:
		return "<" + f.typeName() + ">"
	case formChoice:
		list := f.choices()
		plain := !slices.ContainsFunc(list, func(s string) bool { return strings.ContainsAny(s, " \t\n\"|<>") || s[0] == '-' })
		if s := "<" + strings.Join(list, "|") + ">"; plain && utf8.RuneCountInString(s) <= maxPlaceholder {
			return s
		}
		return "<" + strings.ReplaceAll(f.typeName(), " or ", "|") + ">"
	default:
	}
	if f.kinds == 0 || f.kinds&kindString != 0 {
		return "<value>"
	}
	if f.kinds == kindBool {
		return "<true|false>"
	}
	return "<json>"
}

// choices are the values of the enum as they are typed: a string by its text,
// unless that is empty or reads like another value.
func (f *field) choices() []string {
	said := map[string]int{}
	for _, v := range f.enum {
		said[display(v)]++
		if kindOf(v) == kindString {
			said[string(compact(v))]++
		}
	}
	var list []string
	for _, v := range f.enum {
		s := display(v)
		if s == "" || kindOf(v) == kindString && said[s] > 1 {
			s = string(compact(v))
		}
		list = append(list, s)
	}
	return list
}

const maxChoices = 30

func cutList(list []string) []string {
	if len(list) > maxChoices {
		return append(list[:maxChoices:maxChoices], "…")
	}
	return list
}

// property is the name of the field in the arguments, with dots between
// names; one that would be misread is quoted.
func (f *field) property() string {
	parts := make([]string, len(f.path))
	for i, name := range f.path {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == '.' || r == '"' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
			name = string(quote(name))
		}
		parts[i] = name
	}
	return strings.Join(parts, ".")
}

// defaultText is what help says of the default. Null is what leaving the flag
// out means anyway.
func (f *field) defaultText() string {
	if kindOf(f.preset) == kindNull {
		return ""
	}
	if s := display(f.preset); s != "" || f.preset == nil {
		return s
	}
	return `""`
}

// display is the text of a string and the JSON of anything else.
func display(v json.RawMessage) string {
	var s string
	if kindOf(v) == kindString && json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(compact(v))
}

func compact(v json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// quote is the JSON of a string. Bytes that are not UTF-8 become U+FFFD, as
// JSON has no way to carry them.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // cannot be: a string always encodes
		return json.RawMessage(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
