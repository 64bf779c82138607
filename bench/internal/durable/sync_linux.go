package durable

import (
	"os"
	"syscall"
)

// datasync waits until what was written to f, and its size, are on disk. The
// store does it in the same way: times need not be.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
