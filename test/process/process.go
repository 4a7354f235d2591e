// Package process starts the programs that tests need. No program outlives its test
// process, even if that is killed, where the kernel offers a way.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Process is a program that Start has started.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // of Wait; readable once ended is closed
}

// Start starts the program. The kernel sends the program the signal when this process ends, even by SIGKILL.
func Start(cmd *exec.Cmd, atTheEnd syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	endWithParent(cmd.SysProcAttr, atTheEnd)
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// To the kernel the parent is the thread, and Go ends idle threads. This thread is kept until the program has ended.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Run runs the program to its end; see Start.
func Run(cmd *exec.Cmd, atTheEnd syscall.Signal) error {
	p, err := Start(cmd, atTheEnd)
	if err != nil {
		return err
	}
	<-p.ended
	return p.err
}

// Ended is closed when the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Signal sends the signal. A program that has ended already needs none.
func (p *Process) Signal(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Wait waits until the program has ended, and returns how.
func (p *Process) Wait(atMost time.Duration) error {
	select {
	case <-p.ended:
		return p.err
	case <-time.After(atMost):
		return fmt.Errorf("%w within %v", ErrRuns, atMost)
	}
}

// ErrRuns says that a program has not ended.
var ErrRuns = errors.New("the program does not end")

// Output keeps what a program writes. It may be read while the program runs.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is everything that the program has written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Announcer is the output of a program that prints where it listens.
type Announcer struct {
	// Found gets the groups of each match. The channel holds 4; Write drops further ones.
	Found chan string

	pattern *regexp.Regexp
	line    []byte
}

// NewAnnouncer returns an output in whose lines the pattern is looked for.
func NewAnnouncer(pattern *regexp.Regexp) *Announcer {
	return &Announcer{Found: make(chan string, 4), pattern: pattern}
}

// Write implements io.Writer.
func (a *Announcer) Write(p []byte) (int, error) {
	a.line = append(a.line, p...)
	for {
		line, rest, isWhole := bytes.Cut(a.line, []byte("\n"))
		if !isWhole {
			return len(p), nil
		}
		a.line = rest
		for i, group := range a.pattern.FindSubmatch(line) {
			if i == 0 {
				continue // the whole match
			}
			select {
			case a.Found <- string(group):
			default:
			}
		}
	}
}
