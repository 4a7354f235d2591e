//go:build !linux

package process

import "syscall"

// EndWithParent does nothing where the kernel offers nothing.
func EndWithParent(*syscall.SysProcAttr, syscall.Signal) {}
