//go:build !linux

package bench

import "syscall"

// endWithParent does nothing where the kernel offers nothing: what we started then
// outlives us if we are killed.
func endWithParent(*syscall.SysProcAttr) {}
