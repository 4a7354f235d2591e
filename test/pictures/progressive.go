package pictures

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Progressive returns a progressive JPEG with three components of full size (4:4:4), each of which is the picture. Go has no encoder of
// such files: this one takes the codes of a baseline JPEG apart into scans of the first coefficients and scans of the others.
func Progressive(t testing.TB, m *image.Gray) []byte {
	t.Helper()
	const components = 3
	raw := JPEG(t, m)
	var out, scans []byte
	var tables [2]codes // of first coefficients, and of others
	for out, raw = raw[:2:2], raw[2:]; ; {
		marker, length := raw[1], 2+int(binary.BigEndian.Uint16(raw[2:]))
		segment := raw[:length]
		raw = raw[length:]
		switch marker {
		case 0xc0: // the frame
			segment = append(slices.Clone(segment[:10]), 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
			segment[1], segment[3], segment[9] = 0xc2, 8+3*components, components
		case 0xc4:
			for rest := segment[4:]; len(rest) > 0; {
				class := rest[0] >> 4
				require.Less(t, class, byte(len(tables)))
				rest = tables[class].read(rest)
			}
		case 0xda:
			first, others := split(raw, tables, (m.Rect.Dx()+7)/8*((m.Rect.Dy()+7)/8))
			for c := byte(1); c <= components; c++ {
				scans = slices.Concat(scans, []byte{0xff, 0xda, 0, 8, 1, c, 0, 0, 0, 0}, first)
				scans = slices.Concat(scans, []byte{0xff, 0xda, 0, 8, 1, c, 0, 1, 63, 0}, others)
			}
			return slices.Concat(out, scans, []byte{0xff, 0xd9})
		}
		out = append(out, segment...)
	}
}

// codes is a Huffman table: for each length of codes the first one, their number, and where their symbols begin.
type codes struct {
	first, count, at [17]int
	symbols          []byte
}

// read reads a table from a segment and returns the rest of the segment.
func (c *codes) read(segment []byte) []byte {
	code := 0
	for n, total := 1, 0; n <= 16; n++ {
		c.first[n], c.count[n], c.at[n] = code, int(segment[n]), total
		total += c.count[n]
		code = (code + c.count[n]) << 1
	}
	total := c.at[16] + c.count[16]
	c.symbols = segment[17 : 17+total]
	return segment[17+total:]
}

// split returns the codes of the first coefficients of a grey scan and those of the others.
func split(scan []byte, tables [2]codes, blocks int) (first, others []byte) {
	from := bitReader{in: bytes.ReplaceAll(scan, []byte{0xff, 0}, []byte{0xff})}
	var to [2]bitWriter
	for range blocks {
		from.copyCode(&tables[0], &to[0])
		for k := 1; k < 64; k++ {
			symbol := from.copyCode(&tables[1], &to[1])
			if symbol == 0 { // the end of the block
				break
			}
			k += int(symbol >> 4)
		}
	}
	return to[0].bytes(), to[1].bytes()
}

type bitReader struct {
	in []byte
	at int // bits
}

func (r *bitReader) bit() int {
	b := r.in[r.at/8] >> (7 - r.at%8) & 1
	r.at++
	return int(b)
}

// copyCode copies a code and the bits that belong to it, and returns its symbol.
func (r *bitReader) copyCode(c *codes, to *bitWriter) byte {
	code := 0
	for n := 1; n <= 16; n++ {
		code = code<<1 | r.bit()
		if code-c.first[n] >= c.count[n] {
			continue
		}
		symbol := c.symbols[c.at[n]+code-c.first[n]]
		to.put(code, n)
		for range symbol & 15 {
			to.put(r.bit(), 1)
		}
		return symbol
	}
	panic("no such code")
}

type bitWriter struct {
	out  []byte
	last uint64
	used int // bits of last
}

func (w *bitWriter) put(value, count int) {
	w.last, w.used = w.last<<count|uint64(value), w.used+count
	for ; w.used >= 8; w.used -= 8 {
		b := byte(w.last >> (w.used - 8))
		if w.out = append(w.out, b); b == 0xff {
			w.out = append(w.out, 0)
		}
	}
}

// bytes fills the last byte with ones.
func (w *bitWriter) bytes() []byte {
	w.put(0x7f, 7)
	return w.out
}
