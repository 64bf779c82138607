package vfs

import (
	"errors"
	"fmt"
	"io/fs"
)

// A PathError is the failure of one verb at one path. Its text is what a
// person or a model is shown: for the sentinels of this package a fixed
// sentence with the path, such as "not found: /a", and for anything else the
// verb, the path and the cause.
type PathError struct {
	Op   string // the verb: list, stat, glob, read, grep, write, delete, search
	Path string // as the tree names it
	Err  error
}

// The causes of a [PathError] with a sentence of their own. Where package
// io/fs or errors has a wider class, they belong to it: ErrNotFound is an
// [fs.ErrNotExist].
var (
	ErrNotFound           error = &cause{text: "not found", class: fs.ErrNotExist}
	ErrReadOnlyMount      error = &cause{text: "read-only mount", class: fs.ErrPermission}
	ErrNoMount            error = &cause{text: "no mount for path", class: fs.ErrNotExist}
	ErrWriteFailed        error = &cause{text: "write failed"}
	ErrDeleteNotSupported error = &cause{text: "delete not supported", class: errors.ErrUnsupported}
	// ErrInvalidGrepPattern is about the pattern, not the path: a tree
	// returns [InvalidGrepPattern].
	ErrInvalidGrepPattern error = &cause{text: "invalid grep pattern", class: fs.ErrInvalid}
	// ErrLeavesRoot is a link out of a [Dir].
	ErrLeavesRoot error = &cause{text: "link leads out of the root", class: fs.ErrNotExist}
	// ErrInvalidPath is a path that [Normalize] refuses; it is shown quoted.
	ErrInvalidPath error = &cause{text: "invalid path", class: fs.ErrInvalid}
)

// Further causes of a [PathError], shown after its verb and path.
var (
	ErrIsDir       = errors.New("is a directory")
	ErrNotDir      = errors.New("a file is in the way: not a directory")
	ErrBinary      = errors.New("binary file: neither UTF-8 text nor a jpeg, png, gif or webp image")
	ErrNotRegular  = errors.New("not a regular file")
	ErrTooBig      = errors.New("more than 64 MiB: too big to be read whole; Grep searches it")
	ErrInvalidGlob = errors.New("invalid glob pattern")
)

// cause is an error with a class it counts as.
type cause struct {
	text  string
	class error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.class }

// Error implements error.
func (e *PathError) Error() string {
	if p, ok := errors.AsType[*patternError](e.Err); ok {
		return p.Error()
	}
	c, ok := errors.AsType[*cause](e.Err)
	switch {
	case !ok:
		return e.Op + " " + e.Path + ": " + e.Err.Error()
	case errors.Is(c, ErrInvalidPath):
		return fmt.Sprintf("%s: %q", c.text, e.Path)
	}
	return c.text + ": " + e.Path
}

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

// patternError is ErrInvalidGrepPattern with the pattern.
type patternError struct {
	pattern string
	cause   error
}

func (e *patternError) Error() string   { return ErrInvalidGrepPattern.Error() + ": " + e.pattern }
func (e *patternError) Unwrap() []error { return []error{ErrInvalidGrepPattern, e.cause} }

// InvalidGrepPattern is the error of a Grep at path whose pattern cannot be
// used; why may be nil. Its text is "invalid grep pattern: " and the pattern.
func InvalidGrepPattern(path, pattern string, why error) *PathError {
	return &PathError{Op: "grep", Path: path, Err: &patternError{pattern: pattern, cause: why}}
}

// pathError wraps err, which keeps its own path if it has one.
func pathError(op, path string, err error) error {
	if _, ok := errors.AsType[*PathError](err); ok {
		return err
	}
	return &PathError{Op: op, Path: path, Err: err}
}
