// Package debian installs the packages of Debian that tests need and that are not there. It
// works as root only, which is what tests on a machine of their own run as.
package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ErrCannot says that nothing can be installed here.
var ErrCannot = errors.New("only root can install packages, where there is apt-get")

// patience is how long fetching and installing may take.
const patience = 5 * time.Minute

// Can says whether packages can be installed here.
func Can() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Getuid() == 0
}

// Install installs the packages unless, by now, they are there. One process at a time
// installs, the others find it done. The lock is on apt-get's own file, because it is there
// for everybody.
func Install(there func() bool, packages ...string) error {
	if !Can() {
		return ErrCannot
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := os.Open(apt)
	if err != nil {
		return err
	}
	defer lock.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process that installs: %w", ctx.Err())
		}
	}
	if there() {
		return nil
	}
	for _, args := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", args[0], err, said)
		}
	}
	return nil
}
