//go:build !linux

package process

import "syscall"

// endWithParent does nothing: the kernel offers no way.
func endWithParent(*syscall.SysProcAttr, syscall.Signal) {}
