package repl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decodeAll decodes input that arrives in pieces of n bytes.
func decodeAll(input string, n int) (keys []key, rest string) {
	var held []byte
	for input != "" {
		take := min(n, len(input))
		held = append(held, input[:take]...)
		input = input[take:]
		for {
			k, size := decodeKey(held)
			if size == 0 {
				break
			}
			held = held[size:]
			last := len(keys) - 1
			if k.do == insert && last >= 0 && keys[last].do == insert {
				keys[last].text += k.text
				continue
			}
			keys = append(keys, k)
		}
	}
	return keys, string(held)
}

func TestKeysAreReadHoweverTheyArrive(t *testing.T) {
	input := "é日" + "\x1b[A" + "\x1bOB" + "\x1b[1;5C" + "\x1bb" + "\x1b[99;9z" + "x\x7f" + "\x1b[200~a\r\nb\tc\x1b[201~" + "\x03\x04\n"
	want := []key{
		{insert, "é日"},
		{do: older},
		{do: newer},
		{do: wordRight},
		{do: wordLeft},
		{do: ignore},
		{insert, "x"},
		{do: deleteLeft},
		{paste, "a\nb\tc"},
		{do: interrupt},
		{do: endOrDelete},
		{do: enter},
	}
	for n := 1; n <= len(input); n++ {
		got, rest := decodeAll(input, n)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(key{})); diff != "" || rest != "" {
			t.Fatalf("in pieces of %d, with %q left (-want +got):\n%s", n, rest, diff)
		}
	}
}

func TestCtrlCWorksInsideASequence(t *testing.T) {
	for _, begun := range []string{"\x1b", "\x1b[", "\x1b[1;", "\x1b[200~pasted"} {
		got, _ := decodeAll(begun+"\x03", 1)
		if len(got) == 0 || got[len(got)-1].do != interrupt {
			t.Errorf("after %q, Ctrl-C gives %v", begun, got)
		}
	}
}

func FuzzDecodeKey(f *testing.F) {
	f.Add("a\x1b[A\x03")
	f.Add("\x1b[200~x")
	f.Add("\xff\x80")
	f.Fuzz(func(t *testing.T, input string) {
		all, rest := decodeAll(input, len(input)+1)
		for _, k := range all {
			if (k.do == insert || k.do == paste) != (k.text != "") && k.do != paste {
				t.Errorf("%q decodes to %v", input, k)
			}
			if k.do == insert && strings.ContainsAny(k.text, "\x03\x1b\n") {
				t.Errorf("%q decodes to text with controls: %q", input, k.text)
			}
		}
		if strings.Contains(rest, "\x03") {
			t.Errorf("%q leaves a Ctrl-C unread: %q", input, rest)
		}
	})
}
