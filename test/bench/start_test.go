package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"plaza/test/process"
)

// Goals of what a server takes by itself.
const (
	memoryGoal = 120 << 20 // bytes that are resident after the mix
	startGoal  = 250 * time.Millisecond
	startRuns  = 9
)

// timeStart returns how long the program takes from its start until it is ready, on a database
// with a complete schema.
func timeStart(tb testing.TB, binary, database string) (took time.Duration, err error) {
	admin, err := freeAddress()
	if err != nil {
		return 0, err
	}
	cmd := plazaCommand(tb, binary, database, admin)
	var said bytes.Buffer
	cmd.Stderr = &said
	client := http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	began := time.Now()
	p, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return 0, err
	}
	defer func() {
		if stopped := errors.Join(cmd.Process.Signal(syscall.SIGTERM), p.Wait(patience)); stopped != nil {
			err = errors.Join(err, fmt.Errorf("%w\n%s", stopped, said.Bytes()))
		}
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		answer, err := client.Get("http://" + admin + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return time.Since(began), nil
			}
		}
		if time.Since(began) > patience {
			return 0, errors.Join(errors.New("the program does not become ready"), err)
		}
	}
	panic("unreachable: a ticker never ends")
}

// freeAddress is an address that no program listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

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
