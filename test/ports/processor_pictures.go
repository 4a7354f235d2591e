package ports

import (
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// The pictures of this suite are made here.

// The colours of the quarters of a picture, as they are read: all of them can be written in any form.
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
		"image/webp": pictures.WebPFile(webPOf(m)),
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
	return pictures.WebPChunk("VP8L", b.out)
}

// hollowPNG is a PNG that only declares its size, in 71 bytes.
func hollowPNG(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	out := append([]byte("\x89PNG\r\n\x1a\n"), pictures.Chunk("IHDR", append(head, 8, 6, 0, 0, 0)...)...)
	out = append(out, pictures.Chunk("IDAT", 0x78, 0x9c, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)...)
	return append(out, pictures.Chunk("IEND")...)
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

func hollowWebP(width, height int) []byte {
	return pictures.WebPFile(pictures.WebPCanvas(0x10, width, height))
}

// noise is a picture that compresses badly.
func noise(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	dice := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(m.Pix); i += 4 {
		for channel := range 3 {
			m.Pix[i+channel] = uint8(-(dice.IntN(2))) // 0 or 255, for the WebP
		}
		m.Pix[i+3] = 255
	}
	return m
}

func processorSizes(c processorClient) {
	frames := []media.SizeSpec{{Name: "a", Width: 30, Height: 30}, {Name: "b", Width: 100, Height: 100}, {Name: "c", Width: 30, Height: 5},
		{Name: "d", Width: 60, Height: 60}, {Name: "e", Width: 30, Height: 30}}
	for _, p := range []struct {
		picture image.Point
		sizes   []image.Point // zero: the picture's own
	}{
		{image.Pt(200, 100), []image.Point{{30, 15}, {100, 50}, {10, 5}, {60, 30}, {30, 15}}},
		{image.Pt(100, 200), []image.Point{{15, 30}, {50, 100}, {3, 5}, {30, 60}, {15, 30}}},
		{image.Pt(60, 60), []image.Point{{30, 30}, {}, {5, 5}, {}, {30, 30}}},
		{image.Pt(31, 31), []image.Point{{30, 30}, {}, {5, 5}, {}, {30, 30}}},
		{image.Pt(30, 30), []image.Point{{}, {}, {5, 5}, {}, {}}},
		{image.Pt(7, 5), []image.Point{{}, {}, {}, {}, {}}},
		{image.Pt(1000, 3), []image.Point{{30, 1}, {100, 1}, {30, 1}, {60, 1}, {30, 1}}},
		{image.Pt(1, 700), []image.Point{{1, 30}, {1, 100}, {1, 5}, {1, 60}, {1, 30}}},
	} {
		for kind, raw := range encoded(c.T, quarters(p.picture.X, p.picture.Y)) {
			d := c.processed(raw, frames...)
			require.Len(c, d.Variants, len(frames))
			for i, r := range d.Variants {
				assert.Equal(c, frames[i].Name, r.Name)
				want := p.sizes[i]
				if want == (image.Point{}) {
					assert.Nil(c, r.Bytes, "%s of %v in %s", kind, p.picture, r.Name)
					assert.Equal(c, []any{d.Type, d.Width, d.Height}, []any{r.Type, r.Width, r.Height})
					continue
				}
				assert.Equal(c, want, image.Pt(r.Width, r.Height), "%s of %v in %s", kind, p.picture, r.Name)
				m := asPicture(c.T, r.Upload)
				if want.X > 20 && want.Y > 20 {
					assertQuarters(c.T, m, [4]int{0, 1, 2, 3}, "%s of %v in %s", kind, p.picture, r.Name)
				}
			}
		}
	}
}

// drawn is a picture of so many pixels, by the function.
func drawn(size image.Point, at func(x, y int) color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			m.SetNRGBA(x, y, at(x, y))
		}
	}
	return m
}

func level(m image.Image, x, y int) float64 {
	return float64(color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y)
}

// variants are those of the picture, made together and each alone.
func (c processorClient) variants(raw []byte) []media.Variant {
	c.Helper()
	frames := []media.SizeSpec{{Name: "s", Width: 40, Height: 40}, {Name: "m", Width: 100, Height: 100}, {Name: "l", Width: 230, Height: 230}}
	all := c.processed(raw, frames...).Variants
	for _, f := range frames {
		all = append(all, c.processed(raw, f).Variants...)
	}
	return all
}

func processorSharp(c processorClient) {
	if testing.Short() {
		c.Skip("make test-all runs this")
	}
	// A chequerboard too fine to be seen is grey, everywhere alike.
	board := drawn(image.Pt(480, 480), func(x, y int) color.NRGBA {
		v := uint8((x+y)%2) * 255
		return color.NRGBA{v, v, v, 255}
	})
	for kind, raw := range encoded(c.T, board) {
		for _, r := range c.variants(raw) {
			m := asPicture(c.T, r.Upload)
			for y := 2; y < r.Height-2; y += 7 {
				for x := 2; x < r.Width-2; x++ {
					require.InDelta(c, 127, level(m, x, y), 12, "%s, %s at %d, %d", kind, r.Name, x, y)
				}
			}
		}
	}
	// What can't be seen does not colour its neighbours.
	ghost := drawn(image.Pt(480, 480), func(x, _ int) color.NRGBA {
		if x/8%2 == 0 {
			return color.NRGBA{255, 0, 0, 0}
		}
		return color.NRGBA{0, 0, 255, 255}
	})
	for _, r := range c.variants(encoded(c.T, ghost)["image/png"]) {
		assert.Equal(c, "image/png", r.Type)
		m := asPicture(c.T, r.Upload)
		for x := range r.Width {
			if n := color.NRGBAModel.Convert(m.At(x, r.Height/2)).(color.NRGBA); n.A > 16 {
				require.InDelta(c, 0, n.R, 8, "%s at %d", r.Name, x)
				require.InDelta(c, 255, n.B, 8, "%s at %d", r.Name, x)
			}
		}
	}
}
