package jsonlines

import (
	"bufio"
	"compress/gzip"
	"io"
	"sync/atomic"
)

// magic is the start of a gzip.
const magic = "\x1f\x8b"

// stream reads a file and decompresses a gzip. It detects the gzip at the first read, so
// that opening a terminal as the standard input does not block.
type stream struct {
	raw *bufio.Reader
	in  io.Reader
}

func newStream(raw io.Reader) *stream { return &stream{raw: bufio.NewReaderSize(raw, readSize/4)} }

func (s *stream) Read(p []byte) (int, error) {
	if s.in == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	return s.in.Read(p)
}

// open checks the first byte only: no text begins with it, and a truncated gzip may have no
// more.
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
