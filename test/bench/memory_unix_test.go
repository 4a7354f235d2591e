//go:build unix

package bench

import (
	"os"
	"syscall"
)

// mostMemory returns the most memory that an ended program had, in bytes. Linux counts it in KiB.
func mostMemory(ended *os.ProcessState) int64 {
	if usage, is := ended.SysUsage().(*syscall.Rusage); is {
		return usage.Maxrss << 10
	}
	return 0
}
