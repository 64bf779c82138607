package scripttool

import "syscall"

// ownGroup starts a process as the leader of a group that dies with us.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
