package imaging

import (
	"bytes"
	"image"
	gojpeg "image/jpeg"
	"io"
	"math"
	"slices"
	"strings"

	"plaza/adapters/imaging/jpeg"
)

// The JPEG markers with metadata, sizes or pixels.
const (
	markerSOF0, markerSOF2 = 0xc0, 0xc2
	markerRST0, markerRST7 = 0xd0, 0xd7
	markerEOI, markerSOS   = 0xd9, 0xda
	markerAPP1, markerAPP2 = 0xe1, 0xe2
	markerDRI, markerAPP14 = 0xdd, 0xee
)

// jpegCoding is how the headers of a JPEG say that its pixels are coded.
type jpegCoding struct {
	factors     []byte   // the sampling factors of each component
	ids         []byte   // the names of the components
	scanned     []uint64 // of each component: the coefficients whose lowest bits are in a scan
	progressive bool
	apart       bool // a scan has some of the components
	restarts    bool
	adobe       bool // the colours are as Adobe's segment says
}

func (c *jpegCoding) add(marker byte, content []byte) {
	switch {
	case marker == markerAPP14:
		c.adobe = c.adobe || bytes.HasPrefix(content, []byte("Adobe"))
	case marker == markerDRI:
		c.restarts = c.restarts || !bytes.Equal(content, []byte{0, 0})
	case marker == markerSOS && len(content) > 0:
		c.addScan(content)
	case markerSOF0 <= marker && marker <= markerSOF2:
		const first, component = 7, 3 // the offset of the first factors, and the bytes of a component
		c.progressive = marker == markerSOF2
		for i := first; i < len(content); i += component {
			c.factors, c.ids, c.scanned = append(c.factors, content[i]), append(c.ids, content[i-1]), append(c.scanned, 0)
		}
	}
}

// addScan notes which coefficients a scan completes. One of a sequential picture has all of its components.
func (c *jpegCoding) addScan(content []byte) {
	n := int(content[0])
	c.apart = c.apart || n < len(c.factors)
	if len(content) < 4+2*n {
		return
	}
	first, last, low := byte(0), byte(63), byte(0)
	if bounds := content[1+2*n:]; c.progressive {
		first, last, low = bounds[0], bounds[1], bounds[2]&15
	}
	for i := 1; i < 2*n && low == 0 && first <= last && last <= 63; i += 2 {
		if of := bytes.IndexByte(c.ids, content[i]); of >= 0 {
			c.scanned[of] |= math.MaxUint64 >> (63 - last + first) << first
		}
	}
}

// decoder returns the decoder of the file: the one of package image/jpeg, or another one if that refuses or misreads it. If the
// scans have all that belongs to the picture, the marker of its end may be absent.
func (c *jpegCoding) decoder() func(io.Reader) (image.Image, error) {
	usual := []string{
		"\x11", "\x11\x11\x11", "\x12\x11\x11", "\x21\x11\x11", "\x22\x11\x11", "\x41\x11\x11", "\x42\x11\x11",
		"\x11\x11\x11\x11", "\x22\x11\x11\x22",
	}
	decode, end := jpeg.Decode, ""
	if slices.Contains(usual, string(c.factors)) && !(c.apart && c.restarts) && (len(c.factors) != 4 || c.adobe) {
		decode = gojpeg.Decode
	}
	if !slices.ContainsFunc(c.scanned, func(scanned uint64) bool { return scanned != math.MaxUint64 }) {
		end = string([]byte{0xff, markerEOI})
	}
	return func(r io.Reader) (image.Image, error) { return decode(io.MultiReader(r, strings.NewReader(end))) }
}
