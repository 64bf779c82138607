package repl

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// feedAll gives an input the bytes in pieces of n, all at one time, and then
// the time to give up waiting.
func feedAll(bytes string, n int) []token {
	var in input
	now := time.Unix(1000, 0)
	var out []token
	for len(bytes) > 0 {
		take := min(n, len(bytes))
		out = append(out, in.feed([]byte(bytes[:take]), now)...)
		bytes = bytes[take:]
	}
	return merged(append(out, settle(&in)...))
}

// settle lets the time pass until nothing is waited for.
func settle(in *input) (out []token) {
	for {
		at, ok := in.deadline()
		if !ok {
			return out
		}
		out = append(out, in.feed(nil, at)...)
	}
}

// merged joins neighbouring texts.
func merged(tokens []token) (out []token) {
	for _, t := range tokens {
		if n := len(out) - 1; t.kind == typed && n >= 0 && out[n].kind == typed {
			out[n].text += t.text
			continue
		}
		out = append(out, t)
	}
	return out
}

func actions(tokens []token) (out []key) {
	for _, t := range tokens {
		if k := decode(t); k.do != ignore {
			out = append(out, k)
		}
	}
	return out
}

func TestKeysAreReadHoweverTheyArrive(t *testing.T) {
	bytes := "é日" + "\x1b[A" + "\x1bOB" + "\x1b[1;5C" + "\x1bb" + "\x1b[99;9z" + "x\x7f" + "\x1b[200~a\r\nb\tc\x1b[201~" + "\x1b[13;2u\x1b\r\x1b[27;2;13~" +
		"\x1b[Z\x1b[97u" + "\x1b[60;1R" + "\x1b]11;rgb:1f1f/2121/3030\x07" + "\x1bP>|x\x1b\\" + "\x1b[?62;22c" + "\x1b[?1u" + "\x03\x04\n\r"
	want := []key{
		{insert, "é日"},
		{do: older},
		{do: newer},
		{do: wordRight},
		{do: wordLeft},
		{insert, "x"},
		{do: deleteLeft},
		{paste, "a\nb\tc"},
		{do: newline},
		{do: newline},
		{do: newline},
		{do: completeBack},
		{insert, "a"},
		{do: interrupt},
		{do: endOrDelete},
		{do: newline},
		{do: enter},
	}
	for n := 1; n <= len(bytes); n++ {
		got := actions(feedAll(bytes, n))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(key{})); diff != "" {
			t.Fatalf("in pieces of %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestCtrlCWorksInsideASequence(t *testing.T) {
	for _, begun := range []string{"\x1b", "\x1b[", "\x1b[1;", "\x1b]0;title", "\x1bP0", "\x1bO", "\xe6", "\x1b[200~pasted"} {
		got := actions(feedAll(begun+"\x03", 1))
		if len(got) == 0 || got[len(got)-1].do != interrupt {
			t.Errorf("after %q, Ctrl-C gives %v", begun, got)
		}
	}
}

func TestEscIsAKeyOnlyIfNothingFollows(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, tt := range map[string]struct {
		first, second string
		gap           time.Duration
		want          []key
	}{
		"alone":                   {esc, "x", escapeGap, []key{{do: escape}, {insert, "x"}}},
		"a late rest of a report": {esc, "[15;57R", escapeGap - time.Millisecond, nil},
		"a very late one":         {"\x1b[6", "0;1R", reportGap - time.Millisecond, nil},
		"of a colour":             {"\x1b]11;rgb:1f", "1f/2121/3030\x1b\\", reportGap - time.Millisecond, nil},
		"twice at once":           {"\x1b\x1b", "", 0, []key{{do: escape}, {do: escape}}},
		"with a letter":           {esc, "b", time.Millisecond, []key{{do: wordLeft}}},
		"a lost end":              {"\x1b[6", "ls", reportGap, []key{{insert, "ls"}}},
		"Alt and a bracket":       {"\x1b]", "x", time.Millisecond, []key{{insert, "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var in input
			got := in.feed([]byte(tt.first), now)
			got = append(got, in.feed([]byte(tt.second), now.Add(tt.gap))...)
			got = append(got, settle(&in)...)
			if diff := cmp.Diff(tt.want, actions(got), cmp.AllowUnexported(key{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestR66_ReportsNeverBecomeTextAndTextLikeThemStays(t *testing.T) {
	for _, text := range []string{"retry 5R3 times", "ranges 12;34R okay", "use r5.xlarge", "scale to 16RAM nodes", "[32;1R"} {
		for cut := range len(text) {
			for split := range len("\x1b[60;1R") {
				report := "\x1b[60;1R"
				var in input
				now := time.Unix(1000, 0)
				var got []token
				for _, piece := range []string{text[:cut], report[:split], report[split:], text[cut:]} {
					now = now.Add(90 * time.Millisecond)
					got = append(got, in.feed([]byte(piece), now)...)
				}
				got = append(got, settle(&in)...)
				if diff := cmp.Diff([]token{{typed, text}}, keysOnly(got), cmp.AllowUnexported(token{})); diff != "" {
					t.Fatalf("cut at %d and %d (-want +got):\n%s", cut, split, diff)
				}
			}
		}
	}
	if got := keysOnly(feedAll("\x9b32;1Rx", 1)); len(got) != 1 || got[0].text != "x" {
		t.Errorf("with an 8-bit introducer: %v", got)
	}
}

// keysOnly drops what is no key.
func keysOnly(tokens []token) (out []token) {
	for _, t := range tokens {
		if decode(t).do != ignore {
			out = append(out, t)
		}
	}
	return merged(out)
}

func TestPastes(t *testing.T) {
	now := time.Unix(1000, 0)
	type step struct {
		bytes string
		after time.Duration
	}
	for name, tt := range map[string]struct {
		steps []step
		want  []token
	}{
		"the end arrives in pieces":   {[]step{{"\x1b[200~a\x1b[2", 0}, {"01~b", time.Second}}, []token{{pasted, "a"}, {typed, "b"}}},
		"the start does":              {[]step{{"\x1b[20", 0}, {"0~a\x1b[201~", 400 * time.Millisecond}}, []token{{pasted, "a"}}},
		"the end is lost":             {[]step{{"\x1b[200~a\nb", 0}, {"c", pasteGap}}, []token{{pasted, "a\nb"}, {typed, "c"}}},
		"the end is cut off":          {[]step{{"\x1b[200~a\x1b[20", 0}, {"", pasteGap}}, []token{{pasted, "a"}}},
		"Ctrl-C ends it":              {[]step{{"\x1b[200~a\r", 0}, {"\x03", time.Second}, {"b", stopGap}}, []token{{sequence, "\x03"}, {typed, "b"}}},
		"a Ctrl-C inside is dropped":  {[]step{{"\x1b[200~a\x03rm\r\x1b[201~", 0}}, []token{{pasted, "arm\n"}}},
		"controls are dropped":        {[]step{{"\x1b[200~a\x1b[31mb\x00\u009bc\x1b]0;x\x07\x1b[201~", 0}}, []token{{pasted, "abc]0;x"}}},
		"an end without a start":      {[]step{{"a\x1b[201~b", 0}}, []token{{typed, "ab"}}},
		"lines at once":               {[]step{{"a\rb\r", 0}}, []token{{typed, "a\nb\n"}}},
		"lines in reads at once":      {[]step{{"a\r", 0}, {"b\r", burstGap - 1}, {"\r", burstGap}}, []token{{typed, "a\nb\n"}, {sequence, "\r"}}},
		"one line at once":            {[]step{{"ab\r", 0}}, []token{{typed, "ab"}, {sequence, "\r"}}},
		"Enter, then a key":           {[]step{{"a\r\x1b[A", 0}}, []token{{typed, "a"}, {sequence, "\r"}, {sequence, "\x1b[A"}}},
		"a line typed after the last": {[]step{{"a\r", 0}, {"b", burstGap}}, []token{{typed, "a"}, {sequence, "\r"}, {typed, "b"}}},
		"too much":                    {[]step{{"\x1b[200~" + strings.Repeat("x", maxPaste+10) + "\x1b[201~y", 0}}, []token{{overlong, ""}, {typed, "y"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var in input
			var got []token
			at := now
			for _, s := range tt.steps {
				at = at.Add(s.after)
				got = append(got, in.feed([]byte(s.bytes), at)...)
			}
			got = merged(append(got, settle(&in)...))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(token{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzInput(f *testing.F) {
	for _, s := range []string{"a\x1b[A\x03", "\x1b[200~x\x03\x1b[201~", "\xff\x80\xe6\x97", "\x1b]0;x\x1b\\\x1bP0\x07", "a\r\nb\r\r\t\x1b\r", "\x1b\xe6\x97\xa5", "\x9b1;1R", "\x1b\x1b[[A"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, bytes string, n int) {
		whole := feedAll(bytes, len(bytes)+1)
		if diff := cmp.Diff(whole, feedAll(bytes, 1+max(0, n)%8), cmp.AllowUnexported(token{})); diff != "" {
			t.Errorf("%q in pieces (-whole +pieces):\n%s", bytes, diff)
		}
		for _, tok := range whole {
			k := decode(tok)
			if (k.do == insert || k.do == paste) && strings.ContainsAny(k.text, "\x00\x03\x07\x1b\r\x7f") {
				t.Errorf("%q becomes text with controls: %q", bytes, k.text)
			}
			if tok.kind == pasted && !strings.Contains(bytes, pasteStart) {
				t.Errorf("%q becomes a paste", bytes)
			}
		}
	})
}
