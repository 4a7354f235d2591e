package transport

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Faults of temporary files. They wrap the cause for the log.
var (
	errDiskFull = fault.RetryAfter(fault.Unavailable, time.Minute, "The server's disk is full. Try again later.")
	errNotKept  = fault.RetryAfter(fault.Unavailable, time.Minute, "Nothing can be stored right now. Try again later.")
)

// notKept returns the fault of a temporary file that can't be made or written, or nil for no error.
func notKept(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", errDiskFull, err)
	}
	return fmt.Errorf("%w: TMPDIR: %w", errNotKept, err)
}

// SpillBuffer holds an uploaded picture, a body with a picture, or an encoded response. It keeps a few bytes in memory, and
// more in an unlinked file. The file disappears when it is closed or the process is killed. SpillBuffer implements media.Raw.
type SpillBuffer struct {
	inMemory int   // how many bytes are kept in memory; more go to a file
	capacity int64 // how many bytes are kept at all; more are only counted
	held     []byte
	file     *os.File // nil: all bytes are in memory
	size     int64

	toFile func() (free func(), err error) // takes a slot before the file is made; nil: no slot is needed
	free   func()                          // frees the slot; nil: none is taken
}

// maxHeld is how much of an upload is held in memory, in bytes.
const maxHeld = 64 << 10

// NewPicture returns the buffer of an uploaded picture. It keeps one byte more than the
// limit of a picture, so that the picture's size tells that it is too large.
func NewPicture() *SpillBuffer { return &SpillBuffer{inMemory: maxHeld, capacity: media.MaxBytes + 1} }

// Upload is an uploaded picture, not yet validated. Without a buffer there is no picture.
type Upload struct {
	*SpillBuffer
	Problem string // a sentence for the client if the value is not a picture
}

func (s *SpillBuffer) Size() int64 { return s.size }

func (s *SpillBuffer) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.held).ReadAt(p, at)
}

func (s *SpillBuffer) Reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

// content returns all bytes, none of which is beyond the capacity.
func (s *SpillBuffer) content() ([]byte, error) {
	if s.file == nil {
		return s.held, nil
	}
	all := make([]byte, s.size)
	_, err := io.ReadFull(s.Reader(), all)
	return all, err
}

// WriteTo implements io.WriterTo. Bytes in memory need no buffer of their own.
func (s *SpillBuffer) WriteTo(w io.Writer) (int64, error) {
	if s.file != nil {
		return io.Copy(w, s.Reader())
	}
	n, err := w.Write(s.held)
	return int64(n), err
}

// Write accepts all bytes. It only counts those beyond the limit.
func (s *SpillBuffer) Write(p []byte) (int, error) {
	kept := p[:min(int64(len(p)), max(0, s.capacity-s.size))]
	s.size += int64(len(p))
	if s.file == nil && len(s.held)+len(kept) <= s.inMemory {
		s.held = append(s.held, kept...)
		return len(p), nil
	}
	if s.file == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
		kept, s.held = append(s.held, kept...), nil
	}
	if _, err := s.file.Write(kept); err != nil {
		return 0, notKept(err)
	}
	return len(p), nil
}

// open makes the file, without a name. A root lets open files be removed on Windows, too.
func (s *SpillBuffer) open() (err error) {
	if s.toFile != nil {
		if s.free, err = s.toFile(); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(os.TempDir())
	if err == nil {
		defer root.Close()
		name := "plaza-" + rand.Text()
		if s.file, err = root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = root.Remove(name)
		}
	}
	return notKept(err)
}

// Close removes the file. It does nothing without a buffer.
func (s *SpillBuffer) Close() error {
	if s == nil {
		return nil
	}
	if s.free != nil {
		s.free()
	}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
