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

	"plaza/domain/media"
)

const (
	jpegQuality = 90
	jpegSide    = 1<<16 - 1 // pixels; the format has no more

	// quickPixels are those of a PNG from which on it is compressed fast: more takes
	// seconds, for a fifth of its size.
	quickPixels = 1_000_000
)

// encode makes a file of the pixels: a JPEG, or a PNG where something is transparent,
// or too long for a JPEG.
func (p picture) encode() (media.Upload, error) {
	size := p.pixels.Bounds().Size()
	var out bytes.Buffer
	out.Grow(area(size)/4 + 1<<10)
	u := media.Upload{Type: "image/jpeg", Width: size.X, Height: size.Y}
	var err error
	if opaque(p.pixels) && max(size.X, size.Y) <= jpegSide {
		err = p.encodeJPEG(&out)
	} else {
		u.Type, err = "image/png", p.encodePNG(&out)
	}
	if err != nil {
		return media.Upload{}, fmt.Errorf("encode a picture as %s: %w", u.Type, err)
	}
	// Whoever keeps the picture must not keep the room that was made for it.
	u.Bytes = bytes.Clone(out.Bytes())
	return u, nil
}

func (p picture) encodeJPEG(out io.Writer) error {
	pixels := p.pixels
	if n, ok := pixels.(*image.NRGBA); ok {
		pixels = asRGBA(n) // which the encoder has a fast way for
	}
	const start = 2 // the marker that every JPEG starts with
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
	e := png.Encoder{}
	if area(pixels.Bounds().Size()) > quickPixels {
		e.CompressionLevel = png.BestSpeed
	}
	const start = 8 + 25 // the signature and the header
	return e.Encode(&insertion{out, start, profile}, pixels)
}

// profileFor is the profile as it goes with the pixels.
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

// insertion puts something in where so many bytes have gone by.
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

// jpegProfile is the profile in as many segments as it needs.
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

// pngProfile is the profile as a chunk.
func pngProfile(profile []byte) ([]byte, error) {
	if profile == nil {
		return nil, nil
	}
	content := bytes.NewBufferString("iCCPICC\x00\x00") // with a name, and the only method
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
