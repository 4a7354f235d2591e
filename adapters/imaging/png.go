package imaging

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
)

// pngHeader returns the size that a PNG declares. png.DecodeConfig would also look for the
// palette, which may come after any number of chunks. The passes of an interlaced picture take as much memory as the picture.
func pngHeader(r *bufio.Reader) (header, error) {
	const magic, start, interlacing = 8, "\x00\x00\x00\rIHDR", 28 // length and name of the first chunk; offset
	var head [interlacing + 1]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return header{}, err
	}
	width, height := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
	if string(head[magic:][:len(start)]) != start || max(width, height) > math.MaxInt32 {
		return header{}, errUnsupported
	}
	n := need{plain: 4, most: 12.1}
	if head[interlacing] != 0 {
		n.most = 16
	}
	return header{image.Pt(int(width), int(height)), n}, nil
}

// decodePNG decodes a PNG from the chunks that make its pixels. The decoder would also refuse a file for the checksum of
// another one.
func decodePNG(r io.Reader) (image.Image, error) {
	const magic = 8
	b := bufio.NewReader(r)
	return png.Decode(&pixelChunks{b, io.LimitReader(b, magic)})
}

// pixelChunks reads a PNG without its ancillary chunks. Only tRNS stays, which says what is transparent, if its checksum is
// right.
type pixelChunks struct {
	from *bufio.Reader
	part io.Reader
}

func (c *pixelChunks) Read(p []byte) (int, error) {
	for {
		if n, err := c.part.Read(p); err != io.EOF {
			return n, err
		}
		if err := c.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next chunk that is read.
func (c *pixelChunks) next() error {
	const head, sum, ancillary, mostColours = 8, 4, 0x20, 256
	for {
		h, err := c.from.Peek(head)
		if err != nil {
			return err
		}
		size, keep := head+int64(binary.BigEndian.Uint32(h))+sum, h[4]&ancillary == 0
		if string(h[4:]) == "tRNS" && size <= head+mostColours+sum {
			whole, err := c.from.Peek(int(size))
			if err != nil {
				return err
			}
			end := len(whole) - sum
			keep = crc32.ChecksumIEEE(whole[4:end]) == binary.BigEndian.Uint32(whole[end:])
		}
		if keep {
			c.part = io.LimitReader(c.from, size)
			return nil
		}
		if _, err := c.from.Discard(int(min(size, math.MaxInt32))); err != nil {
			return err
		}
	}
}
