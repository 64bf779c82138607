package scripttool

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup starts a process as the leader of a group that dies with us.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// groupRuns reports whether a process of the group is more than an entry its
// parent has not removed yet.
func groupRuns(pgid int) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, p := range processes {
		stat, err := os.ReadFile(filepath.Join("/proc", p.Name(), "stat"))
		if err != nil {
			continue // no process, or one that has just ended
		}
		// pid (name) state ppid pgrp …, and a name may have anything in it.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(pgid) && !bytes.ContainsAny(fields[0], "ZXx") {
			return true
		}
	}
	return false
}
