package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"agsh.dev/kernel"
)

var errCore = errors.New("core failed")

// say returns a function that appends word to what it gets.
func say(word string) kernel.Func[string] {
	return func(_ context.Context, v string) (string, error) { return v + word + " ", nil }
}

func full(name string, priority int) kernel.Advice[string] {
	return kernel.Advice[string]{
		Name: name, Priority: priority, Before: say("b:" + name), After: say("a:" + name),
		Around: func(ctx context.Context, v string, next kernel.Func[string]) (string, error) {
			v, err := next(ctx, v+"("+name+" ")
			return v + name + ") ", err
		},
	}
}

func advise[T any](t testing.TB, p *kernel.Point[T], a kernel.Advice[T]) func() {
	t.Helper()
	remove, err := p.Advise(a)
	if err != nil {
		t.Fatal(err)
	}
	return remove
}

func TestAdviceIsAppliedByPriorityAndNameWhateverItsTurn(t *testing.T) {
	const want = "b:z (z b:a (a b:b (b core b) a:b a) a:a z) a:z "
	advice := []kernel.Advice[string]{full("a", 1), full("b", 1), full("z", 2)}
	for range 20 {
		rand.Shuffle(len(advice), func(i, j int) { advice[i], advice[j] = advice[j], advice[i] })
		p := kernel.Define("p", say("core"), nil)
		for _, a := range advice {
			advise(t, p, a)
		}
		if got, err := p.Call(t.Context(), ""); got != want || err != nil {
			t.Fatalf("got %q (%v), want %q", got, err, want)
		}
	}
}

// TestAnyPointIsTheNestingOfItsAdvice holds calls against a model, after any
// advising and removing.
func TestAnyPointIsTheNestingOfItsAdvice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := kernel.Define("p", say("core"), nil)
	type entry struct {
		name     string
		priority int
		remove   func()
	}
	var there []entry
	for i := range 300 {
		if len(there) > 0 && r.IntN(3) == 0 {
			at := r.IntN(len(there))
			there[at].remove()
			there[at].remove() // does nothing
			there = slices.Delete(there, at, at+1)
		} else {
			e := entry{name: fmt.Sprint("n", i), priority: r.IntN(4)}
			e.remove = advise(t, p, kernel.Advice[string]{Name: e.name, Priority: e.priority, Before: say(e.name)})
			there = append(there, e)
		}
		slices.SortFunc(there, func(a, b entry) int {
			if a.priority != b.priority {
				return b.priority - a.priority
			}
			return strings.Compare(a.name, b.name)
		})
		want := ""
		for _, e := range there {
			want += e.name + " "
		}
		if got, err := p.Call(t.Context(), ""); got != want+"core " || err != nil {
			t.Fatalf("got %q (%v), want %q", got, err, want)
		}
	}
}

func TestFailuresNameWhoFailedAndAreTold(t *testing.T) {
	bad := errors.New("bad")
	fails := func(context.Context, string) (string, error) { return "", bad }
	panics := func(context.Context, string) (string, error) { panic(bad) }
	around := func(err error) func(context.Context, string, kernel.Func[string]) (string, error) {
		return func(ctx context.Context, v string, next kernel.Func[string]) (string, error) {
			v, inner := next(ctx, v)
			if err == nil {
				return v, inner
			}
			return v, fmt.Errorf("%w: %w", err, inner)
		}
	}
	handles := func(ctx context.Context, v string, next kernel.Func[string]) (string, error) {
		if _, err := next(ctx, v); err == nil {
			return "", errors.New("nothing to handle")
		}
		return "handled", nil
	}
	for _, tt := range []struct {
		name   string
		core   kernel.Func[string]
		advice []kernel.Advice[string]
		want   string // the error
		told   string
	}{
		{"core", func(context.Context, string) (string, error) { return "", errCore }, []kernel.Advice[string]{{Name: "a", Around: around(nil)}, full("b", 0)}, "core failed", ""},
		{"core panics", panics, []kernel.Advice[string]{{Name: "a", Around: around(nil)}}, "p panicked: bad", "p panicked: bad"},
		{"before", say(""), []kernel.Advice[string]{{Name: "a", Around: around(nil)}, {Name: "b", Before: fails}}, "p: b: bad", "p: b: bad"},
		{"after", say(""), []kernel.Advice[string]{{Name: "a", Around: around(nil)}, {Name: "b", After: fails}}, "p: b: bad", "p: b: bad"},
		{"around", fails, []kernel.Advice[string]{{Name: "a", Around: around(errCore)}}, "p: a: core failed: bad", "p: a: core failed: bad"},
		{"panic", say(""), []kernel.Advice[string]{{Name: "a", Around: around(nil)}, {Name: "b", Before: panics}}, "p: b panicked: bad", "p: b panicked: bad"},
		{"handled", say(""), []kernel.Advice[string]{{Name: "a", Around: handles}, {Name: "b", After: panics}}, "<nil>", "p: b panicked: bad"},
		{"wrapped", say(""), []kernel.Advice[string]{{Name: "a", Around: around(errCore)}, {Name: "b", Before: fails}}, "p: a: core failed: p: b: bad", "p: b: bad; p: a: core failed: p: b: bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			p := kernel.Define("p", tt.core, func(_ context.Context, err *kernel.Error) {
				told = append(told, err.Error())
				if err.Panic != nil && !strings.Contains(string(err.Stack), "point_test.go") {
					t.Errorf("the stack does not lead here:\n%s", err.Stack)
				}
			})
			for _, a := range tt.advice {
				advise(t, p, a)
			}
			_, err := p.Call(t.Context(), "")
			if fmt.Sprint(err) != tt.want || strings.Join(told, "; ") != tt.told {
				t.Errorf("got %v, told %q; want %s, told %q", err, told, tt.want, tt.told)
			}
			if err != nil && !errors.Is(err, bad) && !errors.Is(err, errCore) {
				t.Errorf("%v hides its cause", err)
			}
			if tt.name == "core" && err != errCore {
				t.Errorf("the error of the core function came as %#v", err)
			}
		})
	}
}

