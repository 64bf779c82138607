package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"agsh.dev/event"
)

// A page is what one read of the store and one answer of Raw may hold.
const (
	pageRecords = 1024
	pageBytes   = 4 << 20
)

// Raw returns the encoded events of the session from seq on, as they are
// served: with the content of blobs in place and without what is never
// served. A from below 0 counts from the end: -1 is the last event; 0 means
// 1. There are at most limit of them, and fewer at the end of the log or
// when the answer gets big, but none only at the end. The caller owns the
// slice and must not change the bytes.
func (l *Log) Raw(ctx context.Context, from int64, limit int) ([]Record, error) {
	records, err := l.read(ctx, l.position(from), limit)
	if err != nil {
		return nil, err
	}
	if len(records) > 0 && records[0].Seq == 1 {
		if records[0].Data, err = redact(records[0].Data); err != nil {
			return nil, l.damaged(1, err)
		}
	}
	return records, nil
}

// Events yields the stored events from seq on, see [Log.Raw] for from, with
// everything that was appended. The first error ends it.
func (l *Log) Events(ctx context.Context, from int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for next := l.position(from); ; {
			records, err := l.read(ctx, next, pageRecords)
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			if len(records) == 0 {
				return
			}
			for _, r := range records {
				var e event.Event
				if err := e.UnmarshalJSON(r.Data); err != nil {
					yield(event.Event{}, l.damaged(r.Seq, err))
					return
				}
				if !yield(e, nil) {
					return
				}
				next = r.Seq + 1
			}
		}
	}
}

// Wait returns nil once the log has events behind seq after, and ctx's error
// once ctx ends.
func (l *Log) Wait(ctx context.Context, after int64) error {
	if err := l.cfg.Store.Wait(ctx, l.id, after); err != nil {
		return fmt.Errorf("wait for session %s: %w", l.id, err)
	}
	return nil
}

func (l *Log) position(from int64) int64 {
	if from < 0 {
		from += l.State().LastSeq + 1
	}
	return max(from, 1)
}

// read returns records with the content of their blobs in place. It lets no
// hole in the log pass for its end, and no event for another.
func (l *Log) read(ctx context.Context, from int64, limit int) ([]Record, error) {
	if limit <= 0 {
		return nil, nil
	}
	last := l.State().LastSeq
	records, err := l.cfg.Store.Read(ctx, l.id, from, min(limit, pageRecords), pageBytes)
	if err != nil {
		return nil, fmt.Errorf("read session %s from event %d: %w", l.id, from, err)
	}
	if len(records) == 0 && from <= last {
		return nil, l.damaged(from, fmt.Errorf("it is missing; the log should reach event %d", last))
	}
	size := 0
	for i := range records {
		r := &records[i]
		if want := from + int64(i); r.Seq != want && !l.purged(ctx) {
			return nil, l.damaged(want, fmt.Errorf("it is missing; event %d follows", r.Seq))
		}
		if is := event.SeqOf(r.Data); is != r.Seq || r.Data[len(r.Data)-1] != '}' {
			return nil, l.damaged(r.Seq, fmt.Errorf("its %d bytes are not that event", len(r.Data)))
		}
		if blob, at, ok := spilled(r.Data); ok {
			content, err := l.cfg.Store.Blob(ctx, l.id, blob.SHA256)
			if err == nil && sum(content) != blob.SHA256 {
				err = errors.New("it has another hash")
			}
			if err != nil {
				return nil, l.damaged(r.Seq, fmt.Errorf("its content %s: %w", blob.SHA256, err))
			}
			r.Data = unspill(r.Data, at, content)
		}
		if size += len(r.Data); size >= pageBytes {
			return records[:i+1], nil
		}
	}
	return records, nil
}

// purged reports whether a hole is there because the session was deleted.
func (l *Log) purged(ctx context.Context) bool {
	row, err := l.cfg.Store.Get(ctx, l.id)
	return err == nil && row.Status == Deleted
}

func (l *Log) damaged(seq int64, err error) error {
	return fmt.Errorf("read session %s: event %d cannot be read: %w: the store is damaged, restore it from a copy", l.id, seq, err)
}
