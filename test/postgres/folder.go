package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Folders stand in /tmp and not in TMPDIR: a socket's path has about a hundred
// bytes, and the server's account must get there.
const (
	folders = "/tmp/plaza-pg-"
	newborn = "plaza-new-*"
)

// folder holds a data directory, its socket and its log. Its process has it locked
// for life. The kernel gives the lock back whichever way the process ends, thus a
// folder without a lock is a leftover.
type folder struct {
	path     string
	uid, gid int // whose it is
	lock     *os.File
}

func newFolder() (*folder, error) {
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
	f := &folder{path: path, uid: uid, gid: gid, lock: lock}
	if err := lockFolder(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.remove())
	}
	// Under this name it may be swept, thus it is locked before.
	f.path = folders + strings.TrimPrefix(filepath.Base(path), strings.TrimSuffix(newborn, "*"))
	if err := os.Rename(path, f.path); err != nil {
		f.path = path
		return nil, errors.Join(err, f.remove())
	}
	if err := os.Chown(f.path, uid, gid); err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f *folder) name() string { return filepath.Base(f.path) }
func (f *folder) data() string { return filepath.Join(f.path, "data") }
func (f *folder) log() string  { return filepath.Join(f.path, "log") }

func (f *folder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}

// sweep removes what processes have left that were killed. A folder that can't be
// removed is no reason to fail today's tests.
func sweep() {
	paths, _ := filepath.Glob(folders + "*")
	for _, path := range paths {
		if f := leftover(path); f != nil {
			if f.end(immediate) == nil {
				_ = f.remove()
			}
		}
	}
}

// leftover is the folder if no process uses it; nil otherwise, and when it is
// another account's: its content says which processes to end.
func leftover(path string) *folder {
	uid, gid, err := account()
	if err != nil {
		return nil
	}
	lock, err := openFolder(path)
	if err != nil {
		return nil
	}
	if isOf(lock, uid) && lockFolder(lock) == nil {
		return &folder{path: path, uid: uid, gid: gid, lock: lock}
	}
	lock.Close()
	return nil
}

// processes are those of the server on this folder, told by their command line: it
// has the data directory or the cluster's name. Where there is no /proc there are none.
func (f *folder) processes() []int {
	var all []int
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path)
		program, _, _ := bytes.Cut(line, []byte{0})
		isPostmaster := filepath.Base(string(program)) == "postgres" && bytes.Contains(line, []byte("\x00-D\x00"+f.data()+"\x00"))
		isSession := bytes.HasPrefix(line, []byte("postgres: "+f.name()+": "))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && (isPostmaster || isSession) {
			all = append(all, pid)
		}
	}
	return all
}

// end signals the server's processes and returns when there are none any more. Only
// what was told by its command line a moment ago is signalled: numbers are used again.
func (f *folder) end(how syscall.Signal) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var left []int
	for deadline := time.After(patience); ; {
		found := f.processes()
		for _, pid := range found {
			signal(pid, how)
		}
		left = append(left, found...)
		slices.Sort(left)
		left = slices.DeleteFunc(slices.Compact(left), hasEnded)
		if len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("the processes %v of %s don't end", left, f.path)
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
