package process

import "syscall"

func endWithParent(attr *syscall.SysProcAttr, by syscall.Signal) { attr.Pdeathsig = by }
