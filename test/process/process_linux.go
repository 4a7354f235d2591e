package process

import "syscall"

// EndWithParent has the kernel send the signal to the process when the thread that
// started it ends.
func EndWithParent(attr *syscall.SysProcAttr, by syscall.Signal) { attr.Pdeathsig = by }
