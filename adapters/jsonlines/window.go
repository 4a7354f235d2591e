package jsonlines

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	// portion is how many bytes are asked for at a time.
	portion = 256 << 10
	// printed is how many bytes before a position its print is of.
	printed = 4 << 10
	// widest is how large a window gets: it holds the longest line with its end, what the
	// print needs before it, and a portion behind.
	widest = printed + MaxLine + len("\r\n") + portion
	// patience is how many reads may bring nothing before that is an error.
	patience = 100
)

// window is the part of a stream that is held: what has not been handed out yet, and as
// much of what is before that as a print is of.
type window struct {
	src   io.Reader
	buf   []byte
	start int   // of what has not been handed out
	end   int   // of what is held
	base  int64 // where in the stream buf begins
	err   error // why there is no more to read; io.EOF at the end
}

// begin holds nothing of the stream, which begins at the offset.
func (w *window) begin(src io.Reader, offset int64) {
	if w.buf == nil {
		w.buf = make([]byte, portion)
	}
	w.src, w.start, w.end, w.base, w.err = src, 0, 0, offset, nil
}

// offset is where in the stream that begins which has not been handed out.
func (w *window) offset() int64 { return w.base + int64(w.start) }

func (w *window) rest() []byte { return w.buf[w.start:w.end] }

// fill reads more, once. What is handed out already may be forgotten, and views into the
// window are void then. Only the context's error comes back: the stream's stays in err.
func (w *window) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.err != nil {
		return nil
	}
	w.makeRoom()
	for range patience {
		n, err := w.src.Read(w.buf[w.end:min(len(w.buf), w.end+portion)])
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
	if gone := w.start - printed; gone > 0 {
		copy(w.buf, w.buf[gone:w.end])
		w.start -= gone
		w.end -= gone
		w.base += int64(gone)
	}
	if w.end == len(w.buf) {
		wider := make([]byte, min(2*len(w.buf), widest))
		copy(wider, w.buf)
		w.buf = wider
	}
}

// ensure holds that many bytes that have not been handed out, if there are so many.
func (w *window) ensure(ctx context.Context, n int) error {
	for w.end-w.start < n && w.err == nil {
		if err := w.fill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// discard hands out what is before the offset; false when the stream ends earlier.
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

// segment is a line, or what there is of it.
type segment struct {
	text   []byte // a view: good until the window is filled; of a long line the beginning
	length int64  // of the line without its end
	whole  bool   // the line has an end
}

// line hands out the next line. What of it was seen when the context ended is not lost,
// unless it is too long: then reading on begins in the middle of it.
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

// endless hands out a line that is too long to be held.
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

// print is of the bytes right before what has not been handed out. It is taken of every
// line, and only tells files apart that nobody made alike on purpose: two checksums that
// processors have instructions for.
func (w *window) print() []byte {
	tail := w.buf[max(0, w.start-printed):w.start]
	sum := binary.BigEndian.AppendUint32(make([]byte, 0, 8), crc32.Checksum(tail, castagnoli))
	return binary.BigEndian.AppendUint32(sum, crc32.ChecksumIEEE(tail))
}
