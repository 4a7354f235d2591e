package imaging

import (
	"bufio"
	"context"
	"image"
	"io"
	"slices"

	"plaza/adapters/imaging/jpeg"
)

// form is an accepted picture format.
type form struct {
	begins func(*bufio.Reader) bool // reports whether a file begins as those of the form; it only peeks
	header func(*bufio.Reader) (header, error)
	notes  func(*bufio.Reader) (notes, error)
	decode func(context.Context, io.Reader) (image.Image, error)
}

// header is the size that the start of a file declares, and the memory that its picture needs then.
type header struct {
	size image.Point
	need need
}

// forms are the accepted formats, with their decoders. Decoders that other packages
// register with package image must not widen them.
var forms = []form{
	{begin("\xff\xd8\xff"), jpegHeader, jpegNotes, read(jpeg.Decode)},
	{begin("\x89PNG\r\n\x1a\n"), pngHeader, pngNotes, read(decodePNG)},
	{begin("GIF87a", "GIF89a"), gifHeader, gifNotes, read(decodeGIF)},
	{begin("RIFF????WEBP"), webpHeader, webpNotes, read(decodeWebP)},
	heic, avif,
}

// libheif applies the clean aperture and turns the picture upright itself, libavif does not.
var (
	heic = heifForm(true, heicBytes, decodeHEIC, "heic", "heix", "heim", "heis")
	avif = heifForm(false, avifBytes, decodeAVIF, "avif", "avis")
)

// heifForm returns the form of the files with the brands. upright says that the decoder turns the picture itself.
func heifForm(upright bool, b perPixel, decode func(context.Context, io.Reader) (image.Image, error), brands ...string) form {
	return form{
		begins: func(r *bufio.Reader) bool { return beginsHEIF(r, brands) },
		header: func(r *bufio.Reader) (header, error) {
			h, err := readHEIF(r)
			if err != nil {
				return header{}, err
			}
			size := h.size
			if upright && h.orientation.swaps() {
				size = image.Pt(size.Y, size.X)
			}
			return header{size, b.need(h)}, nil
		},
		notes: func(r *bufio.Reader) (notes, error) {
			h, err := readHEIF(r)
			if upright {
				h.orientation = 0
			}
			return notes{orientation: h.orientation, profile: h.profile}, err
		},
		decode: decode,
	}
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
