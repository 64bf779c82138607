package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"agsh.dev/event"
)

// Config is what a [Log] works with.
type Config struct {
	Store Store
	// Now is the clock of events; nil means time.Now.
	Now func() time.Time
	// NewID returns a new id: the prefix and letters and digits that nobody
	// can guess. Nil means one from crypto/rand.
	NewID func(prefix string) string
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func(prefix string) string { return prefix + rand.Text() }
	}
	return c
}

// A Log appends to one session and reads it. It must be the only one of its
// session that appends; many goroutines may use it at once.
//
// Appends that meet while a commit is under way share the next one.
type Log struct {
	cfg Config
	id  string

	queue Queue[*entry]
	stale bool // a commit ended badly: the store knows the state; for commit only

	mu    sync.Mutex // guards state
	state State      // of the last commit
}

// An entry is one call of Append or Delete in the queue.
type entry struct {
	events []event.Event // with Seq, ID and At once staged
	delete bool
	err    error // events and it are final when the queue is done with the entry
}

// maxGroup is the most events one commit takes from the queue, however many
// wait, unless the first call alone has more.
const maxGroup = 1024

// Create starts the session id with session.started, caused by by, and more
// events behind it, in one commit. A session that is there already is a
// [*ConflictError].
func Create(ctx context.Context, cfg Config, id, by string, started event.SessionStarted, more ...event.Event) (*Log, error) {
	l := &Log{cfg: cfg.withDefaults(), id: id, state: State{Session: id}}
	events := append([]event.Event{{By: by, Data: started}}, more...)
	if _, err := l.Append(ctx, events...); err != nil {
		return nil, fmt.Errorf("create session %s: %w", id, err)
	}
	return l, nil
}

// Open returns the log of a stored session, or [ErrNotFound]. It reads the
// session's row and folds nothing. The log of a deleted session can be read
// but not appended to.
func Open(ctx context.Context, cfg Config, id string) (*Log, error) {
	l := &Log{cfg: cfg.withDefaults(), id: id}
	state, err := l.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	l.state = state
	return l, nil
}

// ID is the session's.
func (l *Log) ID() string { return l.id }

// State returns what the stored events add up to.
func (l *Log) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// Stored returns the state as the store has it. Right after a commit it is
// ahead of [Log.State] for a moment, in which readers may see the new events.
func (l *Log) Stored(ctx context.Context) (State, error) { return l.load(ctx) }

// Append stores events, all or none, next to each other and in order, and
// returns them with Seq, ID and At set. When it returns they are durable and
// visible. Events that the session's state refuses are an error that stores
// none of this call's events and touches no other call. After ctx has ended
// nothing is queued, but what was queued before is not abandoned: Append
// returns when its outcome is known.
func (l *Log) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	for _, e := range events {
		if _, ok := e.Data.(event.SessionDeleted); ok {
			return nil, fmt.Errorf("append to session %s: session.deleted is written by Delete", l.id)
		}
	}
	en := &entry{events: slices.Clone(events)}
	if err := l.submit(ctx, en); err != nil {
		return nil, err
	}
	return en.events, nil
}

// Delete replaces everything the session held by a session.deleted event,
// caused by by. Of a deleted session it returns [ErrDeleted].
func (l *Log) Delete(ctx context.Context, by string) error {
	return l.submit(ctx, &entry{
		events: []event.Event{{By: by, Data: event.SessionDeleted{}}},
		delete: true,
	})
}

// submit returns when en is final.
func (l *Log) submit(ctx context.Context, en *entry) error {
	if ctx.Err() != nil {
		return fmt.Errorf("append to session %s: %w", l.id, context.Cause(ctx))
	}
	l.queue.Do(en, take, func(group []*entry) { l.commit(context.WithoutCancel(ctx), group) })
	return en.err
}

// take returns how many of the calls that wait one batch can hold. A delete is
// alone, so that it purges what came before it and nothing else.
func take(waiting []*entry) int {
	n, events := 1, len(waiting[0].events)
	for n < len(waiting) && !waiting[0].delete && !waiting[n].delete {
		if events += len(waiting[n].events); events > maxGroup {
			break
		}
		n++
	}
	return n
}

// commit stores the calls of group as one batch.
func (l *Log) commit(ctx context.Context, group []*entry) {
	state, err := l.State(), error(nil)
	if l.stale {
		state, err = l.load(ctx)
	}
	if err == nil {
		state, err = l.store(ctx, state, group)
	}
	l.stale = err != nil
	if err != nil {
		err = fmt.Errorf("append to session %s: %w", l.id, err)
		for _, en := range group {
			if en.err == nil {
				en.err = err
			}
		}
		// What a failed append left behind only the store knows. If it does
		// not answer now, the next commit asks again.
		if state, err = l.load(ctx); err != nil {
			return
		}
		l.stale = false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

// store appends the events of group that state accepts and returns the state
// after them. The calls whose events are refused get their own error.
func (l *Log) store(ctx context.Context, state State, group []*entry) (State, error) {
	b := Batch{Session: l.id, Expect: state.LastSeq, Purge: group[0].delete}
	for _, en := range group {
		state, en.err = l.stage(&b, state, en.events)
	}
	if len(b.Records) == 0 {
		return state, nil
	}
	row, err := state.Row()
	if err != nil {
		return state, err
	}
	b.Row = row
	return state, l.cfg.Store.Append(ctx, b)
}

// stage adds events to b, or none of them, and returns the state after them.
func (l *Log) stage(b *Batch, state State, events []event.Event) (State, error) {
	next, records := state, b.Records
	var blobs map[string][]byte
	at := l.cfg.Now().UTC().Truncate(time.Millisecond)
	for i := range events {
		e := &events[i]
		e.V, e.Seq, e.ID, e.At = event.Version, next.LastSeq+1, l.cfg.NewID("evt_"), at
		if err := next.Apply(*e); err != nil {
			return state, err
		}
		record, blob, content, err := encode(*e)
		if err != nil {
			return state, fmt.Errorf("session %s: %w", l.id, err)
		}
		if content != nil {
			if blobs == nil {
				blobs = make(map[string][]byte)
			}
			blobs[blob.SHA256] = content
		}
		records = append(records, Record{Seq: e.Seq, Data: record})
	}
	b.Records = records
	if b.Blobs == nil {
		b.Blobs = blobs
	} else {
		maps.Copy(b.Blobs, blobs)
	}
	return next, nil
}

func (l *Log) load(ctx context.Context) (State, error) {
	row, err := l.cfg.Store.Get(ctx, l.id)
	if err != nil {
		return State{}, err
	}
	return FromRow(row)
}
