package cluster

import (
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"plaza/test/process"
)

// program is a program that runs on a machine, and may be ended and started again.
type program struct {
	t       testing.TB
	name    string
	make    func() *exec.Cmd
	isReady func() bool
	log     *process.Output
	process *process.Process // nil: it does not run
}

// start starts the program, which gets the signal when the test process ends.
func (p *program) start(atTheEnd syscall.Signal) {
	p.t.Helper()
	cmd := p.make()
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.WaitDelay = time.Second // children of Patroni may keep the pipes open
	var err error
	if p.process, err = process.Start(cmd, atTheEnd); err != nil {
		p.t.Fatalf("starting %s: %v", p.name, err)
	}
}

// wait returns when the program is ready.
func (p *program) wait() {
	p.t.Helper()
	if p.isReady == nil {
		return
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); !p.isReady(); {
		select {
		case <-tick.C:
		case <-p.process.Ended():
			p.t.Fatalf("%s ended:\n%s", p.name, p.log)
		case <-deadline:
			p.t.Fatalf("%s does not get ready:\n%s", p.name, p.log)
		}
	}
}

// end ends the program by the signal, if it runs.
func (p *program) end(by syscall.Signal) {
	p.t.Helper()
	if p.process == nil {
		return
	}
	err := p.process.Signal(by)
	if err == nil {
		select {
		case <-p.process.Ended():
		case <-time.After(patience):
			p.t.Errorf("%s does not end", p.name)
		}
	} else {
		p.t.Errorf("ending %s: %v", p.name, err)
	}
	p.process = nil
}

// listens reports whether a program takes connections at the address.
func listens(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	return err == nil && conn.Close() == nil
}
