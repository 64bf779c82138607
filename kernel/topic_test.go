package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agsh.dev/kernel"
)

func subscribe[T any](t testing.TB, topic *kernel.Topic[T], s kernel.Subscriber[T]) *kernel.Subscription {
	t.Helper()
	sub, err := topic.Subscribe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

func publish(t testing.TB, topic *kernel.Topic[int], values ...int) {
	t.Helper()
	for _, v := range values {
		if err := topic.Publish(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEverySubscriberGetsEverythingInOrder(t *testing.T) {
	topic := kernel.NewTopic[[2]int]("t", nil)
	const publishers, subscribers, values = 3, 4, 200
	got := make([][][2]int, subscribers)
	for i := range subscribers {
		subscribe(t, topic, kernel.Subscriber[[2]int]{
			Queue: i + 1, Handle: func(_ context.Context, v [2]int) { got[i] = append(got[i], v) },
		})
	}
	ctx := t.Context()
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			for i := range values {
				if err := topic.Publish(ctx, [2]int{p, i}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	topic.Close() // the handlers have had all
	for i := range got {
		next := [publishers]int{}
		for _, v := range got[i] {
			if v[1] != next[v[0]] {
				t.Fatalf("subscriber %d got %d of publisher %d, want %d", i, v[1], v[0], next[v[0]])
			}
			next[v[0]]++
		}
		if len(got[i]) != publishers*values {
			t.Errorf("subscriber %d got %d values", i, len(got[i]))
		}
	}
}

func TestAFullQueueFollowsItsPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		topic := kernel.NewTopic[int]("t", nil)
		release := make(chan struct{})
		var slow, lossy, quick []int
		subscribe(t, topic, kernel.Subscriber[int]{Name: "slow", Queue: 1, Handle: func(_ context.Context, v int) { <-release; slow = append(slow, v) }})
		dropping := subscribe(t, topic, kernel.Subscriber[int]{
			Name: "lossy", Queue: 2, Full: kernel.DropOldest, Handle: func(_ context.Context, v int) { <-release; lossy = append(lossy, v) },
		})
		subscribe(t, topic, kernel.Subscriber[int]{Name: "quick", Handle: func(_ context.Context, v int) { quick = append(quick, v) }})
		publish(t, topic, 1)
		synctest.Wait() // both hold 1
		publish(t, topic, 2)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := topic.Publish(ctx, 3)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "publish to t: the queue of slow is full: context deadline exceeded" {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("publishing blocked for %v", took)
		}
		if err := topic.Publish(ctx, 4); err == nil {
			t.Error("a queue without room took a value")
		}
		synctest.Wait()
		if want := []int{1, 2, 3, 4}; !slices.Equal(quick, want) {
			t.Errorf("one that is quick got %v, want %v", quick, want)
		}
		close(release)
		topic.Close()
		if want := []int{1, 2}; !slices.Equal(slow, want) {
			t.Errorf("one that blocks got %v, want %v", slow, want)
		}
		if want := []int{1, 3, 4}; !slices.Equal(lossy, want) || dropping.Dropped() != 1 {
			t.Errorf("one that drops got %v and dropped %d, want %v and 1", lossy, dropping.Dropped(), want)
		}
	})
}

func TestUnsubscribeWaitsForTheHandlerAndDropsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		topic := kernel.NewTopic[int]("t", nil)
		defer topic.Close()
		var got []int
		ended := false
		sub := subscribe(t, topic, kernel.Subscriber[int]{Queue: 4, Handle: func(ctx context.Context, v int) {
			got = append(got, v)
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
		}})
		publish(t, topic, 1, 2, 3)
		synctest.Wait()
		sub.Unsubscribe()
		if !ended {
			t.Error("the handler still runs")
		}
		sub.Unsubscribe()
		publish(t, topic, 4)
		synctest.Wait()
		if !slices.Equal(got, []int{1}) {
			t.Errorf("got %v after unsubscribing", got)
		}
	})
}

