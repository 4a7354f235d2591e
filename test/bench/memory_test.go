package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// Goals of what a server takes by itself.
const (
	memoryGoal = 120 << 20 // bytes that are resident during the mix, half of the time
)

// residentMemory returns how many bytes of the process are resident, now and at most. They are
// zero where the system has no /proc.
func residentMemory(pid int) (now, most int64, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	for name, into := range map[string]*int64{"VmRSS": &now, "VmHWM": &most} {
		kibibytes, _, _ := bytes.Cut([]byte(procField(path, name)), []byte(" "))
		n, parseErr := strconv.ParseInt(string(kibibytes), 10, 64)
		*into, err = n<<10, errors.Join(err, parseErr)
	}
	return now, most, err
}
