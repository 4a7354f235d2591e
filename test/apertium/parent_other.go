//go:build !linux

package apertium

import "syscall"

// endWithParent does nothing where the kernel offers nothing.
func endWithParent(*syscall.SysProcAttr) {}
