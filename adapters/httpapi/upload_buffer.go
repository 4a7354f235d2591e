package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// errNoRoom is the fault of a disk that is full, or can't be written.
var errNoRoom = fault.RetryAfter(fault.Unavailable, time.Minute, "There is no room on the server's disk right now. Try again later.")

// uploadBuffer is a picture that came in, or a response that goes out: a few bytes in memory, or a
// file without a name, which is gone when it is closed, also by a kill. It implements
// media.Raw.
type uploadBuffer struct {
	inMemory int          // most bytes that are held; beyond that there is a file
	most     int64        // most bytes that are kept; all are counted
	toFile   func() error // asked before there is a file; nil: there may be one
	held     []byte
	file     *os.File // nil: all of it is held
	size     int64
}

var _ media.Raw = (*uploadBuffer)(nil)

// maxHeld is how much of a picture is held in memory, in bytes.
const maxHeld = 64 << 10

// newPicture is the spool of a picture that comes in. It keeps one byte more than a picture
// may have.
func newPicture() *uploadBuffer { return &uploadBuffer{inMemory: maxHeld, most: media.MaxBytes + 1} }

// Size implements media.Raw.
func (s *uploadBuffer) Size() int64 { return s.size }

// ReadAt implements media.Raw.
func (s *uploadBuffer) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.held).ReadAt(p, at)
}

// Write takes everything; what is too much is only counted.
func (s *uploadBuffer) Write(p []byte) (int, error) {
	room := max(0, s.most-s.size)
	s.size += int64(len(p))
	if err := s.keep(p[:min(int64(len(p)), room)]); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *uploadBuffer) keep(p []byte) error {
	if s.file == nil && len(s.held)+len(p) <= s.inMemory {
		s.held = append(s.held, p...)
		return nil
	}
	if s.file == nil && s.toFile != nil {
		if err := s.toFile(); err != nil {
			return err
		}
	}
	if err := s.write(p); err != nil {
		return fmt.Errorf("%w: %w", errNoRoom, err)
	}
	return nil
}

// write writes to the file, after what was held.
func (s *uploadBuffer) write(p []byte) error {
	if s.file == nil {
		f, err := os.CreateTemp("", "plaza-")
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

func (s *uploadBuffer) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// uploadBuffers are the pictures of a request, until it is answered.
type uploadBuffers []*uploadBuffer

// add has the reader's bytes in a new spool. An error of the reader is returned as it is.
func (all *uploadBuffers) add(r io.Reader) (*uploadBuffer, error) {
	s := newPicture()
	*all = append(*all, s)
	_, err := io.Copy(s, r)
	return s, err
}

// remove closes one of the spools: its picture is not wanted any more.
func (all *uploadBuffers) remove(s *uploadBuffer) error {
	*all = slices.DeleteFunc(*all, func(other *uploadBuffer) bool { return other == s })
	return s.close()
}

func (all uploadBuffers) close() error {
	var err error
	for _, s := range all {
		err = errors.Join(err, s.close())
	}
	return err
}
