package imaging

import (
	"bytes"
	"image"
	"io"
	"slices"

	"plaza/adapters/imaging/jpeg"
)

// jpegCoding is how the headers of a JPEG say that its pixels are coded.
type jpegCoding struct {
	factors  []byte // the sampling factors of each component
	apart    bool   // a scan has some of the components
	restarts bool
	adobe    bool // the colours are as Adobe's segment says
}

func (c *jpegCoding) add(marker byte, content []byte) {
	switch {
	case marker == markerAPP14:
		c.adobe = c.adobe || bytes.HasPrefix(content, []byte("Adobe"))
	case marker == markerDRI:
		c.restarts = c.restarts || !bytes.Equal(content, []byte{0, 0})
	case marker == markerSOS && len(content) > 0:
		c.apart = c.apart || int(content[0]) < len(c.factors)
	case markerSOF0 <= marker && marker <= markerSOF2:
		const first, component = 7, 3 // the offset of the first factors, and the bytes of a component
		for i := first; i < len(content); i += component {
			c.factors = append(c.factors, content[i])
		}
	}
}

// decoder returns the decoder of files that package image/jpeg refuses or misreads. It returns nil for all others.
func (c *jpegCoding) decoder() func(io.Reader) (image.Image, error) {
	usual := []string{
		"\x11", "\x11\x11\x11", "\x12\x11\x11", "\x21\x11\x11", "\x22\x11\x11", "\x41\x11\x11", "\x42\x11\x11",
		"\x11\x11\x11\x11", "\x22\x11\x11\x22",
	}
	if slices.Contains(usual, string(c.factors)) && !(c.apart && c.restarts) && (len(c.factors) != 4 || c.adobe) {
		return nil
	}
	return jpeg.Decode
}
