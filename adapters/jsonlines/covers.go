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

// covers is the folder of the covers. Names can't lead out of it.
type covers struct {
	root *os.Root
	err  error // why the folder can't be opened
}

// openCovers opens the folder. A failure to open it matters only to OpenCover.
func openCovers(folder string) covers {
	root, err := os.OpenRoot(folder)
	return covers{root, err}
}

func (c covers) OpenCover(name string) (io.ReadCloser, error) {
	if c.err != nil {
		return nil, fmt.Errorf("opening the covers' folder: %w", c.err)
	}
	if c.root == nil {
		return nil, fault.New(fault.NotFound, "Records from the standard input have no folder of covers.")
	}
	// Opening a pipe would block until it has a writer.
	if info, err := c.root.Stat(name); err != nil {
		return nil, noCover(name, err)
	} else if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "This is not a regular file.")
	}
	file, err := c.root.Open(name)
	if err != nil {
		return nil, noCover(name, err)
	}
	return file, nil
}

// Close closes the folder.
func (c covers) Close() error {
	if c.root == nil {
		return nil
	}
	return c.root.Close()
}

// unrelatedErrors are errors that the name does not cause.
var unrelatedErrors = []error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR, syscall.ESTALE, fs.ErrClosed}

func noCover(name string, err error) error {
	switch {
	case slices.ContainsFunc(unrelatedErrors, func(our error) bool { return errors.Is(err, our) }):
		return fmt.Errorf("opening cover %q: %w", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "Permission to read the file was denied.")
	}
	return fault.New(fault.NotFound, "File not found in the folder of the records or below it.")
}
