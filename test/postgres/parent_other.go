//go:build !linux

package postgres

import "syscall"

// endWithParent does nothing where the kernel offers nothing: a server whose parent
// was killed then ends about a minute after the next process has swept its folder.
func endWithParent(*syscall.SysProcAttr) {}
