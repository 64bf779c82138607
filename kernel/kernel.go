// Package kernel lets parts of a program take part in what others do, without
// either knowing the other: a [Point] is a function that others may advise, a
// [Topic] tells subscribers what happened. Both are typed by what passes
// through them and know nothing else about it.
//
// Who only looks subscribes; who may change the outcome advises.
package kernel

import (
	"fmt"
	"runtime/debug"
)

// An Error is a failure of advice, of a core function that panicked, or of a
// subscriber's handler.
type Error struct {
	In   string // name of the point or topic
	Name string // of the advice or subscriber; empty for the core function
	// Err is what it returned, or the panic's value if that is an error.
	Err error
	// Panic is the value of a panic and Stack where it happened, or nil.
	Panic any
	Stack []byte
	at    any // the point it was told of
}

func (e *Error) Error() string {
	who := e.In
	if e.Name != "" {
		who = fmt.Sprintf("%s: %s", e.In, e.Name)
	}
	if e.Panic != nil {
		return fmt.Sprintf("%s panicked: %v", who, e.Panic)
	}
	return fmt.Sprintf("%s: %v", who, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// panicked returns the Error of a panic. It is called by the function that
// recovered it, so that the stack is still there.
func panicked(in, name string, value any) *Error {
	err, _ := value.(error)
	return &Error{In: in, Name: name, Err: err, Panic: value, Stack: debug.Stack()}
}
