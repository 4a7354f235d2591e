//go:build unix

package disk

import (
	"os"
	"syscall"
)

// ownerOf returns the owner of the folder if this process is root and the owner is not. What the
// process makes is then given to the owner, so that the owner's server can use it.
func ownerOf(folder os.FileInfo) (uid, gid int, differs bool) {
	if s, is := folder.Sys().(*syscall.Stat_t); is && os.Geteuid() == 0 && s.Uid != 0 {
		return int(s.Uid), int(s.Gid), true
	}
	return 0, 0, false
}
