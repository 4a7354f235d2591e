package jsonlines

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	// readSize is how many bytes are read at a time.
	readSize = 256 << 10
	// printLength is how many bytes before a position its fingerprint covers.
	printLength = 4 << 10
	// maxWindow is the maximum size of a window. It holds the longest line with its end, the
	// bytes that the fingerprint covers before it, and one more read after it.
	maxWindow = printLength + MaxLine + len("\r\n") + readSize
	// maxEmptyReads is how many empty reads in a row are an error.
	maxEmptyReads = 100
)

// window holds a part of a stream: the bytes not yet returned, and before them the bytes
// that the fingerprint covers.
type window struct {
	src   io.Reader
	buf   []byte
	start int   // of the bytes not yet returned
	end   int   // of the bytes held
	base  int64 // offset of buf in the stream
	err   error // why reading ended; io.EOF at the end
}

// begin empties the window for a stream that starts at the offset.
func (w *window) begin(src io.Reader, offset int64) {
	if w.buf == nil {
		w.buf = make([]byte, readSize)
	}
	w.src, w.start, w.end, w.base, w.err = src, 0, 0, offset, nil
}

// offset returns the stream's offset of the first byte not yet returned.
func (w *window) offset() int64 { return w.base + int64(w.start) }

func (w *window) rest() []byte { return w.buf[w.start:w.end] }

// fill reads once more. It may drop bytes already returned, and it invalidates views of the
// window. It returns only the context's error; the stream's stays in err.
func (w *window) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.err != nil {
		return nil
	}
	w.makeRoom()
	for range maxEmptyReads {
		n, err := w.src.Read(w.buf[w.end:min(len(w.buf), w.end+readSize)])
		w.end += n
		w.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	w.err = io.ErrNoProgress
	return nil
}

func (w *window) makeRoom() {
	if w.end < len(w.buf) {
		return
	}
	if gone := w.start - printLength; gone > 0 {
		copy(w.buf, w.buf[gone:w.end])
		w.start -= gone
		w.end -= gone
		w.base += int64(gone)
	}
	if w.end == len(w.buf) {
		wider := make([]byte, min(2*len(w.buf), maxWindow))
		copy(wider, w.buf)
		w.buf = wider
	}
}

// ensure reads until that many bytes not yet returned are held, or the stream ends.
func (w *window) ensure(ctx context.Context, n int) error {
	for w.end-w.start < n && w.err == nil {
		if err := w.fill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// discard skips to the offset. It reports false if the stream ends earlier.
func (w *window) discard(ctx context.Context, offset int64) (bool, error) {
	for {
		w.start += int(min(offset-w.offset(), int64(w.end-w.start)))
		if w.offset() == offset || w.err != nil {
			return w.offset() == offset, nil
		}
		if err := w.fill(ctx); err != nil {
			return false, err
		}
	}
}

// segment is a line, or the beginning of one.
type segment struct {
	text   []byte // a view, valid until the window is filled; the beginning of a long line
	length int64  // of the line without its end
	whole  bool   // the line has an end
}

// line returns the next line. If the context ends, the bytes read so far are kept, unless
// the line is too long: then the next line starts in the middle of it.
func (w *window) line(ctx context.Context) (segment, error) {
	seen := 0
	for {
		if at := bytes.IndexByte(w.buf[w.start+seen:w.end], '\n'); at >= 0 {
			text := w.buf[w.start : w.start+seen+at]
			w.start += len(text) + 1
			text = bytes.TrimSuffix(text, []byte{'\r'})
			return segment{text, int64(len(text)), true}, nil
		}
		seen = w.end - w.start
		if w.err != nil {
			text := w.rest()
			w.start = w.end
			return segment{text, int64(len(text)), false}, nil
		}
		if seen > MaxLine+1 {
			return w.endless(ctx)
		}
		if err := w.fill(ctx); err != nil {
			return segment{}, err
		}
	}
}

// endless returns a line that is too long to be held.
func (w *window) endless(ctx context.Context) (segment, error) {
	s := segment{text: bytes.Clone(w.rest()[:Beginning])}
	for {
		if at := bytes.IndexByte(w.rest(), '\n'); at >= 0 {
			w.start += at + 1
			s.length += int64(at)
			s.whole = true
			if w.buf[w.start-2] == '\r' {
				s.length--
			}
			return s, nil
		}
		s.length += int64(w.end - w.start)
		w.start = w.end
		if w.err != nil {
			return s, nil
		}
		if err := w.fill(ctx); err != nil {
			return segment{}, err
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// print returns the fingerprint of the bytes before those not yet returned. It is computed
// for every line. It detects accidental changes only, so two checksums with processor
// instructions suffice.
func (w *window) print() []byte {
	tail := w.buf[max(0, w.start-printLength):w.start]
	sum := binary.BigEndian.AppendUint32(make([]byte, 0, 8), crc32.Checksum(tail, castagnoli))
	return binary.BigEndian.AppendUint32(sum, crc32.ChecksumIEEE(tail))
}
