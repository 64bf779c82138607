//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package term

import "golang.org/x/sys/unix"

func flushInput(fd uintptr) error {
	const fread = 1 // FREAD of <sys/fcntl.h>: the input queue
	return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, fread)
}
