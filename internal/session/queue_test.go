package session_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/internal/session"
)

func TestQueueDoesEachItemOnceAndInOrder(t *testing.T) {
	const callers, each = 16, 200
	var q session.Queue[[2]int]
	var done [][2]int // only the leader touches it: the race detector checks
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for n := range each {
				q.Do([2]int{c, n},
					func(waiting [][2]int) int { return min(len(waiting), 3) },
					func(group [][2]int) { done = append(done, group...) })
			}
		})
	}
	wg.Wait()
	if len(done) != callers*each {
		t.Fatalf("%d items were done, want %d", len(done), callers*each)
	}
	for c := range callers {
		next := 0
		for _, item := range done {
			if item[0] == c && item[1] != next {
				t.Fatalf("caller %d: item %d was done before item %d", c, item[1], next)
			} else if item[0] == c {
				next++
			}
		}
	}
}

func TestQueueDoesWhatWaitsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q session.Queue[int]
		all := func(waiting []int) int { return len(waiting) }
		hold := make(chan bool)
		go q.Do(0, all, func([]int) { <-hold })
		synctest.Wait()
		var groups [][]int
		for i := range 3 {
			go q.Do(i, all, func(g []int) { groups = append(groups, slices.Clone(g)) })
			synctest.Wait()
		}
		hold <- true
		synctest.Wait()
		if d := cmp.Diff([][]int{{0, 1, 2}}, groups); d != "" {
			t.Errorf("what waited was done in groups (-want +got):\n%s", d)
		}
	})
}
