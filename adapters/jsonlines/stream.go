package jsonlines

import (
	"bufio"
	"compress/gzip"
	"io"
	"sync/atomic"
)

// magic is what gzip begins with.
const magic = "\x1f\x8b"

// stream is what a file says, decompressed when it is a gzip. It is found out at the
// first read, so that opening the standard input does not wait for somebody to type.
type stream struct {
	raw *bufio.Reader
	in  io.Reader
}

func newStream(raw io.Reader) *stream { return &stream{raw: bufio.NewReaderSize(raw, portion/4)} }

func (s *stream) Read(p []byte) (int, error) {
	if s.in == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	return s.in.Read(p)
}

// open goes by the first byte alone: it begins no text, and of a gzip that was cut off
// it may be all there is.
func (s *stream) open() error {
	first, err := s.raw.Peek(1)
	if err != nil {
		return err
	}
	if first[0] != magic[0] {
		s.in = s.raw
		return nil
	}
	in, err := gzip.NewReader(s.raw)
	if err != nil {
		return err
	}
	s.in = in
	return nil
}

// counted counts what is read. Others may look at the count meanwhile.
type counted struct {
	io.Reader
	read atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}
