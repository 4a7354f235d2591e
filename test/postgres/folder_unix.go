//go:build unix

package postgres

import (
	"os"
	"syscall"
)

// lockFolder locks the folder for the life of this process, or fails at once.
func lockFolder(folder *os.File) error {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// openFolder opens a folder, and nothing else that has its name.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
}

// isOf reports whether the account owns the folder.
func isOf(folder *os.File, uid int) bool {
	info, err := folder.Stat()
	return err == nil && info.Sys().(*syscall.Stat_t).Uid == uint32(uid)
}

// runAs makes a program run as the account.
func runAs(uid, gid int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func signal(pid int, how syscall.Signal) { _ = syscall.Kill(pid, how) }

// suspend stops the process in its tracks.
func suspend(pid int) { signal(pid, syscall.SIGSTOP) }
