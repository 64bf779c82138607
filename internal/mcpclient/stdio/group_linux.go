package stdio

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup starts a process as the leader of a group, and kills it when we
// die without a Close.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// groupRuns reports whether the group has a member that is more than a dead
// one its parent has not taken note of.
func groupRuns(pgid int) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, p := range processes {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", p.Name(), "stat"))
		if err != nil {
			continue // it has just ended
		}
		// "pid (name) state ppid pgrp …", and the name may have anything in it.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(pgid) && !bytes.ContainsAny(fields[0], "ZXx") {
			return true
		}
	}
	return false
}
