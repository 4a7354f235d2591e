package ports

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/test/pictures"
)

// The pictures of this suite are made here.

// The colours of the quarters of a picture, as they are read: all of them can be
// written in any form.
var quarterColours = [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}

// quarters is a picture whose quarters have one colour each.
func quarters(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, quarterColours[2*(2*y/height)+2*x/width])
		}
	}
	return m
}

// encoded is the picture by its type; the WebP is one without loss.
func encoded(t *testing.T, m *image.NRGBA) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"image/jpeg": pictures.JPEG(t, m), "image/png": pictures.PNG(t, m), "image/gif": pictures.GIF(t, paletted(m)),
		"image/webp": webPFile(webPOf(m)),
	}
}

// paletted is the picture with all of its colours, of which it must not have many.
func paletted(m *image.NRGBA) *image.Paletted {
	p := image.NewPaletted(m.Rect, nil)
	numbers := map[color.NRGBA]int{}
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := m.NRGBAAt(x, y)
			i, known := numbers[c]
			if !known && len(p.Palette) < 256 {
				i = len(p.Palette)
				numbers[c], p.Palette = i, append(p.Palette, c)
			}
			p.SetColorIndex(x, y, uint8(i))
		}
	}
	return p
}

// lossyWebP is a grey pixel in VP8.
func lossyWebP(t *testing.T) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	require.NoError(t, err)
	return raw
}

// bits are written from the least significant one on, as VP8L has them.
type bits struct {
	out  []byte
	used uint
}

func (b *bits) put(value, count uint) {
	for ; count > 0; count-- {
		if b.used%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[len(b.out)-1] |= byte(value&1) << (b.used % 8)
		value, b.used = value>>1, b.used+1
	}
}

// webPOf is a VP8L chunk of a picture, in which every channel is either 0 or 255.
func webPOf(m *image.NRGBA) []byte {
	b := &bits{out: []byte{0x2f}}
	size := m.Rect.Size()
	b.put(uint(size.X-1), 14)
	b.put(uint(size.Y-1), 14)
	b.put(1, 1)       // there may be alpha
	b.put(0, 3+1+1+1) // the version; no transforms, no cache, one group of codes
	for range 4 {     // green, red, blue, alpha: a simple code of two symbols
		b.put(0b111, 3)
		b.put(0, 8)
		b.put(255, 8)
	}
	b.put(0b0001, 4) // distances: never used
	for i := 0; i < len(m.Pix); i += 4 {
		for _, channel := range []int{1, 0, 2, 3} {
			b.put(uint(m.Pix[i+channel]&1), 1)
		}
	}
	return webPChunk("VP8L", b.out)
}

func webPChunk(kind string, data []byte) []byte {
	out := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(data)))...)
	return append(append(out, data...), make([]byte, len(data)%2)...)
}

func webPFile(chunks ...[]byte) []byte {
	content := append([]byte("WEBP"), slices.Concat(chunks...)...)
	return append([]byte("RIFF"), append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)...)
}

// webPCanvas is the chunk that a file with more than the picture starts with.
func webPCanvas(flags byte, width, height int) []byte {
	w, h := width-1, height-1
	return webPChunk("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)})
}

func chunk(kind string, data ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withChunks is the PNG with more chunks behind its header.
func withChunks(raw []byte, chunks ...[]byte) []byte {
	const header = 8 + 25
	return slices.Concat(raw[:header], slices.Concat(chunks...), raw[header:])
}

func segment(marker byte, data []byte) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))
	return append(out, data...)
}

// withSegments is the JPEG with more segments at its start.
func withSegments(raw []byte, segments ...[]byte) []byte {
	return slices.Concat(raw[:2], slices.Concat(segments...), raw[2:])
}

// exif says how the camera was held, and at the end any other data.
func exif(order binary.AppendByteOrder, orientation uint16, more string) []byte {
	out := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		out = []byte("MM")
	}
	out = order.AppendUint16(out, 42)
	out = order.AppendUint32(out, 8)
	out = order.AppendUint16(out, 2)
	for _, entry := range [][2]uint16{{0x0100, 1}, {0x0112, orientation}} {
		out = order.AppendUint16(out, entry[0])
		out = order.AppendUint16(out, 3)
		out = order.AppendUint32(out, 1)
		out = order.AppendUint16(out, entry[1])
		out = order.AppendUint16(out, 0)
	}
	return append(append(out, 0, 0, 0, 0), more...)
}

// hollowPNG is a PNG that only declares its size, in 71 bytes.
func hollowPNG(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0)...)...)
	out = append(out, chunk("IDAT", 0x78, 0x9c, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)...)
	return append(out, chunk("IEND")...)
}

// hollowGIF and hollowJPEG only declare their sizes as well.
func hollowGIF(width, height uint16) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(out, height), 0, 0, 0, 0x3b)
}

func hollowJPEG(width, height uint16) []byte {
	out := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08"),
		height)
	return append(binary.BigEndian.AppendUint16(out, width), 1, 1, 0x11, 0)
}

func hollowWebP(width, height int) []byte { return webPFile(webPCanvas(0x10, width, height)) }

// inkJPEG is one block of 8 x 8 pixels of one colour, in any number of components;
// Adobe's segment says that they are what they are.
func inkJPEG(values ...byte) []byte {
	n := byte(len(values))
	out := slices.Concat([]byte{0xff, 0xd8}, segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")))
	out = append(out, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{8}, 64)...))...)
	frame, scan := []byte{8, 0, 8, 0, 8, n}, []byte{n}
	for i := range n {
		frame, scan = append(frame, i+1, 0x11, 0), append(scan, i+1, 0)
	}
	out = append(out, segment(0xc0, frame)...)
	// Codes: 00 for a difference of 7 bits, 01 for one of 8; 0 for the end of a block.
	out = append(out, segment(0xc4, append([]byte{0x00, 0, 2}, append(make([]byte, 14), 7, 8)...))...)
	out = append(out, segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0)...))...)
	out = append(out, segment(0xda, append(scan, 0, 63, 0))...)
	var data string
	for _, v := range values {
		data += map[byte]string{0: "01" + "01111111", 255: "00" + "1111111"}[v] + "0"
	}
	for data += "1111111"; len(data) >= 8; data = data[8:] {
		var b byte
		for _, bit := range data[:8] {
			b = b<<1 | byte(bit-'0')
		}
		if out = append(out, b); b == 0xff {
			out = append(out, 0)
		}
	}
	return append(out, 0xff, 0xd9)
}
