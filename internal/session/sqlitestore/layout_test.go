package sqlitestore

import (
	"bytes"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// checkLayout checks that what schema.go says always holds does hold: what
// lines say is what the postings say.
func checkLayout(t *testing.T, s *Store) {
	t.Helper()
	c := s.writer.conn
	each := func(query string, row func(v []driver.Value), args ...driver.Value) {
		t.Helper()
		if err := c.query(query, func(v []driver.Value) error { row(v); return nil }, args...); err != nil {
			t.Fatal(err)
		}
	}
	var heads []head
	each("SELECT session FROM sessions", func(v []driver.Value) { heads = append(heads, head{row: session.Row{Session: text(v[0])}}) })
	rows := int64(0)
	for _, h := range heads {
		h, err := findHead(c, h.row.Session)
		if err != nil {
			t.Fatal(err)
		}
		var told []posting // by chunks and tail
		each("SELECT seq, postings FROM chunks WHERE number = ? ORDER BY seq", func(v []driver.Value) {
			ps, err := decodePostings(nil, bytesOf(v[1]))
			if err != nil || len(ps) != chunkSize || ps[0].seq != integer(v[0]) {
				t.Errorf("%s: the chunk of event %d has %v, %v", h.row.Session, integer(v[0]), ps, err)
			}
			told = append(told, ps...)
		}, h.number)
		if told = append(told, h.tail...); len(h.tail) >= chunkSize {
			t.Errorf("%s: a tail of %d postings", h.row.Session, len(h.tail))
		}
		var found []posting // by lines
		last := int64(0)
		each("SELECT row, records FROM lines WHERE number = ? ORDER BY row", func(v []driver.Value) {
			for i, line := range bytes.Split(bytesOf(v[1]), []byte{'\n'}) {
				seq := event.SeqOf(line)
				if i == 0 {
					found = append(found, posting{seq, integer(v[0])})
				}
				if seq != last+1 && h.row.Status != session.Deleted {
					t.Errorf("%s: event %d follows event %d", h.row.Session, seq, last)
				}
				last = seq
			}
		}, h.number)
		if !slices.Equal(told, found) || last != h.row.LastSeq {
			t.Errorf("%s up to event %d: postings are %v, lines up to event %d are %v", h.row.Session, h.row.LastSeq, told, last, found)
		}
		rows += int64(len(found))
	}
	if n, err := c.integer("SELECT count(*) FROM lines"); err != nil || n != rows {
		t.Errorf("%d rows of lines, %v, want the %d of all sessions", n, err, rows)
	}
}

// TestDamageIsFound: whatever is wrong with the index, no session serves the
// events of another, or other events than were asked for.
func TestDamageIsFound(t *testing.T) {
	tail := func(ps ...posting) driver.Value { return appendPostings(nil, ps) }
	// Session one has events 1 to 40 in rows 1, 3, … 79, session two the others.
	var first []posting
	for i := range int64(chunkSize) {
		first = append(first, posting{1 + i, 1 + 2*i})
	}
	theirs, shifted := slices.Clone(first), slices.Clone(first)
	theirs[9].row++
	for i := range shifted {
		shifted[i].seq++
	}
	for name, tt := range map[string]struct {
		damage string
		args   []driver.Value
		want   string
	}{
		"a posting at another's row":    {"UPDATE chunks SET postings = ? WHERE number = 1", []driver.Value{appendPostings(nil, theirs)}, "belongs to another session"},
		"a tail at another's rows":      {"UPDATE sessions SET tail = ? WHERE number = 1", []driver.Value{tail(posting{33, 66}, posting{34, 68})}, "belongs to another session"},
		"a tail at the wrong rows":      {"UPDATE sessions SET tail = ? WHERE number = 1", []driver.Value{tail(posting{33, 67})}, "7 of its events 1 to 40"},
		"a tail with a hole":            {"UPDATE sessions SET tail = ? WHERE number = 1", []driver.Value{tail(posting{33, 65}, posting{35, 69})}, "event 34"},
		"a tail that was lost":          {"UPDATE sessions SET tail = x'' WHERE number = 1", nil, "8 of its events"},
		"a tail of noise":               {"UPDATE sessions SET tail = x'0000' WHERE number = 1", nil, "no postings"},
		"a chunk that was lost":         {"DELETE FROM chunks WHERE number = 1", nil, "32 of its events 1 to 40"},
		"a chunk of other events":       {"UPDATE chunks SET postings = ? WHERE number = 1", []driver.Value{appendPostings(nil, shifted)}, "no postings"},
		"an empty chunk":                {"UPDATE chunks SET postings = x'' WHERE number = 1", nil, "no postings"},
		"a row that was lost":           {"DELETE FROM lines WHERE row = 21", nil, "with event 11, is missing"},
		"the last row was lost":         {"DELETE FROM lines WHERE row = 79", nil, "with event 40, is missing"},
		"a row that changed hands":      {"UPDATE lines SET number = 2 WHERE row = 21", nil, "belongs to another session"},
		"a row with another's text":     {"UPDATE lines SET records = (SELECT records FROM lines WHERE row = 41) WHERE row = 21", nil, "event 11 cannot be read"},
		"a row with a line too many":    {"UPDATE lines SET records = CAST(records || x'0a' || records AS BLOB) WHERE row = 21", nil, "should begin with event 13"},
		"a row of nothing":              {"UPDATE lines SET records = x'' WHERE row = 21", nil, "event 11 cannot be read"},
		"content that is not what was":  {"UPDATE blobs SET content = x'00'", nil, "another hash"},
		"content that is gone":          {"DELETE FROM blobs", nil, "session not found"},
		"a row that counts another way": {"UPDATE sessions SET last_seq = 41 WHERE number = 1", nil, "1 of its events"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), Config{})
			defer s.Close()
			if err := s.writer.conn.exec("PRAGMA synchronous = OFF"); err != nil {
				t.Fatal(err)
			}
			one, two := start(t, s, "one"), start(t, s, "two")
			for i := range 39 {
				e := event.Event{Data: notice}
				if i == 20 {
					e.Data = event.Notice{Text: strings.Repeat("x", 70<<10)}
				}
				for _, l := range []*session.Log{one, two} {
					if _, err := l.Append(t.Context(), e); err != nil {
						t.Fatal(err)
					}
				}
			}
			checkLayout(t, s)
			if err := s.writer.conn.exec(tt.damage, tt.args...); err != nil {
				t.Fatal(err)
			}
			one, err := session.Open(t.Context(), session.Config{Store: s}, "one")
			if err != nil {
				t.Fatal(err)
			}
			for _, err = range one.Events(t.Context(), 1) {
				continue
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("reading ended with %v, want an error with %q", err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), "restore it from a copy") {
				t.Errorf("%q does not say what to do", err)
			}
		})
	}
}
