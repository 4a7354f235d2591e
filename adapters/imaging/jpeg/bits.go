package jpeg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
)

// bitReader reads the bytes of a file, and the bits of its scans. After its first error it only returns zeros.
type bitReader struct {
	from   io.Reader
	buffer [16 << 10]byte
	unread []byte // of the buffer
	bits   uint64 // the next bits, from the highest on
	count  uint   // how many of the bits are valid
	ended  bool   // the file has ended
	err    error
}

// or returns the error of the reader, or else the given one, which the end of the file causes if it was read.
func (r *bitReader) or(err error) error {
	if r.ended {
		err = io.ErrUnexpectedEOF
	}
	return cmp.Or(r.err, err)
}

func (r *bitReader) fail(err error) { r.err = r.or(err) }

// more reports whether n bytes are unread. It reads the file until they are. At the end of the file it adds a marker once.
func (r *bitReader) more(n int) bool {
	for len(r.unread) < n && r.err == nil {
		kept := copy(r.buffer[:], r.unread)
		got, err := r.from.Read(r.buffer[kept:])
		r.unread = r.buffer[:kept+got]
		if err == io.EOF && !r.ended {
			r.ended, r.unread = true, append(r.unread, 0xff, endOfFile)
		} else if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if len(r.unread) < n {
			r.err = err
		}
	}
	return len(r.unread) >= n
}

func (r *bitReader) readFull(p []byte) {
	for len(p) > 0 && r.more(1) {
		n := copy(p, r.unread)
		p, r.unread = p[n:], r.unread[n:]
	}
	if r.ended && len(r.unread) < 2 { // of the marker that was added
		r.fail(io.ErrUnexpectedEOF)
	}
}

// marker drops all bits, skips to the next marker and returns it.
func (r *bitReader) marker() byte {
	r.bits, r.count = 0, 0
	for r.more(2) {
		at := bytes.IndexByte(r.unread[:len(r.unread)-1], 0xff)
		if at < 0 {
			r.unread = r.unread[len(r.unread)-1:]
			continue
		}
		next := r.unread[at+1]
		r.unread = r.unread[at+1:]
		if next != 0 && next != 0xff {
			r.unread = r.unread[1:]
			return next
		}
	}
	return 0
}

// fill takes bytes until 57 bits or more are there. It stops before a marker.
//
// The fast way also sets bits beyond the count. They are those of the next byte, which sets them once more.
func (r *bitReader) fill() {
	for r.count <= 56 {
		if len(r.unread) >= 8 {
			const ones, highs = 0x0101010101010101, 0x8080808080808080
			if next := binary.BigEndian.Uint64(r.unread); (^next-ones)&next&highs == 0 { // no byte is 0xff
				r.bits |= next >> r.count
				bytes := (64 - r.count) / 8
				r.count, r.unread = r.count+8*bytes, r.unread[bytes:]
				return
			}
		}
		if !r.more(2) {
			return
		}
		next, bytes := r.unread[0], 1
		if next == 0xff {
			if r.unread[1] != 0 {
				return
			}
			bytes = 2
		}
		r.bits |= uint64(next) << (56 - r.count)
		r.count, r.unread = r.count+8, r.unread[bytes:]
	}
}

// take returns the next n bits, at most 16.
func (r *bitReader) take(n uint) int32 {
	if r.count < n {
		if r.fill(); r.count < n {
			r.fail(errFormat)
			return 0
		}
	}
	v := r.bits >> 1 >> (63 - n&63)
	r.bits, r.count = r.bits<<(n&63), r.count-n
	return int32(v)
}

// value returns a number of n bits (section F.2.2.1). Those that begin with 0 are negative.
func (r *bitReader) value(n uint) int32 {
	v := r.take(n)
	if v < 1<<n>>1 {
		v -= 1<<n - 1
	}
	return v
}

// codes is a table of Huffman codes.
type codes struct {
	short   [1 << shortest]uint16 // by the next bits: the length of the code, and its symbol; zero: a longer code
	ends    [17]uint32            // for each length: where its codes end, as 16 bits
	offsets [17]uint32            // for each length: what leads from a code to its symbol
	symbols [256]byte
}

// shortest is the length of the codes that are looked up at once.
const shortest = 9

// readCodes reads tables of codes (section B.2.4.2).
func (d *decoder) readCodes(content []byte) error {
	for len(content) > 0 {
		class, table := content[0]>>4, content[0]&15
		if len(content) < 17 || class > 1 || table > 3 {
			return errFormat
		}
		c := &d.codes[class][table]
		*c = codes{}
		counts := content[1:17]
		content = content[17:]
		var code, symbol uint32
		for i, count := range counts {
			n, count := uint(i+1), uint32(count)
			if code+count > 1<<n || symbol+count > uint32(len(c.symbols)) || int(symbol+count) > len(content) {
				return errFormat
			}
			c.offsets[n] = symbol - code
			for ; count > 0; count-- {
				c.symbols[symbol] = content[symbol]
				if n <= shortest {
					for same := range uint32(1) << (shortest - n) {
						c.short[code<<(shortest-n)+same] = uint16(n<<8) | uint16(content[symbol])
					}
				}
				code, symbol = code+1, symbol+1
			}
			c.ends[n] = code << (16 - n)
			code <<= 1
		}
		content = content[symbol:]
	}
	return nil
}

// symbol returns the symbol of the next code.
func (r *bitReader) symbol(c *codes) byte {
	if r.count < 16 {
		r.fill()
	}
	short := c.short[r.bits>>(64-shortest)]
	n, symbol := uint(short>>8), byte(short)
	if n == 0 {
		code := uint32(r.bits >> 48)
		for n = shortest + 1; n <= 16 && code >= c.ends[n]; n++ {
		}
		if n > 16 {
			r.fail(errFormat)
			return 0
		}
		symbol = c.symbols[byte(code>>(16-n)+c.offsets[n])]
	}
	if n > r.count {
		r.fail(errFormat)
		return 0
	}
	r.bits, r.count = r.bits<<(n&63), r.count-n
	return symbol
}
