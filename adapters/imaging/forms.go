package imaging

import (
	"bufio"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"
)

// form is an accepted picture format.
type form struct {
	isForm func(head string) bool
	header func(io.Reader) (image.Config, error)
	need   func(*bufio.Reader, image.Config) need // of a picture with that header
	notes  func(*bufio.Reader) (notes, error)
	decode func(io.Reader) (image.Image, error)
}

// forms are the formats of media.Accepted, with their decoders. Decoders that other packages
// register with package image must not widen them.
var forms = []form{
	{startsWith("\xff\xd8\xff"), jpeg.DecodeConfig, jpegNeed, jpegNotes, jpeg.Decode},
	{startsWith("\x89PNG\r\n\x1a\n"), png.DecodeConfig, pngNeed, pngNotes, png.Decode},
	{startsWith("GIF87a", "GIF89a"), gif.DecodeConfig, gifNeed, gifNotes, gif.Decode},
	{isWebP, webp.DecodeConfig, webpNeed, webpNotes, decodeWebP},
}

// longestMagic is how many bytes identify every format.
const longestMagic = 12

func startsWith(prefixes ...string) func(string) bool {
	return func(head string) bool {
		for _, prefix := range prefixes {
			if strings.HasPrefix(head, prefix) {
				return true
			}
		}
		return false
	}
}

func isWebP(head string) bool {
	return len(head) == longestMagic && strings.HasPrefix(head, "RIFF") && strings.HasSuffix(head, "WEBP")
}

// decodeWebP stretches VP8's values, which run from 16 to 235 and from 16 to 240 (ITU-R
// BT.601). The decoder leaves that to its caller. Without it, black is dark grey.
func decodeWebP(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		widen(m)
	case *image.NYCbCrA:
		widen(&m.YCbCr)
	}
	return m, nil
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
