package jsonlines

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// counted counts the bytes read. The count is safe for concurrent use.
type counted struct {
	io.Reader
	read atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// errTemporary is the error of an input that can't be stored, and need not be damaged.
var errTemporary = errors.New("the input can't be stored in TMPDIR")

// spool makes an input that can be read only once readable again: what is read of it goes to an
// unnamed file.
type spool struct {
	in   io.Reader
	err  error    // why the input ended
	file *os.File // nil: nothing was read
}

func (s *spool) Read(p []byte) (n int, err error) {
	if s.file == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	if n, err = s.file.Read(p); err != io.EOF {
		return n, err
	}
	if s.err != nil {
		return 0, s.err
	}
	n, s.err = s.in.Read(p)
	if _, err := s.file.Write(p[:n]); err != nil {
		return 0, fmt.Errorf("%w: %w", errTemporary, err)
	}
	return n, s.err
}

func (s *spool) Seek(offset int64, whence int) (int64, error) {
	if s.file == nil {
		return 0, nil
	}
	return s.file.Seek(offset, whence)
}

// open makes the file. A root lets open files be removed on Windows, too.
func (s *spool) open() error {
	root, err := os.OpenRoot(os.TempDir())
	if err == nil {
		defer root.Close()
		name := "plaza-" + rand.Text()
		if s.file, err = root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = root.Remove(name)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errTemporary, err)
	}
	return nil
}

func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
