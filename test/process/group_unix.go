//go:build unix

package process

import (
	"os"
	"syscall"
)

// ownGroup makes a program the first of a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the program and those that it started.
func killGroup(first *os.Process) { _ = syscall.Kill(-first.Pid, syscall.SIGKILL) }
