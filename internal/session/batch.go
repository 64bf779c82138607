package session

import (
	"bytes"
	"fmt"

	"agsh.dev/event"
)

// Check says what is wrong with a batch that no store may accept: records
// with a gap, that are no events, over event.MaxSize or on several lines, a row of something
// else, or a purge that is no deletion. Stores call it before they look at what they hold.
func (b *Batch) Check() error {
	if b.Session == "" || len(b.Records) == 0 {
		return fmt.Errorf("append to session %q: a batch needs a session and at least one record", b.Session)
	}
	for i, r := range b.Records {
		want := b.Expect + 1 + int64(i)
		switch {
		case r.Seq != want:
			return fmt.Errorf("append to session %s: record %d of the batch is event %d, want %d", b.Session, i, r.Seq, want)
		case event.SeqOf(r.Data) != want:
			return fmt.Errorf("append to session %s: record %d of the batch does not begin as event %d", b.Session, i, want)
		case len(r.Data) > event.MaxSize:
			return fmt.Errorf("append to session %s: event %d has %d bytes, want at most %d", b.Session, r.Seq, len(r.Data), event.MaxSize)
		case bytes.IndexByte(r.Data, '\n') >= 0:
			return fmt.Errorf("append to session %s: event %d is not on one line", b.Session, r.Seq)
		}
	}
	if b.Purge != (b.Row.Status == Deleted) || b.Purge && len(b.Records) != 1 {
		return fmt.Errorf("append to session %s: a purge leaves one record and status %q, not %d and %q", b.Session, Deleted, len(b.Records), b.Row.Status)
	}
	if last := b.Expect + int64(len(b.Records)); b.Row.Session != b.Session || b.Row.LastSeq != last {
		return fmt.Errorf("append to session %s up to event %d: the row is of session %q at event %d", b.Session, last, b.Row.Session, b.Row.LastSeq)
	}
	return nil
}
