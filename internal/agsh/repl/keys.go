package repl

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// An action is what a key asks for.
type action int

const (
	ignore action = iota
	insert        // text, typed
	paste         // text, pasted: newlines do not end the entry
	enter
	interrupt
	endOrDelete // Ctrl-D
	deleteLeft
	deleteRight
	deleteWordLeft
	deleteWordRight
	deleteToStart
	deleteToEnd
	yank
	left
	right
	wordLeft
	wordRight
	home
	end
	older
	newer
	search
	cancelSearch
	complete
	clearScreen
)

// A key is one event from the terminal.
type key struct {
	do   action
	text string
}

// keys are the control characters and sequences that terminals send.
var keys = map[string]action{
	"\x01": home, "\x02": left, "\x03": interrupt, "\x04": endOrDelete, "\x05": end, "\x06": right,
	"\x07": cancelSearch, "\x08": deleteLeft, "\t": complete, "\n": enter, "\x0b": deleteToEnd,
	"\x0c": clearScreen, "\r": enter, "\x0e": newer, "\x10": older, "\x12": search,
	"\x15": deleteToStart, "\x17": deleteWordLeft, "\x19": yank, "\x7f": deleteLeft,
	"\x1bb": wordLeft, "\x1bf": wordRight, "\x1bd": deleteWordRight, "\x1b\x7f": deleteWordLeft,
	"\x1b[A": older, "\x1b[B": newer, "\x1b[C": right, "\x1b[D": left, "\x1b[H": home, "\x1b[F": end,
	"\x1bOA": older, "\x1bOB": newer, "\x1bOC": right, "\x1bOD": left, "\x1bOH": home, "\x1bOF": end,
	"\x1b[1~": home, "\x1b[4~": end, "\x1b[7~": home, "\x1b[8~": end, "\x1b[3~": deleteRight,
	"\x1b[1;5C": wordRight, "\x1b[1;5D": wordLeft, "\x1b[1;3C": wordRight, "\x1b[1;3D": wordLeft,
	"\x1b[3;5~": deleteWordRight,
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// decodeKey returns the key at the start of b and its length, 0 if b holds
// only a part of it. A sequence that means nothing here is ignored whole.
func decodeKey(b []byte) (key, int) {
	switch {
	case len(b) == 0:
		return key{}, 0
	case bytes.HasPrefix(b, []byte(pasteStart)):
		return decodePaste(b)
	case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return key{do: enter}, 2
	case b[0] == 0x1b:
		n := sequence(b)
		return key{do: keys[string(b[:n])]}, n
	case b[0] < ' ' || b[0] == 0x7f:
		return key{do: keys[string(b[:1])]}, 1
	}
	n := 0
	for n < len(b) && b[n] >= ' ' && b[n] != 0x7f && utf8.FullRune(b[n:]) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			if n == 0 {
				return key{}, 1 // no character
			}
			break
		}
		n += size
	}
	return key{do: insert, text: string(b[:n])}, n
}

// sequence returns the length of the escape sequence at the start of b, 0 if
// more of it may come. A control character ends it, so that Ctrl-C works
// whatever came before.
func sequence(b []byte) int {
	if len(b) == 1 {
		return 0
	}
	switch {
	case b[1] < ' ':
		return 1
	case b[1] == '[':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] < ' ' || b[i] > '~':
				return i
			case b[i] >= '@':
				return i + 1
			}
		}
		return 0
	case b[1] == 'O':
		if len(b) == 2 {
			return 0
		}
		return 3
	case !utf8.FullRune(b[1:]):
		return 0
	}
	_, size := utf8.DecodeRune(b[1:])
	return 1 + size
}

func decodePaste(b []byte) (key, int) {
	text := b[len(pasteStart):]
	n := bytes.Index(text, []byte(pasteEnd))
	if n < 0 {
		if stop := bytes.IndexByte(b, 0x03); stop >= 0 {
			return key{}, stop
		}
		return key{}, 0
	}
	pasted := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text[:n]))
	return key{do: paste, text: strings.ToValidUTF8(pasted, "\ufffd")}, len(pasteStart) + n + len(pasteEnd)
}
