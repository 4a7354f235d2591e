package apertium

import "syscall"

// endWithParent lets the kernel end the server when the thread that started it ends.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