func TestPublishingGoesOnWhenTheOneItWaitsForLeaves(t *testing.T) {
	for name, leave := range map[string]func(topic *kernel.Topic[int], sub *kernel.Subscription, cancel func()){
		"unsubscribed": func(_ *kernel.Topic[int], sub *kernel.Subscription, _ func()) { sub.Unsubscribe() },
		"cancelled":    func(_ *kernel.Topic[int], _ *kernel.Subscription, cancel func()) { cancel() },
		"closed":       func(topic *kernel.Topic[int], _ *kernel.Subscription, cancel func()) { go cancel(); topic.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				topic := kernel.NewTopic[int]("t", nil)
				defer topic.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				sub, err := topic.Subscribe(ctx, kernel.Subscriber[int]{Name: "s", Queue: 1, Handle: func(ctx context.Context, _ int) { <-ctx.Done() }})
				if err != nil {
					t.Fatal(err)
				}
				publish(t, topic, 1)
				synctest.Wait()
				publish(t, topic, 2)
				done := make(chan error, 1)
				go func() { done <- topic.Publish(context.WithoutCancel(ctx), 3) }()
				synctest.Wait()
				leave(topic, sub, cancel)
				if err := <-done; err != nil && !errors.Is(err, kernel.ErrClosed) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestAClosedTopicTakesNothing(t *testing.T) {
	topic := kernel.NewTopic[int]("t", nil)
	topic.Close()
	topic.Close()
	if err := topic.Publish(t.Context(), 1); !errors.Is(err, kernel.ErrClosed) {
		t.Errorf("publish: %v", err)
	}
	if _, err := topic.Subscribe(t.Context(), kernel.Subscriber[int]{Handle: func(context.Context, int) {}}); !errors.Is(err, kernel.ErrClosed) {
		t.Errorf("subscribe: %v", err)
	}
	open := kernel.NewTopic[int]("t", nil)
	defer open.Close()
	for _, s := range []kernel.Subscriber[int]{{}, {Handle: func(context.Context, int) {}, Queue: -1}} {
		if _, err := open.Subscribe(t.Context(), s); err == nil {
			t.Errorf("%+v was taken", s.Queue)
		}
	}
}

func TestAHandlerThatPanicsIsNamedAndGetsTheNextValue(t *testing.T) {
	var told []string
	topic := kernel.NewTopic[int]("t", func(_ context.Context, err *kernel.Error) { told = append(told, err.Error()) })
	var got []int
	subscribe(t, topic, kernel.Subscriber[int]{Name: "s", Handle: func(_ context.Context, v int) {
		if v == 1 {
			panic("one")
		}
		got = append(got, v)
	}})
	publish(t, topic, 1, 2)
	topic.Close()
	if !slices.Equal(told, []string{"t: s panicked: one"}) || !slices.Equal(got, []int{2}) {
		t.Errorf("told %q, got %v", told, got)
	}
}

// TestSubscribersComeAndGoWhileOthersPublish is for the race detector: nothing
// hangs, and what a subscription dropped and got was published.
func TestSubscribersComeAndGoWhileOthersPublish(t *testing.T) {
	topic := kernel.NewTopic[int]("t", nil)
	ctx := t.Context()
	var wg sync.WaitGroup
	for p := range 3 {
		wg.Go(func() {
			for i := range 300 {
				if err := topic.Publish(ctx, i); err != nil && !errors.Is(err, kernel.ErrClosed) {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 50 {
				var n int64
				sub, err := topic.Subscribe(ctx, kernel.Subscriber[int]{Queue: 1, Full: kernel.Policy(p % 2), Handle: func(context.Context, int) { n++ }})
				if errors.Is(err, kernel.ErrClosed) {
					return
				}
				sub.Unsubscribe()
				if n+sub.Dropped() > 900 {
					t.Errorf("%d and %d of 900", n, sub.Dropped())
				}
			}
		})
	}
	wg.Go(topic.Close)
	wg.Wait()
}

func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1, 100} {
		for policy, name := range map[kernel.Policy]string{kernel.Block: "block", kernel.DropOldest: "drop"} {
			b.Run(fmt.Sprint(n, "/", name), func(b *testing.B) {
				b.ReportAllocs()
				topic := kernel.NewTopic[int]("t", nil)
				defer topic.Close()
				for range n {
					subscribe(b, topic, kernel.Subscriber[int]{Full: policy, Handle: func(context.Context, int) {}})
				}
				ctx := context.Background()
				for b.Loop() {
					if err := topic.Publish(ctx, 1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
