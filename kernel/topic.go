package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Policy says what publishing does when a subscriber's queue is full.
type Policy int

// The policies of a queue.
const (
	// Block waits for room, at most until the context of the publisher ends.
	Block Policy = iota
	// DropOldest gives up what has waited longest, and counts it.
	DropOldest
)

// A Subscriber gets what is published.
type Subscriber[T any] struct {
	// Name says in errors who it is.
	Name string
	// Handle is called with one value after the other. Its context ends with
	// the subscription.
	Handle func(ctx context.Context, v T)
	// Queue is how many values may wait; 0 means 64.
	Queue int
	// Full is what happens when more would have to.
	Full Policy
}

// ErrClosed is returned for a topic after Close.
var ErrClosed = errors.New("topic is closed")

// A Topic passes values on to its subscribers. All its methods are safe for
// concurrent use. A handler must not call Close or its own Unsubscribe: both
// wait for it.
type Topic[T any] struct {
	name   string
	report func(context.Context, *Error)

	mu         sync.Mutex
	closing    chan struct{} // closed by Close
	closed     bool
	publishing sync.WaitGroup // Add only under mu while not closed
	subs       []*subscriber[T]
	running    sync.WaitGroup // the goroutines of subscriptions; Add as above
}

type subscriber[T any] struct {
	Subscriber[T]
	*Subscription
	queue chan T
	full  sync.Mutex // held by who makes room in queue
}

// A Subscription is one subscriber's place in a topic.
type Subscription struct {
	done    <-chan struct{} // it ends
	cancel  context.CancelFunc
	ended   chan struct{} // it has ended
	dropped atomic.Int64
}

// NewTopic returns a topic without subscribers. The name is for errors.
//
// Report is told of every panic of a handler, which then gets the next value.
// If it is nil, a panic ends the program, as in any goroutine.
func NewTopic[T any](name string, report func(context.Context, *Error)) *Topic[T] {
	return &Topic[T]{name: name, report: report, closing: make(chan struct{})}
}

// Subscribe adds a subscriber, which gets all that is published from now on,
// in a goroutine of its own, until it is unsubscribed, ctx ends or the topic
// closes. Unsubscribe and Close wait for that goroutine.
//
// What one publisher publishes arrives in that order. Values of concurrent
// publishers may reach two subscribers in different orders.
func (t *Topic[T]) Subscribe(ctx context.Context, s Subscriber[T]) (*Subscription, error) {
	if s.Handle == nil || s.Queue < 0 {
		return nil, fmt.Errorf("subscribe %q to %s: it needs a handler, and a queue that is not below 0", s.Name, t.name)
	}
	if s.Queue == 0 {
		s.Queue = 64
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, fmt.Errorf("subscribe %q to %s: %w", s.Name, t.name, ErrClosed)
	}
	ctx, cancel := context.WithCancel(ctx)
	sub := &subscriber[T]{
		Subscriber: s, queue: make(chan T, s.Queue),
		Subscription: &Subscription{done: ctx.Done(), cancel: cancel, ended: make(chan struct{})},
	}
	t.subs = append(slices.Clip(t.subs), sub) // publishers may be reading the old slice
	t.running.Go(func() { t.run(ctx, sub) })
	return sub.Subscription, nil
}

// Unsubscribe ends the subscription and waits for the handler if it runs.
// Values in the queue are dropped without being counted. It may be called
// again.
func (s *Subscription) Unsubscribe() {
	s.cancel()
	<-s.ended
}

// Dropped is how many values were given up because the queue was full.
func (s *Subscription) Dropped() int64 { return s.dropped.Load() }

// run hands sub its values until it ends.
func (t *Topic[T]) run(ctx context.Context, sub *subscriber[T]) {
	defer close(sub.ended)
	defer sub.cancel()
	defer t.leave(sub)
	for {
		select {
		case <-sub.done:
			return
		case v, ok := <-sub.queue:
			if !ok || ctx.Err() != nil { // select may take a value though done
				return
			}
			t.handle(ctx, sub, v)
		}
	}
}

func (t *Topic[T]) handle(ctx context.Context, sub *subscriber[T], v T) {
	if t.report != nil {
		defer func() {
			if r := recover(); r != nil {
				t.report(ctx, panicked(t.name, sub.Name, r))
			}
		}()
	}
	sub.Handle(ctx, v)
}

func (t *Topic[T]) leave(sub *subscriber[T]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs = slices.DeleteFunc(slices.Clone(t.subs), func(s *subscriber[T]) bool { return s == sub })
}

// Publish puts v into the queue of every subscriber. It blocks only while the
// queue of one with the policy [Block] is full, and not behind it: the others
// have v by then. If ctx ends first, the error names who did not get v.
func (t *Topic[T]) Publish(ctx context.Context, v T) error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return fmt.Errorf("publish to %s: %w", t.name, ErrClosed)
	}
	t.publishing.Add(1)
	subs := t.subs
	t.mu.Unlock()
	defer t.publishing.Done()

	var full []*subscriber[T]
	for _, sub := range subs {
		if !sub.offer(v) {
			full = append(full, sub)
		}
	}
	var missed []string
	var cause error
	for _, sub := range full {
		select {
		case sub.queue <- v:
		case <-sub.done:
		case <-ctx.Done():
			missed, cause = append(missed, sub.Name), context.Cause(ctx)
		case <-t.closing:
			missed, cause = append(missed, sub.Name), ErrClosed
		}
	}
	if cause != nil {
		return fmt.Errorf("publish to %s: the queue of %s is full: %w", t.name, strings.Join(missed, ", "), cause)
	}
	return nil
}

// offer queues v, or reports that it would have to wait.
func (s *subscriber[T]) offer(v T) bool {
	select {
	case s.queue <- v:
		return true
	default:
	}
	if s.Full == Block {
		return false
	}
	s.full.Lock()
	defer s.full.Unlock()
	for {
		select {
		case s.queue <- v:
			return true
		default:
		}
		select {
		case <-s.queue:
			s.dropped.Add(1)
		default: // the handler made room
		}
	}
}

// Close ends the topic: publishing that blocks returns [ErrClosed], and so
// does every later call. It returns when the handlers have had all that was
// queued. It may be called again.
func (t *Topic[T]) Close() {
	t.mu.Lock()
	first := !t.closed
	t.closed = true
	subs := t.subs
	t.mu.Unlock()
	if first {
		close(t.closing)
		t.publishing.Wait()
		for _, sub := range subs {
			close(sub.queue)
		}
	}
	t.running.Wait()
}
