package process

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// patience bounds how long a server may take to start.
const patience = 30 * time.Second

// Server is a program that listens on an address that it is given.
type Server struct {
	// Command makes the program listen on the address.
	Command func(address string) *exec.Cmd
	// IsReady reports whether the program, and no other, answers there.
	IsReady func(address string) bool
}

// OnLoopback starts the server on a free address of this machine, and returns the address when the server is ready. The server, and each
// program that it has started, ends with the test.
func OnLoopback(t testing.TB, s Server) (address string) {
	t.Helper()
	var err error
	for range 3 { // another program may take the port meanwhile
		if address, err = s.start(t); err == nil {
			return address
		}
	}
	t.Fatalf("the server does not start: %v", err)
	return ""
}

func (s Server) start(t testing.TB) (address string, err error) {
	if address, err = free(); err != nil {
		return "", err
	}
	cmd, said := s.Command(address), &Output{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = ownGroup()
	p, err := Start(cmd, syscall.SIGKILL)
	if err != nil {
		return "", err
	}
	end := func() {
		killGroup(cmd.Process) // a server may start others
		<-p.Ended()
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		if s.IsReady(address) {
			t.Cleanup(end)
			return address, nil
		}
		select {
		case <-tick.C:
		case <-p.Ended():
			return "", fmt.Errorf("it ended: %w: %s", p.err, said)
		case <-deadline:
			end()
			return "", errors.New("it does not answer: " + said.String())
		}
	}
}

// free is an address that no program listens on.
func free() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
