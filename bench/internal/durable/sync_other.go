//go:build !linux

package durable

import "os"

// datasync waits until what was written to f is on disk.
func datasync(f *os.File) error { return f.Sync() }
