package repl

import (
	"context"
	"errors"
	"io"
	"strings"
)

// errNotRaw says that the terminal cannot be put into raw mode.
var errNotRaw = errors.New("the terminal has no raw mode")

// An editor reads entries key by key. An entry may have several lines: Enter
// ends it only when it is complete.
type editor struct {
	Config
	src    *source
	screen *screen
	rest   []byte // read but not used: keys typed ahead, lines pasted
	line   line
	killed string // what yank inserts
	// recalled is the entry of the history that the line was made from, -1
	// for none; draft is the line before the first was recalled.
	recalled int
	draft    string
}

func newEditor(c Config, src *source) *editor {
	return &editor{Config: c, src: src, screen: &screen{out: c.Out, width: c.Width}}
}

const (
	bracketedPaste   = "\x1b[?2004h"
	noBracketedPaste = "\x1b[?2004l"
	clearAll         = "\x1b[H\x1b[2J"
)

// read edits one entry, with the terminal in raw mode until it returns.
func (e *editor) read(ctx context.Context) (string, error) {
	restore, err := e.MakeRaw()
	if err != nil {
		return "", errNotRaw
	}
	defer restore()
	e.line, e.recalled, e.draft = line{}, -1, ""
	e.screen.write(bracketedPaste)
	defer e.screen.write(noBracketedPaste)
	e.screen.begin()
	return e.edit(ctx, e.Prompt())
}

// edit handles keys until the entry ends.
func (e *editor) edit(ctx context.Context, prompt string) (string, error) {
	for {
		e.screen.paint(prompt, e.line)
		k, err := e.next(ctx)
		if err == nil && k.do == search {
			k, err = e.search(ctx)
		}
		switch {
		case e.screen.err != nil:
			return "", e.screen.err
		case errors.Is(err, errInterrupted), k.do == interrupt:
			e.screen.leave("^C")
			return "", errInterrupted
		case err != nil:
			e.screen.leave("")
			return "", err
		case k.do == endOrDelete && e.line.text == "":
			e.screen.leave("")
			return "", io.EOF
		case k.do == enter && !e.Incomplete(e.line.text):
			e.screen.paint(prompt, e.line) // a search may have changed it
			e.screen.leave("")
			return e.line.text, e.screen.err
		case k.do == enter:
			e.line = lineOf(e.line.text).insert("\n")
		case k.do == insert || k.do == paste:
			e.line = e.line.insert(k.text)
		case k.do == complete:
			e.complete(ctx)
		default:
			if edit, ok := edits[k.do]; ok {
				edit(e)
			}
		}
	}
}

// next returns the next key.
func (e *editor) next(ctx context.Context) (key, error) {
	for {
		if k, n := decodeKey(e.rest); n > 0 {
			e.rest = e.rest[n:]
			return k, nil
		}
		data, err := e.src.read(ctx)
		if err != nil {
			return key{}, err
		}
		e.rest = append(e.rest, data...)
	}
}

// edits are the actions that only change the line.
var edits = map[action]func(*editor){
	left:            func(e *editor) { e.line.at = e.line.left() },
	right:           func(e *editor) { e.line.at = e.line.right() },
	wordLeft:        func(e *editor) { e.line.at = e.line.wordLeft() },
	wordRight:       func(e *editor) { e.line.at = e.line.wordRight() },
	home:            func(e *editor) { e.line.at = 0 },
	end:             func(e *editor) { e.line.at = len(e.line.text) },
	deleteLeft:      func(e *editor) { e.line, _ = e.line.cut(e.line.left()) },
	deleteRight:     func(e *editor) { e.line, _ = e.line.cut(e.line.right()) },
	endOrDelete:     func(e *editor) { e.line, _ = e.line.cut(e.line.right()) },
	deleteWordLeft:  func(e *editor) { e.kill(e.line.wordLeft()) },
	deleteWordRight: func(e *editor) { e.kill(e.line.wordRight()) },
	deleteToStart:   func(e *editor) { e.kill(0) },
	deleteToEnd:     func(e *editor) { e.kill(len(e.line.text)) },
	yank:            func(e *editor) { e.line = e.line.insert(e.killed) },
	older:           func(e *editor) { e.recall(e.recalled + 1) },
	newer:           func(e *editor) { e.recall(e.recalled - 1) },
	clearScreen: func(e *editor) {
		e.screen.write(clearAll)
		e.screen.begin()
	},
}

func (e *editor) kill(to int) {
	rest, removed := e.line.cut(to)
	if removed != "" {
		e.line, e.killed = rest, removed
	}
}

// recall makes the line the i-th newest entry; -1 is the line that was being
// typed.
func (e *editor) recall(i int) {
	if i < -1 || i >= e.History.Len() {
		return
	}
	if e.recalled < 0 {
		e.draft = e.line.text
	}
	e.recalled = i
	if i < 0 {
		e.line = lineOf(e.draft)
		return
	}
	e.line = lineOf(e.History.At(i))
}

// search looks for entries that contain what is typed, newest first, until a
// key means something else. It returns that key, which acts on what was found.
func (e *editor) search(ctx context.Context) (key, error) {
	before, at := e.line, e.recalled
	query, from := "", 0
	for {
		prompt := "(search) " + query + ": "
		if i := e.find(query, from); i >= 0 {
			from = i
			e.recall(i)
		} else if query != "" {
			prompt = "(no such entry) " + query + ": "
		}
		e.screen.paint(prompt, e.line)
		k, err := e.next(ctx)
		switch {
		case err != nil:
			return key{}, err
		case k.do == insert:
			query += k.text
		case k.do == deleteLeft && query != "":
			q, _ := lineOf(query).cut(lineOf(query).left())
			query, from = q.text, 0
		case k.do == search:
			if e.find(query, from+1) >= 0 {
				from++
			}
		case k.do == cancelSearch:
			e.line, e.recalled = before, at
			return key{}, nil
		default:
			return k, nil
		}
	}
}

// find returns the first entry from the i-th newest on that contains query,
// -1 if there is none or nothing is searched for.
func (e *editor) find(query string, i int) int {
	for ; query != "" && i < e.History.Len(); i++ {
		if strings.Contains(e.History.At(i), query) {
			return i
		}
	}
	return -1
}
