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

// errDiskFull is the fault of a disk that is full or not writable.
var errDiskFull = fault.RetryAfter(fault.Unavailable, time.Minute, "The server's disk is full. Try again later.")

// uploadBuffer holds an uploaded picture or an encoded response: a few bytes in memory, more
// in an unlinked file, which disappears when it is closed or the process is killed. It
// implements media.Raw.
type uploadBuffer struct {
	inMemory int          // most bytes in memory; more go to a file
	most     int64        // most bytes to keep; further bytes are only counted
	toFile   func() error // called before the file is made; nil: no check
	held     []byte
	file     *os.File // nil: all bytes are in memory
	size     int64
}

var _ media.Raw = (*uploadBuffer)(nil)

// maxHeld is how much of a picture is held in memory, in bytes.
const maxHeld = 64 << 10

// newPicture returns the buffer of an uploaded picture. It keeps one byte more than the
// limit of a picture, so that the picture's size tells that it is too large.
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

// Write accepts all bytes. It only counts those beyond the limit.
func (s *uploadBuffer) Write(p []byte) (int, error) {
	left := max(0, s.most-s.size)
	s.size += int64(len(p))
	if err := s.keep(p[:min(int64(len(p)), left)]); err != nil {
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
		return fmt.Errorf("%w: %w", errDiskFull, err)
	}
	return nil
}

// write appends to the file, after the bytes from memory.
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

// uploadBuffers are the pictures of a request.
type uploadBuffers []*uploadBuffer

// add reads everything into a new buffer. It returns an error of the reader unchanged.
func (all *uploadBuffers) add(r io.Reader) (*uploadBuffer, error) {
	s := newPicture()
	*all = append(*all, s)
	_, err := io.Copy(s, r)
	return s, err
}

// remove closes and forgets a buffer.
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
