package view

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzParse compares the parser with the standard decoder: written out again,
// what it read says the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		` { "a" : [ 1 , -2.50e+3 , true , false , null ] , "" : { } , "b" : [ ] } `,
		`"\"\\\u00e9\ud83d\ude42\ud800"`, `[[],[[]],{"a":{"b":"c:,]}"}}]`, "42", "\"\xff\"", "[\"\\\\\"\n]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		v := parse(s)
		got, want := decode(t, []byte(v.compact())), decode(t, []byte(s))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("parse(%q) reads as %q", s, v.compact())
		}
		if !equal(v, v) {
			t.Errorf("parse(%q) is not equal to itself", s)
		}
	})
}

func decode(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	return v
}

func TestListsAreMadeForWhatTheyHold(t *testing.T) {
	for _, s := range []string{
		`[]`, `{}`, ` [ ] `, `[1]`, `[[],{},[[]]]`, `{"a,]}":"\",[{","b":[1,2,{"c":[]}],"\\":{}}`, `[",","\\\"]"]`, "[\n1 ,\t2\r]", `7`, `"["`,
	} {
		var check func(v value)
		check = func(v value) {
			if len(v.items) != cap(v.items) || len(v.keys) != cap(v.keys) {
				t.Errorf("%s: a list of %d has room for %d, its keys %d for %d", s, len(v.items), cap(v.items), len(v.keys), cap(v.keys))
			}
			for _, item := range v.items {
				check(item)
			}
		}
		check(parse(s))
	}
}
