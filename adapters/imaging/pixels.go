package imaging

import (
	"image"
	"image/color"
	"image/draw"
)

// picture is a decoded picture with the meaning of its colours.
type picture struct {
	pixels   image.Image // *image.Gray, *image.YCbCr or *image.NRGBA, from (0, 0)
	profile  *profile    // nil: sRGB
	lossless bool        // the pixels are those that were drawn: the upload was a PNG, a GIF or a lossless WebP
}

// plain converts what the decoders return to one of three types, all with 8 bits:
// *image.Gray, *image.YCbCr, and *image.NRGBA for the rest. It reuses the memory where
// possible: the caller must not use decoded afterwards.
//
// Only a frame of an animation can be smaller than the size; the rest is transparent.
func plain(decoded image.Image, size image.Point) image.Image {
	whole := image.Rectangle{Max: size}
	switch m := decoded.(type) {
	case *image.Gray, *image.YCbCr, *image.NRGBA:
		return m
	case *image.RGBA: // the decoders return it for pictures without transparency
		return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	case *image.Gray16:
		return &image.Gray{Pix: highBytes(m.Pix, 0), Stride: m.Stride / 2, Rect: m.Rect}
	case *image.RGBA64:
		return &image.NRGBA{Pix: highBytes(m.Pix, 0), Stride: m.Stride / 2, Rect: m.Rect}
	case *image.NRGBA64:
		return &image.NRGBA{Pix: highBytes(m.Pix, 0), Stride: m.Stride / 2, Rect: m.Rect}
	case *image.Paletted:
		return unpaletted(m, whole)
	case *image.CMYK:
		return uninked(m)
	case *image.NYCbCrA:
		return unplaned(m)
	}
	n := image.NewNRGBA(whole)
	draw.Draw(n, decoded.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	return n
}

// highBytes returns a copy of the high one of every two bytes, the first (0) or the second (1), so that the others take no
// memory while the picture is encoded.
func highBytes(pix []byte, high int) []byte {
	half := make([]byte, len(pix)/2)
	for i := range half {
		half[i] = pix[2*i+high]
	}
	return half
}

func unpaletted(m *image.Paletted, whole image.Rectangle) *image.NRGBA {
	var colours [256][4]byte
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		colours[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	n := image.NewNRGBA(whole)
	r := m.Rect.Intersect(whole)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := m.Pix[m.PixOffset(r.Min.X, y):][:r.Dx()]
		to := n.Pix[n.PixOffset(r.Min.X, y):]
		for i, index := range from {
			copy(to[4*i:4*i+4], colours[index][:])
		}
	}
	return n
}

// uninked converts CMYK pixels in their own memory; both types have four bytes a pixel.
func uninked(m *image.CMYK) *image.NRGBA {
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		p := m.Pix[i : i+4]
		p[0], p[1], p[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
		p[3] = 0xff
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
}

func unplaned(m *image.NYCbCrA) image.Image {
	if m.Opaque() {
		return &m.YCbCr
	}
	n := image.NewNRGBA(m.Rect)
	for i, y := 0, m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			luma, c := m.YOffset(x, y), m.COffset(x, y)
			n.Pix[i], n.Pix[i+1], n.Pix[i+2] = color.YCbCrToRGB(m.Y[luma], m.Cb[c], m.Cr[c])
			n.Pix[i+3] = m.A[m.AOffset(x, y)]
			i += 4
		}
	}
	return n
}

func area(p image.Point) int { return p.X * p.Y }

// asRGBA returns opaque pixels as RGBA, whose bytes are the same.
func asRGBA(n *image.NRGBA) *image.RGBA {
	return &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
}

func widen(m *image.YCbCr) {
	stretch(m.Y, 16, 219, 0)
	stretch(m.Cb, 128, 224, 128)
	stretch(m.Cr, 128, 224, 128)
}

// stretch scales values that span the given range around zero to a whole byte around to.
func stretch(values []byte, zero, span, to int) {
	var table [256]byte
	for v := range table {
		table[v] = uint8(max(0, min(to+roundDiv((v-zero)*255, span), 255)))
	}
	for i, v := range values {
		values[i] = table[v]
	}
}

// roundDiv divides by a positive number and rounds halves away from zero.
func roundDiv(a, b int) int {
	if a < 0 {
		return -((-a + b/2) / b)
	}
	return (a + b/2) / b
}
