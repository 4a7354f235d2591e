package jsonlines

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"plaza/domain/fault"
)

// covers is the folder of the covers, out of which no name leads.
type covers struct {
	root *os.Root
	err  error // why there is no folder
}

// beside opens the folder. That it can't be opened matters to those alone who want a
// cover.
func beside(folder string) covers {
	root, err := os.OpenRoot(folder)
	return covers{root, err}
}

// OpenCover implements imported.File.
func (c covers) OpenCover(name string) (io.ReadCloser, error) {
	if c.err != nil {
		return nil, fmt.Errorf("opening the folder of the covers: %w", c.err)
	}
	if c.root == nil {
		return nil, fault.New(fault.NotFound, "There is no folder of covers for what comes from the standard input.")
	}
	// Opening a pipe would wait for somebody to write to it.
	if info, err := c.root.Stat(name); err != nil {
		return nil, noCover(name, err)
	} else if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "This is no file.")
	}
	file, err := c.root.Open(name)
	if err != nil {
		return nil, noCover(name, err)
	}
	return file, nil
}

// Close gives the folder back.
func (c covers) Close() error {
	if c.root == nil {
		return nil
	}
	return c.root.Close()
}

// ours are errors that say nothing of the name.
var ours = []error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR, syscall.ESTALE, fs.ErrClosed}

func noCover(name string, err error) error {
	switch {
	case slices.ContainsFunc(ours, func(our error) bool { return errors.Is(err, our) }):
		return fmt.Errorf("opening the cover %q: %w", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "This file may not be read.")
	}
	return fault.New(fault.NotFound, "There is no such file in the folder of the records, or further in.")
}
