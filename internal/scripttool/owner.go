//go:build unix

package scripttool

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs reports whether the file belongs to this process's user.
func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
