package session

import (
	"context"
	"encoding/json"
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
	for i := range records {
		if records[i].Data, err = redact(records[i].Data); err != nil {
			return nil, l.damaged(records[i].Seq, err)
		}
	}
	return records, nil
}

// Events yields the stored events from seq on, see [Log.Raw] for from, with
// everything that was appended. The first error ends it.
func (l *Log) Events(ctx context.Context, from int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		l.pages(ctx, l.position(from), yield)
	}
}

// Follow is Events, and then the events to come, each after it is durable. It
// ends with session.deleted, or with ctx's error once ctx ends.
func (l *Log) Follow(ctx context.Context, from int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		next := l.position(from)
		for {
			var more bool
			if next, more = l.pages(ctx, next, yield); !more {
				return
			}
			if err := l.Wait(ctx, next-1); err != nil {
				yield(event.Event{}, err)
				return
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

// pages yields the events that are stored from seq on. It returns where to go
// on, and whether there can be more.
func (l *Log) pages(ctx context.Context, from int64, yield func(event.Event, error) bool) (next int64, more bool) {
	for {
		records, err := l.read(ctx, from, pageRecords)
		if err != nil {
			yield(event.Event{}, err)
			return from, false
		}
		if len(records) == 0 {
			return from, true
		}
		for _, r := range records {
			var e event.Event
			if err := json.Unmarshal(r.Data, &e); err != nil {
				yield(event.Event{}, l.damaged(r.Seq, err))
				return r.Seq, false
			}
			_, deleted := e.Data.(event.SessionDeleted)
			if !yield(e, nil) || deleted {
				return r.Seq, false
			}
			from = r.Seq + 1
		}
	}
}

func (l *Log) position(from int64) int64 {
	if from < 0 {
		from += l.State().LastSeq + 1
	}
	return max(from, 1)
}

// read returns records with the content of their blobs in place. It lets no
// hole in the log pass for its end.
func (l *Log) read(ctx context.Context, from int64, limit int) ([]Record, error) {
	if limit <= 0 {
		return nil, nil
	}
	last := l.State().LastSeq
	records, err := l.cfg.Store.Read(ctx, l.id, from, min(limit, pageRecords))
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
		if len(r.Data) == 0 || r.Data[0] != '{' || r.Data[len(r.Data)-1] != '}' {
			return nil, l.damaged(r.Seq, fmt.Errorf("its %d bytes are no JSON object", len(r.Data)))
		}
		if blob, at, ok := spilled(r.Data); ok {
			content, err := l.cfg.Store.Blob(ctx, l.id, blob.SHA256)
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
