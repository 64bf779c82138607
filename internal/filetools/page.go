package filetools

import (
	"fmt"
	"slices"
	"strings"

	"agsh.dev/vfs"
)

// A printer turns the results of a Grep into text.
type printer interface {
	// add takes the next result; it reports false when it needs no more.
	add(r vfs.GrepResult) bool
	// end returns the text, and a note about the page that is no part of it;
	// both are "" if there was no match at all.
	end() (text, note string)
}

// A page selects matches by their number, from 0.
type page struct {
	offset, limit int  // limit 0 is none
	seen          int  // matches so far
	full          bool // the match after seen does not fit into the result any more
}

// next counts a match and reports whether it is on the page, and whether it
// is past it.
func (p *page) next() (in, past bool) {
	n := p.seen
	p.seen++
	past = p.limit > 0 && n >= p.offset+p.limit
	return n >= p.offset && !past, past
}

// note says what is outside of the page, if it must be said.
func (p *page) note() string {
	switch {
	case p.full:
		return fmt.Sprintf("[the result ends at %d MiB: go on with offset %d]", maxShown>>20, p.seen)
	case p.limit > 0 && p.seen > p.offset+p.limit:
		return fmt.Sprintf("[more matches: go on with offset %d]", p.offset+p.limit)
	case p.seen > 0 && p.seen <= p.offset:
		return fmt.Sprintf("[no more matches: offset %d is past the last of %d]", p.offset, p.seen)
	}
	return ""
}

// lines prints matching lines with their context.
type lines struct {
	page
	before, after int

	b       strings.Builder
	pending []vfs.GrepResult // context that may belong to a match on the page
	last    vfs.GrepResult   // printed last; Line 0 if none
	match   vfs.GrepResult   // the last match on the page
}

func (l *lines) add(r vfs.GrepResult) bool {
	if r.Context {
		if r.Path == l.match.Path && r.Line <= l.match.Line+l.after {
			if l.full = !fits(&l.b, r); l.full {
				return false
			}
			l.print(r)
		} else if l.before > 0 {
			l.pending = append(l.pending[max(0, len(l.pending)+1-l.before):], r)
		}
		return true
	}
	in, past := l.next()
	if past {
		return false
	}
	if in {
		group := slices.DeleteFunc(l.pending, func(c vfs.GrepResult) bool { return c.Path != r.Path || c.Line < r.Line-l.before })
		if l.full = !fits(&l.b, append(group, r)...); l.full {
			l.seen--
			return false
		}
		for _, c := range group {
			l.print(c)
		}
		l.print(r)
		l.match = r
	}
	l.pending = nil
	return true
}

func (l *lines) print(r vfs.GrepResult) {
	apart := r.Path != l.last.Path || r.Line != l.last.Line+1
	if l.before+l.after > 0 && l.last.Line > 0 && apart {
		l.b.WriteString("--\n")
	}
	sep := ":"
	if r.Context {
		sep = "-"
	}
	fmt.Fprintf(&l.b, "%s%s%d%s%s\n", shown(r.Path), sep, r.Line, sep, r.Text)
	l.last = r
}

func (l *lines) end() (text, note string) { return l.b.String(), l.note() }

// fits reports whether rows can be added to a result that has b so far. The
// first can, whatever their size.
func fits(b *strings.Builder, rows ...vfs.GrepResult) bool {
	const around = 16 // line number, separators and line end
	size := b.Len()
	for _, r := range rows {
		size += len(r.Path) + len(r.Text) + around
	}
	return b.Len() == 0 || size <= maxShown
}

// counter prints files, with the number of their matching lines if asked.
type counter struct {
	page
	counts bool

	b    strings.Builder
	path string
	n    int
}

func (c *counter) add(r vfs.GrepResult) bool {
	if r.Path != c.path {
		c.flush()
		c.path = r.Path
	}
	if c.full {
		return false
	}
	c.n++
	// One file beyond the page is enough to know of more.
	return c.limit == 0 || c.seen < c.offset+c.limit
}

// flush prints the file that has ended.
func (c *counter) flush() {
	if c.n == 0 || c.full {
		return
	}
	if in, _ := c.next(); in {
		if c.full = !fits(&c.b, vfs.GrepResult{Path: c.path}); c.full {
			c.seen--
			return
		}
		c.b.WriteString(shown(c.path))
		if c.counts {
			fmt.Fprintf(&c.b, ":%d", c.n)
		}
		c.b.WriteByte('\n')
	}
	c.n = 0
}

func (c *counter) end() (text, note string) {
	c.flush()
	return c.b.String(), c.note()
}
