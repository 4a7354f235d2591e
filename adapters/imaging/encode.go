package imaging

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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

	// quickPixels is the size from which a PNG is compressed fast. Better compression would
	// take seconds and save a fifth.
	quickPixels = 1_000_000
)

// encode returns the pixels as a JPEG, or as a PNG if they are transparent or exceed JPEG's
// limit.
func (p picture) encode() (media.Upload, error) {
	size := p.pixels.Bounds().Size()
	var out pieces
	u := media.Upload{Type: "image/jpeg", Width: size.X, Height: size.Y}
	var err error
	if opaque(p.pixels) && max(size.X, size.Y) <= jpegSide {
		err = p.encodeJPEG(&out)
	} else {
		u.Type, err = "image/png", p.encodePNG(&out)
	}
	if err != nil {
		return media.Upload{}, fmt.Errorf("encoding a picture as %s: %w", u.Type, err)
	}
	u.Bytes = slices.Concat(out...)
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

func (p picture) encodeJPEG(out io.Writer) error {
	pixels := p.pixels
	if n, ok := pixels.(*image.NRGBA); ok {
		pixels = asRGBA(n) // the encoder has a fast path for RGBA
	}
	const start = 2 // length of the marker at the start of every JPEG
	return jpeg.Encode(&insertion{out, start, jpegProfile(p.profileFor(pixels))}, pixels, &jpeg.Options{Quality: jpegQuality})
}

func (p picture) encodePNG(out io.Writer) error {
	pixels := p.pixels
	if n, ok := pixels.(*image.NRGBA); ok && opaque(n) {
		pixels = asRGBA(n)
	}
	profile, err := pngProfile(p.profileFor(pixels))
	if err != nil {
		return err
	}
	e, large := png.Encoder{}, area(pixels.Bounds().Size()) > quickPixels
	if n, ok := pixels.(*image.NRGBA); ok && large {
		return encodeQuickPNG(out, n, profile)
	}
	if large {
		e.CompressionLevel = png.BestSpeed
	}
	const start = 8 + 25 // length of the signature and the header
	return e.Encode(&insertion{out, start, profile}, pixels)
}

// profileFor returns the profile that fits the type of the pixels.
func (p picture) profileFor(pixels image.Image) []byte {
	_, isGrey := pixels.(*image.Gray)
	switch {
	case p.profile == nil:
		return nil
	case p.profile.grey && !isGrey:
		return p.profile.inColour().bytes()
	}
	return p.profile.bytes()
}

// insertion writes extra bytes after a number of bytes.
type insertion struct {
	out    io.Writer
	after  int
	insert []byte
}

func (in *insertion) Write(b []byte) (int, error) {
	if in.insert == nil {
		return in.out.Write(b)
	}
	n := min(in.after, len(b))
	if _, err := in.out.Write(b[:n]); err != nil {
		return 0, err
	}
	if in.after -= n; in.after > 0 {
		return n, nil
	}
	if _, err := in.out.Write(in.insert); err != nil {
		return n, err
	}
	in.insert = nil
	more, err := in.out.Write(b[n:])
	return n + more, err
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
func pngProfile(profile []byte) ([]byte, error) {
	if profile == nil {
		return nil, nil
	}
	content := bytes.NewBufferString("iCCPICC\x00\x00") // a name and the only compression method
	z := zlib.NewWriter(content)
	if _, err := z.Write(profile); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(content.Len()-4))
	out = append(out, content.Bytes()...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(content.Bytes())), nil
}
