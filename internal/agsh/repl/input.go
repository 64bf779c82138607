package repl

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// How long an input waits for what should follow, after the last byte.
const (
	burstGap   = 10 * time.Millisecond  // nobody types the next line this soon after Enter
	stopGap    = 25 * time.Millisecond  // a Ctrl-C in a paste that nothing follows was pressed
	escapeGap  = 100 * time.Millisecond // then ESC was the key
	reportGap  = 500 * time.Millisecond // the rest of a report over a slow line
	pasteGap   = 2 * time.Second        // then the end of a paste is lost
	maxPaste   = 1 << 20                // bytes
	maxPending = 256                    // bytes of a sequence
)

const (
	esc        = "\x1b"
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// interruptKey is what Ctrl-C sends.
	interruptKey = 0x03
)

// A token is one whole thing that came from the terminal.
type token struct {
	kind tokenKind
	text string
}

type tokenKind int

const (
	typed    tokenKind = iota // text; it has newlines if it came faster than it can be typed
	sequence                  // the bytes of one key that is no text
	pasted                    // text, possibly empty, with newlines and tabs as its only controls
	overlong                  // a paste beyond maxPaste, which is dropped
)

// An input makes tokens of what a terminal sends, however reads cut it. Reports
// of the terminal never become text, and neither do their pieces. It is a
// function of the bytes and the times it is given; the zero value is ready.
type input struct {
	held     string // the start of a sequence or of a character
	inString byte   // the character that introduced a control string, 0 outside of one
	pasting  bool
	paste    []byte // with the end marker, as far as it has come
	tooLong  bool
	enters   int  // Enter keys that may turn out to be newlines of a burst
	afterCR  bool // the byte before was a carriage return
	burst    bool
	last     time.Time // when bytes came last
	out      []token
}

// feed takes bytes that came at now. No bytes at all is for the time that has
// passed, when deadline says so.
func (in *input) feed(data []byte, now time.Time) []token {
	in.expire(now.Sub(in.last))
	if len(data) > 0 {
		in.last = now
	}
	for _, c := range data {
		in.take(c)
	}
	out := in.out
	in.out = nil
	return out
}

// deadline is when feed must be called though nothing came. ok is false if
// nothing is waited for.
func (in *input) deadline() (at time.Time, ok bool) {
	gap := time.Duration(0)
	switch {
	case in.pasting && in.stopped():
		gap = stopGap
	case in.pasting:
		gap = pasteGap
	case in.enters > 0, in.burst:
		gap = burstGap
	case in.held == esc:
		gap = escapeGap
	case in.held != "", in.inString != 0:
		gap = reportGap
	}
	return in.last.Add(gap), gap > 0
}

// expire gives up waiting for what has not come for idle.
func (in *input) expire(idle time.Duration) {
	if in.pasting {
		switch {
		case in.stopped() && idle >= stopGap:
			in.endPaste()
			in.emit(sequence, string(rune(interruptKey)))
		case idle >= pasteGap:
			text := in.paste
			for n := len(pasteEnd) - 1; n > 0; n-- {
				text = []byte(strings.TrimSuffix(string(text), pasteEnd[:n]))
			}
			in.finishPaste(text)
		}
		return
	}
	if idle >= burstGap {
		in.flushEnters()
		in.burst, in.afterCR = false, false
	}
	switch {
	case in.held == esc && idle >= escapeGap:
		in.held = ""
		in.emit(sequence, esc)
	case idle >= reportGap:
		in.held, in.inString = "", 0
	}
}

func (in *input) emit(kind tokenKind, text string) {
	if n := len(in.out) - 1; kind == typed && n >= 0 && in.out[n].kind == typed {
		in.out[n].text += text
		return
	}
	in.out = append(in.out, token{kind, text})
}

func (in *input) take(c byte) {
	switch {
	case in.pasting:
		in.takePaste(c)
	case in.inString != 0:
		in.takeString(c)
	case strings.HasPrefix(in.held, esc):
		in.takeSequence(c)
	default:
		in.takeText(c)
	}
}

// takeText takes a byte outside of any sequence.
func (in *input) takeText(c byte) {
	afterCR := in.afterCR
	in.afterCR = c == '\r'
	switch {
	case in.held != "" || c >= utf8.RuneSelf:
		in.takeRune(c)
	case c == '\r':
		in.enters++
	case c == '\n' && afterCR:
		// the other half of one line end
	case c == 0x1b:
		in.flushEnters()
		in.held = esc
	case c == '\t' && (in.burst || in.enters > 0):
		in.typedText("\t")
	case c < ' ' || c == 0x7f:
		in.flushEnters()
		in.emit(sequence, string(rune(c)))
	default:
		in.typedText(string(rune(c)))
	}
}

// takeRune takes a byte of a character that is not ASCII.
func (in *input) takeRune(c byte) {
	const csi = 0x9b // ESC [ in one byte, which no character starts with
	if in.held == "" && !utf8.RuneStart(c) {
		if c == csi {
			in.flushEnters()
			in.held = esc + "["
		}
		return
	}
	in.held += string([]byte{c})
	if !utf8.FullRuneInString(in.held) {
		return
	}
	whole := in.held
	in.held = ""
	if utf8.ValidString(whole) {
		in.typedText(whole)
		return
	}
	if len(whole) > 1 && utf8.RuneStart(c) { // it cut the character off
		in.take(c)
	}
}

