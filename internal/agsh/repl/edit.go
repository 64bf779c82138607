package repl

import "strings"

// An editor is a text being edited and how it came about. Its methods return
// another editor and have no effects.
type editor struct {
	line   line
	killed string // what yank inserts
	// recalled counts entries of the history back from the newest, which is 1;
	// 0 is the line that was being typed, which draft keeps meanwhile.
	recalled int
	draft    string
	found    searching
}

// A searching is a search through the history under way.
type searching struct {
	on       bool
	query    string
	missing  bool // no entry contains the query
	from     int  // where it looks on: the entry that is shown
	before   line // what a cancelled search returns to
	recalled int
}

// press returns the editor after a key. handled is false for a key that is not
// about editing.
func (e editor) press(k key, h *History) (after editor, handled bool) {
	if e.found.on {
		if after, handled := e.searchKey(k, h); handled {
			return after, true
		}
		e.found = searching{}
	}
	switch k.do {
	case insert, paste:
		e.line = e.line.insert(k.text)
	case newline:
		e.line = e.line.insert("\n")
	case older:
		return e.recall(e.recalled+1, h), true
	case newer:
		return e.recall(e.recalled-1, h), true
	case search:
		e.found = searching{on: true, before: e.line, recalled: e.recalled}
	default:
		edit, ok := edits[k.do]
		if !ok {
			return e, false
		}
		return edit(e), true
	}
	return e, true
}

// edits are the actions that need nothing but the line.
var edits = map[action]func(editor) editor{
	left:            func(e editor) editor { return e.move(e.line.left()) },
	right:           func(e editor) editor { return e.move(e.line.right()) },
	wordLeft:        func(e editor) editor { return e.move(e.line.wordLeft()) },
	wordRight:       func(e editor) editor { return e.move(e.line.wordRight()) },
	home:            func(e editor) editor { return e.move(0) },
	end:             func(e editor) editor { return e.move(len(e.line.text)) },
	deleteLeft:      func(e editor) editor { return e.cut(e.line.left()) },
	deleteRight:     func(e editor) editor { return e.cut(e.line.right()) },
	endOrDelete:     func(e editor) editor { return e.cut(e.line.right()) },
	deleteWordLeft:  func(e editor) editor { return e.kill(e.line.wordLeft()) },
	deleteWordRight: func(e editor) editor { return e.kill(e.line.wordRight()) },
	deleteToStart:   func(e editor) editor { return e.kill(0) },
	deleteToEnd:     func(e editor) editor { return e.kill(len(e.line.text)) },
	yank:            func(e editor) editor { e.line = e.line.insert(e.killed); return e },
}

func (e editor) move(to int) editor {
	e.line.at = to
	return e
}

func (e editor) cut(to int) editor {
	e.line, _ = e.line.cut(to)
	return e
}

func (e editor) kill(to int) editor {
	rest, removed := e.line.cut(to)
	if removed != "" {
		e.line, e.killed = rest, removed
	}
	return e
}

// cleared is the editor for the next entry.
func (e editor) cleared() editor { return editor{killed: e.killed} }

// recall makes the line the i-th entry back from now.
func (e editor) recall(i int, h *History) editor {
	if i < 0 || i > h.Len() {
		return e
	}
	if e.recalled == 0 {
		e.draft = e.line.text
	}
	e.recalled = i
	if i == 0 {
		e.line = lineOf(e.draft)
	} else {
		e.line = lineOf(h.At(i - 1))
	}
	return e
}

// searchKey handles a key that is about the search.
func (e editor) searchKey(k key, h *History) (after editor, handled bool) {
	switch f := &e.found; {
	case k.do == insert:
		f.query += k.text
		return e.find(f.from, h), true
	case k.do == deleteLeft && f.query != "":
		query, _ := lineOf(f.query).cut(lineOf(f.query).left())
		f.query = query.text
		return e.find(0, h), true
	case k.do == search:
		return e.find(f.from+1, h), true
	case k.do == cancelSearch:
		e.line, e.recalled, e.found = f.before, f.recalled, searching{}
		return e, true
	}
	return e, false
}

// find shows the first entry from the i-th newest on that contains the query,
// or says that there is none.
func (e editor) find(i int, h *History) editor {
	e.found.missing = false
	if e.found.query == "" {
		return e
	}
	for ; i < h.Len(); i++ {
		if strings.Contains(h.At(i), e.found.query) {
			e.found.from = i
			return e.recall(i+1, h)
		}
	}
	e.found.missing = true
	return e
}

// prompt is what stands before the line during a search.
func (f searching) prompt() string {
	if f.missing {
		return "(no such entry) " + f.query + ": "
	}
	return "(search) " + f.query + ": "
}
