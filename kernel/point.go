package kernel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// A Func turns a value into the next. It must not keep v.
type Func[T any] func(ctx context.Context, v T) (T, error)

// Advice takes part in the calls of a [Point]. At least one of its functions
// is set.
type Advice[T any] struct {
	// Name says in errors who failed. No two advices of a point share one.
	Name string
	// Priority orders the advice of a point: a higher one is further outside.
	// Among equals the name decides, the smaller one outside, so that the
	// order does not depend on who came first.
	Priority int
	// Before changes what goes in. An error ends the call before the core
	// function.
	Before Func[T]
	// Around runs in place of all that is inside, which next is: it may call
	// next never, once or again. It must not use next after it has returned.
	// An error of next that it does not return is handled.
	Around func(ctx context.Context, v T, next Func[T]) (T, error)
	// After changes what comes out of all that is inside, if that is no error.
	After Func[T]
}

// A Point is a core function that others may advise. All its methods are safe
// for concurrent use, also from within advice.
//
// Of two advices the outer one sees a value first on its way in and last on
// its way out; within one, Before runs first, then Around, then After.
type Point[T any] struct {
	name   string
	core   Func[T]
	report func(context.Context, *Error)

	mu     sync.Mutex // for who changes advice
	advice []Advice[T]
	// call is core with all advice around it. A call uses the one it finds.
	call atomic.Pointer[Func[T]]
}

// Define returns a point without advice. The name is for errors. A nil core
// returns its value as it is.
//
// Report, if not nil, is told of every failure of advice and of every panic
// at once, also of those that advice further outside then handles. It may be
// called from several goroutines.
func Define[T any](name string, core Func[T], report func(context.Context, *Error)) *Point[T] {
	p := &Point[T]{name: name, core: core, report: report}
	p.compose()
	return p
}

// Call runs the core function inside all advice there is when it begins. An
// error of the core function is returned as it is, unless advice made it one
// of its own. A failure of advice is an [*Error], and so is a panic, of the
// core function too: Call itself does not panic.
func (p *Point[T]) Call(ctx context.Context, v T) (T, error) {
	v, err := (*p.call.Load())(ctx, v)
	if passing, ok := err.(*coreError); ok { //nolint:errorlint // what advice wrapped is its own error
		err = passing.error
	}
	return v, err
}

// Advise adds advice and returns what removes it. After remove has returned no
// call begins with it; those under way go on. Calling remove again does
// nothing.
func (p *Point[T]) Advise(a Advice[T]) (remove func(), err error) {
	if a.Name == "" || a.Before == nil && a.Around == nil && a.After == nil {
		return nil, fmt.Errorf("advise %s: advice %q needs a name and something to do", p.name, a.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.advice, func(b Advice[T]) bool { return a.Name == b.Name }) {
		return nil, fmt.Errorf("advise %s: there is advice %q already; remove it first", p.name, a.Name)
	}
	p.advice = append(p.advice, a)
	slices.SortFunc(p.advice, func(a, b Advice[T]) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	p.compose()
	return sync.OnceFunc(func() { p.remove(a.Name) }), nil
}

func (p *Point[T]) remove(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advice = slices.DeleteFunc(p.advice, func(a Advice[T]) bool { return a.Name == name })
	p.compose()
}

// compose makes call anew.
func (p *Point[T]) compose() {
	call := p.innermost()
	for _, a := range slices.Backward(p.advice) {
		call = p.layer(a, call)
	}
	p.call.Store(&call)
}

// A coreError is an error of the core function on its way out. It tells such
// an error, passed on, from one of the advice that returns it.
type coreError struct{ error }

func (e *coreError) Unwrap() error { return e.error }

// innermost is the core function with its errors marked and its panics caught.
func (p *Point[T]) innermost() Func[T] {
	return func(ctx context.Context, v T) (out T, err error) {
		if p.core == nil {
			return v, nil
		}
		defer func() {
			if r := recover(); r != nil {
				err = p.failed(ctx, panicked(p.name, "", r))
			}
		}()
		out, err = p.core(ctx, v)
		if err != nil {
			err = &coreError{err}
		}
		return out, err
	}
}

// layer is one advice around next.
func (p *Point[T]) layer(a Advice[T], next Func[T]) Func[T] {
	return func(ctx context.Context, v T) (out T, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = p.failed(ctx, panicked(p.name, a.Name, r))
			}
		}()
		if a.Before != nil {
			if v, err = a.Before(ctx, v); err != nil {
				return v, p.failed(ctx, &Error{In: p.name, Name: a.Name, Err: err})
			}
		}
		if a.Around == nil {
			v, err = next(ctx, v)
		} else if v, err = a.Around(ctx, v, next); err != nil && !p.passing(err) {
			err = p.failed(ctx, &Error{In: p.name, Name: a.Name, Err: err})
		}
		if err != nil || a.After == nil {
			return v, err
		}
		if v, err = a.After(ctx, v); err != nil {
			return v, p.failed(ctx, &Error{In: p.name, Name: a.Name, Err: err})
		}
		return v, nil
	}
}

// failed marks err as a failure in this point and tells of it.
func (p *Point[T]) failed(ctx context.Context, err *Error) error {
	err.at = p
	if p.report != nil {
		p.report(ctx, err)
	}
	return err
}

// passing reports whether err comes from further inside, unchanged.
func (p *Point[T]) passing(err error) bool {
	switch err := err.(type) { //nolint:errorlint // what advice wrapped is its own error
	case *coreError:
		return true
	case *Error:
		return err.at == p
	}
	return false
}