// TestANestedCallIsTheAdvicesOwn: an error of another point is that of the
// advice which called it.
func TestANestedCallIsTheAdvicesOwn(t *testing.T) {
	other := kernel.Define("other", func(context.Context, string) (string, error) { panic("x") }, nil)
	p := kernel.Define("p", say("core"), nil)
	advise(t, p, kernel.Advice[string]{Name: "a", Around: func(ctx context.Context, v string, _ kernel.Func[string]) (string, error) {
		return other.Call(ctx, v)
	}})
	if _, err := p.Call(t.Context(), ""); err == nil || err.Error() != "p: a: other panicked: x" {
		t.Errorf("got %v", err)
	}
}

func TestAroundMayLeaveOutOrRepeatWhatIsInside(t *testing.T) {
	for n, want := range []string{"", "core ", "core core ", "core core core "} {
		p := kernel.Define("p", say("core"), nil)
		advise(t, p, kernel.Advice[string]{Name: "a", Around: func(ctx context.Context, v string, next kernel.Func[string]) (_ string, err error) {
			for range n {
				if v, err = next(ctx, v); err != nil {
					break
				}
			}
			return v, err
		}})
		if got, err := p.Call(t.Context(), ""); got != want || err != nil {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	}
	if got, err := kernel.Define[int]("p", nil, nil).Call(t.Context(), 7); got != 7 || err != nil {
		t.Errorf("without a core function: %d, %v", got, err)
	}
}

func TestAdviceThatCannotBeToldApartIsRefused(t *testing.T) {
	p := kernel.Define("p", say("core"), nil)
	remove := advise(t, p, full("a", 0))
	for _, a := range []kernel.Advice[string]{full("a", 1), full("", 0), {Name: "b"}} {
		if _, err := p.Advise(a); err == nil {
			t.Errorf("advice %q was taken", a.Name)
		}
	}
	remove()
	advise(t, p, full("a", 1))
	remove() // belongs to the first one
	if got, _ := p.Call(t.Context(), ""); !strings.Contains(got, "a)") {
		t.Errorf("the second advice is gone: %q", got)
	}
}

// TestCallsGoOnWhileAdviceComesAndGoes: a call sees one set of advice, whole.
func TestCallsGoOnWhileAdviceComesAndGoes(t *testing.T) {
	p := kernel.Define("p", func(_ context.Context, v int) (int, error) { return v, nil }, nil)
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 200 {
				remove, err := p.Advise(kernel.Advice[int]{
					Name:   fmt.Sprint("a", i),
					Before: func(_ context.Context, v int) (int, error) { return v + 1, nil },
					After:  func(_ context.Context, v int) (int, error) { return v - 1, nil },
				})
				if err != nil {
					t.Error(err)
					return
				}
				remove()
			}
		})
		wg.Go(func() {
			for range 500 {
				if got, err := p.Call(ctx, 5); got != 5 || err != nil {
					t.Errorf("got %d (%v)", got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCall(b *testing.B) {
	for _, n := range []int{0, 1, 5} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			p := kernel.Define("p", func(_ context.Context, v int) (int, error) { return v, nil }, nil)
			for i := range n {
				advise(b, p, kernel.Advice[int]{Name: fmt.Sprint(i), Around: func(ctx context.Context, v int, next kernel.Func[int]) (int, error) { return next(ctx, v) }})
			}
			ctx := context.Background()
			for b.Loop() {
				if _, err := p.Call(ctx, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