// typedText takes text. What follows Enter at once was not typed, so that Enter
// was a newline.
func (in *input) typedText(text string) {
	if in.enters > 0 {
		in.burst = true
		in.flushEnters()
	}
	in.emit(typed, text)
}

func (in *input) flushEnters() {
	for ; in.enters > 0; in.enters-- {
		if in.burst {
			in.emit(typed, "\n")
		} else {
			in.emit(sequence, "\r")
		}
	}
}

// takeSequence takes a byte after ESC. A control character ends what is held,
// so that Ctrl-C works whatever came before.
func (in *input) takeSequence(c byte) {
	held := in.held
	control := c < ' ' || c == 0x7f
	in.held = ""
	switch {
	case held == esc:
		in.takeEscaped(c)
	case c == 0x1b:
		in.held = esc
	case strings.HasPrefix(held, esc+"["):
		in.takeCSI(held, c)
	case control:
		in.take(c)
	case held == esc+"O":
		in.emit(sequence, held+string(rune(c)))
	case held == esc+"]", held == esc+"P", held == esc+"_":
		if introduces(held[1], c) {
			in.inString = held[1]
			return
		}
		in.emit(sequence, held) // it was a key with Alt
		in.take(c)
	default: // a character with Alt
		held += string([]byte{c})
		switch {
		case !utf8.FullRuneInString(held[1:]):
			in.held = held
		case utf8.ValidString(held):
			in.emit(sequence, held)
		case c < utf8.RuneSelf:
			in.take(c)
		}
	}
}

// introduces reports whether a control string of that kind can start with c.
func introduces(kind, c byte) bool {
	switch kind {
	case ']':
		return c >= '0' && c <= '9' || c == 'I' || c == 'L' || c == 'l'
	case 'P':
		return c >= '0' && c <= '9' || strings.IndexByte(">=!$+?|{", c) >= 0
	}
	return c == 'G'
}

// takeEscaped takes the byte behind ESC.
func (in *input) takeEscaped(c byte) {
	switch {
	case c == 0x1b:
		in.emit(sequence, esc)
		in.held = esc
	case strings.IndexByte("[O]P_", c) >= 0, c >= utf8.RuneSelf:
		in.held = esc + string([]byte{c})
	case c >= ' ', c == '\r', c == '\n', c == '\b':
		in.emit(sequence, esc+string(rune(c)))
	default:
		in.emit(sequence, esc)
		in.take(c)
	}
}

// takeCSI takes a byte of a control sequence.
func (in *input) takeCSI(held string, c byte) {
	whole := held + string([]byte{c})
	switch {
	case c < ' ' || c >= 0x7f:
		in.take(c)
	case whole == esc+"[[", c < '@' && len(whole) < maxPending: // the Linux console has ESC [ [ A
		in.held = whole
	case whole == pasteStart:
		in.pasting = true
	case c >= '@' && whole != pasteEnd:
		in.emit(sequence, whole)
	}
}

// takeString takes a byte of a control string, none of which is a key.
func (in *input) takeString(c byte) {
	kind := in.inString
	switch {
	case in.held == esc:
		in.held, in.inString = "", 0
		if c != '\\' {
			in.takeEscaped(c)
		}
	case c == 0x1b:
		in.held = esc
	case c == '\a' && kind == ']', c == 0x18, c == 0x1a:
		in.inString = 0
	case c == interruptKey:
		in.inString = 0
		in.take(c)
	}
}

func (in *input) takePaste(c byte) {
	in.paste = append(in.paste, c)
	if c == '~' && strings.HasSuffix(string(in.paste[max(0, len(in.paste)-len(pasteEnd)):]), pasteEnd) {
		in.finishPaste(in.paste[:len(in.paste)-len(pasteEnd)])
		return
	}
	if len(in.paste) > maxPaste+len(pasteEnd) {
		in.tooLong = true
		in.paste = slices.Clone(in.paste[len(in.paste)-len(pasteEnd):])
	}
}

// stopped reports whether the last byte of a paste is a Ctrl-C. If more follows
// it is one of the text.
func (in *input) stopped() bool {
	return len(in.paste) > 0 && in.paste[len(in.paste)-1] == interruptKey
}

func (in *input) finishPaste(text []byte) {
	if in.tooLong {
		in.emit(overlong, "")
	} else {
		in.emit(pasted, cleanPaste(string(text)))
	}
	in.endPaste()
}

func (in *input) endPaste() { in.pasting, in.tooLong, in.paste = false, false, nil }

// cleanPaste leaves the text of a paste: control sequences and controls other
// than newline and tab are removed.
func cleanPaste(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, "\ufffd"))
	var b strings.Builder
	for s != "" {
		if n := controlSequence(s); n > 0 {
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		if r == '\n' || r == '\t' || r >= ' ' && r < 0x7f || r > 0x9f {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// controlSequence is the length of the whole control sequence at the start of
// s, 0 if there is none.
func controlSequence(s string) int {
	if !strings.HasPrefix(s, esc+"[") {
		return 0
	}
	for i := 2; i < len(s) && s[i] >= ' ' && s[i] < 0x7f; i++ {
		if s[i] >= '@' {
			return i + 1
		}
	}
	return 0
}
