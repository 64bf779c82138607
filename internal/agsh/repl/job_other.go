//go:build !unix

package repl

import "os"

// watchResizes tells nothing here: the size is asked at each key anyway.
func watchResizes() (resizes <-chan os.Signal, stop func()) { return nil, func() {} }

// suspendJob does nothing: these systems have no jobs.
func suspendJob() {}
