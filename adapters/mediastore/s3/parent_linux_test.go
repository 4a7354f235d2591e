package s3_test

import "syscall"

// endWithParent lets the kernel end the process when the thread that started it ends.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
