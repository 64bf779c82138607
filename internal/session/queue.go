package session

import (
	"runtime"
	"sync"
)

// A Queue lets calls that meet share one piece of work, such as a commit.
// While it is done for some, others queue up; one of them is woken to do it
// for all of those. So nobody waits for more to come, and no goroutine is
// needed besides those that call. The zero value is ready; it is safe for
// concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex // guards what follows, but for the group of the one who leads
	waiting []place[T]
	led     bool // someone does the work or was told to
	// For reuse, so that a queue that moves allocates little.
	group []T
	spare []place[T]
}

// A place is one call that waits.
type place[T any] struct {
	item T
	lead chan bool // true: do the work; false: it was done
}

// Do returns when work was done for item: in this goroutine, or in that of a
// call which did it for both. Work gets the items of all calls it is done for,
// in the order they came in, and is never done twice at once; it must not keep
// the slice. Take says how many of those that wait it can do at once, at
// least one.
func (q *Queue[T]) Do(item T, take func([]T) int, work func([]T)) {
	q.mu.Lock()
	if q.led {
		lead := make(chan bool, 1)
		q.waiting = append(q.waiting, place[T]{item, lead})
		q.mu.Unlock()
		if !<-lead {
			return
		}
		// Those who were let go just now may be about to come back, and join.
		runtime.Gosched()
		q.mu.Lock()
	} else {
		q.led = true
		q.waiting = append(q.waiting, place[T]{item: item})
	}
	for _, p := range q.waiting {
		q.group = append(q.group, p.item)
	}
	n := take(q.group)
	taken := q.waiting
	q.waiting = append(q.spare, taken[n:]...)
	q.mu.Unlock()

	work(q.group[:n])

	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range taken[1:n] {
		p.lead <- false
	}
	q.led = len(q.waiting) > 0
	if q.led {
		q.waiting[0].lead <- true
	}
	clear(q.group)
	clear(taken)
	q.group, q.spare = q.group[:0], taken[:0]
}
