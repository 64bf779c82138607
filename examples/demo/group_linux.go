package main

import "syscall"

// ownGroup starts a process as the leader of a group that is told to end if
// we are killed. The kernel watches the thread that started it, so that thread
// has to live as long as we do.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
