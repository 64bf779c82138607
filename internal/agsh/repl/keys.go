package repl

import (
	uv "github.com/charmbracelet/ultraviolet"
)

// An action is what a key asks for.
type action int

const (
	ignore  action = iota
	insert         // text, typed
	paste          // text, pasted: newlines do not end the entry
	tooLong        // a paste that was dropped
	enter
	newline
	interrupt
	endOrDelete // Ctrl-D
	suspend
	escape
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
	completeBack
	clearScreen
)

// A key is one event from the terminal.
type key struct {
	do   action
	text string
}

// keys are the actions of keys, by the names the decoder gives them.
var keys = map[string]action{
	"ctrl+a": home, "home": home, "ctrl+e": end, "end": end,
	"ctrl+b": left, "left": left, "ctrl+f": right, "right": right,
	"alt+b": wordLeft, "ctrl+left": wordLeft, "alt+left": wordLeft,
	"alt+f": wordRight, "ctrl+right": wordRight, "alt+right": wordRight,
	"ctrl+p": older, "up": older, "ctrl+n": newer, "down": newer,
	"ctrl+h": deleteLeft, "backspace": deleteLeft, "shift+backspace": deleteLeft, "delete": deleteRight,
	"ctrl+w": deleteWordLeft, "alt+backspace": deleteWordLeft, "ctrl+backspace": deleteWordLeft, "ctrl+alt+h": deleteWordLeft,
	"alt+d": deleteWordRight, "ctrl+delete": deleteWordRight,
	"ctrl+u": deleteToStart, "ctrl+k": deleteToEnd, "ctrl+y": yank,
	"enter": enter, "alt+enter": newline, "shift+enter": newline, "ctrl+enter": newline, "ctrl+j": newline, "ctrl+alt+j": newline,
	"ctrl+c": interrupt, "ctrl+d": endOrDelete, "ctrl+z": suspend, "esc": escape,
	"ctrl+r": search, "ctrl+g": cancelSearch, "tab": complete, "shift+tab": completeBack, "ctrl+l": clearScreen,
}

// decode returns the key that a token is. Reports of the terminal are none.
func decode(t token) key {
	switch t.kind {
	case typed:
		return key{insert, t.text}
	case pasted:
		return key{paste, t.text}
	case overlong:
		return key{do: tooLong}
	case sequence:
		var decoder uv.EventDecoder
		if n, event := decoder.Decode([]byte(t.text)); n == len(t.text) {
			if press, ok := event.(uv.KeyPressEvent); ok {
				return pressed(uv.Key(press))
			}
		}
	}
	return key{}
}

func pressed(k uv.Key) key {
	if do, ok := keys[k.Keystroke()]; ok {
		return key{do: do}
	}
	// Some terminals send letters, too, as sequences with modifiers.
	if k.Text != "" && k.Mod&^(uv.ModShift|uv.ModCapsLock|uv.ModNumLock) == 0 {
		return key{insert, cleanPaste(k.Text)}
	}
	return key{}
}
