package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// errNoRoom is the fault of a disk that is full, or can't be written.
var errNoRoom = fault.Later(fault.Unavailable, time.Minute, "There is no room for uploads right now. Try again later.")

// maxHeld is how much of a picture is kept in memory, in bytes; a larger one is a file.
const maxHeld = 64 << 10

// spool is a picture that came in: a few bytes in memory, or a file without a name, which
// is gone when it is closed, also by a kill. It implements media.Raw. It counts all that is
// written to it, and keeps one byte more than a picture may have.
type spool struct {
	held []byte
	file *os.File // nil: all of it is held
	size int64
}

var _ media.Raw = (*spool)(nil)

// Size implements media.Raw.
func (s *spool) Size() int64 { return s.size }

// ReadAt implements media.Raw.
func (s *spool) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.held).ReadAt(p, at)
}

// Write takes everything; what is too much is only counted.
func (s *spool) Write(p []byte) (int, error) {
	room := max(0, media.MaxBytes+1-s.size)
	s.size += int64(len(p))
	if err := s.keep(p[:min(int64(len(p)), room)]); err != nil {
		return 0, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	return len(p), nil
}

func (s *spool) keep(p []byte) error {
	if s.file == nil && len(s.held)+len(p) <= maxHeld {
		s.held = append(s.held, p...)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "plaza-upload-")
		if err != nil {
			return err
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
		if _, err := f.Write(s.held); err != nil {
			return err
		}
		s.held = nil
	}
	_, err := s.file.Write(p)
	return err
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// spools are the pictures of a request, until it is answered.
type spools []*spool

// add has the reader's bytes in a new spool. An error of the reader is returned as it is.
func (all *spools) add(r io.Reader) (*spool, error) {
	s := &spool{}
	*all = append(*all, s)
	_, err := io.Copy(s, r)
	return s, err
}

func (all spools) close() error {
	var err error
	for _, s := range all {
		err = errors.Join(err, s.close())
	}
	return err
}
