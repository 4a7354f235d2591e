package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Folders stand in /tmp and not in TMPDIR: a socket's path has about a hundred bytes, and the server's account must get there.
const (
	folders = "/tmp/plaza-pg-"
	newborn = "plaza-new-*"
)

// Folder holds data directories, their sockets and logs. Its process has it locked for life. The kernel gives the lock back whichever way
// the process ends, thus a folder without a lock is a leftover. It belongs to the account that servers run as, which is not root.
type Folder struct {
	path     string
	uid, gid int // whose it is
	lock     *os.File
}

// NewFolder makes a folder, and removes those that killed processes have left.
func NewFolder() (*Folder, error) {
	sweepOnce()
	uid, gid, err := account()
	if err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp("/tmp", newborn)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(path)
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	f := &Folder{path: path, uid: uid, gid: gid, lock: lock}
	if err := lockFolder(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Remove())
	}
	// Under this name it may be swept, thus it is locked before.
	f.path = folders + strings.TrimPrefix(filepath.Base(path), strings.TrimSuffix(newborn, "*"))
	if err := os.Rename(path, f.path); err != nil {
		f.path = path
		return nil, errors.Join(err, f.Remove())
	}
	if err := os.Chown(f.path, uid, gid); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// Path is where the folder is; it is short.
func (f *Folder) Path() string { return f.path }

// Command runs a program as the owner of the folder, with nothing of our environment: PG* variables would change what it does.
func (f *Folder) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = f.path
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = runAs(f.uid, f.gid)
	}
	return cmd
}

// Own gives a file or a folder within to the owner of the folder.
func (f *Folder) Own(path string) error { return os.Chown(path, f.uid, f.gid) }

func (f *Folder) data() string { return filepath.Join(f.path, "data") }
func (f *Folder) log() string  { return filepath.Join(f.path, "log") }

// Remove removes the folder and what is in it.
func (f *Folder) Remove() error {
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}

// sweep removes what processes have left that were killed. A folder that can't be removed is no reason to fail today's tests.
func sweep() {
	paths, _ := filepath.Glob(folders + "*")
	for _, path := range paths {
		if f := leftover(path); f != nil {
			if f.Kill(f.data(), immediate) == nil {
				_ = f.Remove()
			}
		}
	}
}

// leftover is the folder if no process uses it; nil otherwise, and when it is another account's: its content says which processes to end.
func leftover(path string) *Folder {
	uid, gid, err := account()
	if err != nil {
		return nil
	}
	lock, err := openFolder(path)
	if err != nil {
		return nil
	}
	if isOf(lock, uid) && lockFolder(lock) == nil {
		return &Folder{path: path, uid: uid, gid: gid, lock: lock}
	}
	lock.Close()
	return nil
}

// Kill ends the server on a data directory within the folder, and its sessions, which otherwise go
// on until they notice. It does nothing if no server runs there.
func (f *Folder) Kill(data string, how syscall.Signal) error {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	postmaster, errPID := strconv.Atoi(string(first))
	if err := errors.Join(err, errPID); err != nil {
		return fmt.Errorf("the server on %s: %w", data, err)
	}
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", postmaster))
	if !bytes.Contains(line, []byte("\x00-D\x00"+data+"\x00")) {
		return nil // an old file
	}
	all := []int{postmaster}
	if how == syscall.SIGKILL {
		suspend(postmaster) // it starts no more
		all = append(all, children(postmaster)...)
	}
	for _, pid := range all {
		signal(pid, how)
	}
	return ended(all, data)
}

// children are the processes that the process has started.
func children(of int) (all []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range files {
		stat, _ := os.ReadFile(path)
		_, fields, _ := bytes.Cut(stat, []byte(") "))
		state, parent := "", 0
		if _, err := fmt.Sscan(string(fields), &state, &parent); err != nil || parent != of {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// ended returns when all processes have.
func ended(all []int, of string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		if all = slices.DeleteFunc(all, hasEnded); len(all) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("the processes %v of %s don't end", all, of)
		}
	}
}

// hasEnded is when a process has given back its memory, and not already when it has no
// command line any more: a server doesn't start while an old one's memory is in use.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err != nil || bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X"))
}
