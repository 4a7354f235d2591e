package imaging

import (
	"bufio"
	"context"
	"encoding/binary"
	"image"
	gojpeg "image/jpeg"
	"io"
	"math"
	"slices"

	"golang.org/x/image/webp"

	"plaza/adapters/imaging/jpeg"
)

// form is an accepted picture format.
type form struct {
	begins func(*bufio.Reader) bool // reports whether a file begins as those of the form; it only peeks
	header func(io.Reader) (image.Config, error)
	need   func(*bufio.Reader, image.Config) need // of a picture with that header
	notes  func(*bufio.Reader) (notes, error)
	decode func(context.Context, io.Reader) (image.Image, error)
}

// forms are the accepted formats, with their decoders. Decoders that other packages
// register with package image must not widen them.
var forms = []form{
	{begin("\xff\xd8\xff"), jpeg.DecodeConfig, jpegNeed, jpegNotes, read(gojpeg.Decode)},
	{begin("\x89PNG\r\n\x1a\n"), pngHeader, pngNeed, pngNotes, read(decodePNG)},
	{begin("GIF87a", "GIF89a"), gifHeader, gifNeed, gifNotes, read(decodeGIF)},
	{begin("RIFF????WEBP"), webp.DecodeConfig, webpNeed, webpNotes, read(decodeWebP)},
	heic, avif,
}

// begin finds the beginnings of files; ? is any byte.
func begin(beginnings ...string) func(*bufio.Reader) bool {
	return func(r *bufio.Reader) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool {
			head, _ := r.Peek(len(b))
			for i, c := range head {
				if b[i] != '?' && b[i] != c {
					return false
				}
			}
			return len(head) == len(b)
		})
	}
}

// read is a decoder that ends when its reader does.
func read(decode func(io.Reader) (image.Image, error)) func(context.Context, io.Reader) (image.Image, error) {
	return func(_ context.Context, r io.Reader) (image.Image, error) { return decode(r) }
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

// pngHeader returns the size that a PNG declares. png.DecodeConfig would also look for the
// palette, which may come after any number of chunks.
func pngHeader(r io.Reader) (image.Config, error) {
	const magic, start = 8, "\x00\x00\x00\rIHDR" // length and name of the first chunk
	var head [magic + len(start) + 8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return image.Config{}, err
	}
	width, height := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
	if string(head[magic:][:len(start)]) != start || max(width, height) > math.MaxInt32 {
		return image.Config{}, errUnsupported
	}
	return image.Config{Width: int(width), Height: int(height)}, nil
}
