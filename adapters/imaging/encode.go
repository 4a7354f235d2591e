package imaging

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"plaza/domain/media"
)

const (
	jpegQuality = 90
	jpegSide    = 1<<16 - 1 // pixels; the format's limit

	// The lengths of what precedes the profile: the marker at the start of every JPEG, and the
	// signature and the header of a PNG.
	jpegStart, pngStart = 2, 8 + 25

	// quickPixels is the size from which a PNG is compressed fast. Better compression would
	// take seconds and save a fifth.
	quickPixels = 1_000_000
)

// encode returns the pixels as a JPEG, or as a PNG if they are transparent or exceed JPEG's
// limit.
func (p picture) encode() (media.Upload, error) {
	size := p.pixels.Bounds().Size()
	u := media.Upload{Type: "image/jpeg", Width: size.X, Height: size.Y}
	encode, start, inFile := encodeJPEG, jpegStart, jpegProfile
	if !opaque(p.pixels) || max(size.X, size.Y) > jpegSide {
		u.Type, encode, start, inFile = "image/png", encodePNG, pngStart, pngProfile
	}
	var out pieces
	if err := encode(&out, p.pixels); err != nil {
		return media.Upload{}, fmt.Errorf("encoding a picture as %s: %w", u.Type, err)
	}
	first := [][]byte{out[0][:start], inFile(p.profileBytes()), out[0][start:]}
	u.Bytes = slices.Concat(slices.Concat(first, out[1:])...)
	return u, nil
}

// pieces collects what is written. A buffer that doubles would take three times as much
// memory.
type pieces [][]byte

func (p *pieces) Write(b []byte) (int, error) {
	const piece = 256 << 10
	for rest := b; len(rest) > 0; {
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == piece {
			*p = append(*p, make([]byte, 0, piece))
			continue
		}
		n := min(len(rest), piece-len((*p)[last]))
		(*p)[last], rest = append((*p)[last], rest[:n]...), rest[n:]
	}
	return len(b), nil
}

func encodeJPEG(out io.Writer, pixels image.Image) error {
	if n, ok := pixels.(*image.NRGBA); ok {
		pixels = asRGBA(n) // the encoder has a fast path for RGBA
	}
	return jpeg.Encode(out, pixels, &jpeg.Options{Quality: jpegQuality})
}

func encodePNG(out io.Writer, pixels image.Image) error {
	if n, ok := pixels.(*image.NRGBA); ok && opaque(n) {
		pixels = asRGBA(n)
	}
	e, large := png.Encoder{}, area(pixels.Bounds().Size()) > quickPixels
	if n, ok := pixels.(*image.NRGBA); ok && large {
		return encodeQuickPNG(out, n)
	}
	if large {
		e.CompressionLevel = png.BestSpeed
	}
	return e.Encode(out, pixels)
}

// profileBytes returns the profile that fits the type of the pixels.
func (p picture) profileBytes() []byte {
	if _, isGrey := p.pixels.(*image.Gray); p.profile != nil && p.profile.grey && !isGrey {
		return p.profile.inColour().bytes()
	}
	return p.profile.bytes()
}

// jpegProfile returns the profile in as many segments as it needs.
func jpegProfile(profile []byte) []byte {
	const most = 0xffff - 2 - len(iccName) - 2
	var out []byte
	count := (len(profile) + most - 1) / most
	for i := range count {
		part := profile[i*most : min((i+1)*most, len(profile))]
		out = append(out, 0xff, markerAPP2)
		out = binary.BigEndian.AppendUint16(out, uint16(2+len(iccName)+2+len(part)))
		out = append(append(out, iccName...), byte(i+1), byte(count))
		out = append(out, part...)
	}
	return out
}

// pngProfile returns the profile as a chunk.
func pngProfile(profile []byte) []byte {
	if profile == nil {
		return nil
	}
	content := bytes.NewBufferString("ICC\x00\x00") // a name and the only compression method
	z := zlib.NewWriter(content)
	_, _ = z.Write(profile) // a buffer takes all bytes
	_ = z.Close()
	var chunk bytes.Buffer
	_ = writeChunk(&chunk, "iCCP", content.Bytes())
	return chunk.Bytes()
}
