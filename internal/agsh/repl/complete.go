package repl

import (
	"strings"
	"unicode/utf8"

	"agsh.dev/internal/term/text"
)

// A Completion is what may stand in place of a part of a text, from Start (a
// byte offset) up to the cursor.
type Completion struct {
	Start      int
	Candidates []Candidate
}

// A Candidate is one way to go on. Text is what is inserted, quoted as the
// language wants it and with a blank after it if the word is whole. Title, if
// any, is shown beside it.
type Candidate struct {
	Text, Title string
}

// maxListed is how many rows of a menu show at once.
const maxListed = 8

// A menu is an open list of candidates, one of which is marked. The zero value
// is closed.
type menu struct {
	Completion
	marked int
}

func (m menu) open() bool { return len(m.Candidates) > 0 }

// move marks the next candidate in a direction, around the ends.
func (m menu) move(by int) menu {
	m.marked = (m.marked + by + len(m.Candidates)) % len(m.Candidates)
	return m
}

// accept puts the marked candidate into the line.
func (m menu) accept(l line) line { return replace(l, m.Start, m.Candidates[m.marked].Text) }

func replace(l line, start int, by string) line {
	l, _ = l.cut(start)
	return l.insert(by)
}

// filtered keeps the candidates that what is typed now begins.
func (m menu) filtered(l line) menu {
	if m.Start > l.at {
		return menu{}
	}
	kept := menu{Completion: Completion{Start: m.Start}}
	for i, c := range m.Candidates {
		if !foldPrefix(c.Text, l.text[m.Start:l.at]) {
			continue
		}
		if i == m.marked {
			kept.marked = len(kept.Candidates)
		}
		kept.Candidates = append(kept.Candidates, c)
	}
	return kept
}

func foldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// completed puts into the line what all candidates have in common. If that is
// nothing new, it opens a menu of them.
func completed(l line, c Completion) (line, menu) {
	if len(c.Candidates) == 0 || c.Start < 0 || c.Start > l.at {
		return l, menu{}
	}
	common := c.Candidates[0].Text
	for _, other := range c.Candidates[1:] {
		common = commonPrefix(common, other.Text)
	}
	typed := l.text[c.Start:l.at]
	if len(c.Candidates) == 1 || len(common) > len(typed) && strings.HasPrefix(common, typed) {
		return replace(l, c.Start, common), menu{}
	}
	return l, menu{Completion: c}
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// rows shows at most height candidates around the marked one, each clipped to
// width cells. mark styles the marked row.
func (m menu) rows(width, height int, mark, plain func(string) string) []string {
	n := min(len(m.Candidates), height, maxListed)
	if n < 1 {
		return nil
	}
	top := min(max(0, m.marked-n/2), len(m.Candidates)-n)
	shown := m.Candidates[top : top+n]
	column := 0
	for _, c := range shown {
		column = max(column, text.Width(text.EscapeLine(strings.TrimRight(c.Text, " "))))
	}
	column = min(column, width*2/3)
	var rows []string
	for i, c := range shown {
		row := text.EscapeLine(strings.TrimRight(c.Text, " "))
		if c.Title != "" {
			row = text.Pad(text.Truncate(row, column), column) + "  " + text.EscapeLine(c.Title)
		}
		if top+i == m.marked {
			rows = append(rows, mark(text.Truncate("› "+row, width)))
		} else {
			rows = append(rows, plain(text.Truncate("  "+row, width)))
		}
	}
	return rows
}
