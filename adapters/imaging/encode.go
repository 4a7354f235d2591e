package imaging

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"runtime/debug"
	"slices"

	"plaza/domain/media"
)

const (
	jpegSide = 1<<16 - 1 // pixels; the format's limit

	// The lengths of what precedes the profile: the marker at the start of every JPEG, and the
	// signature and the header of a PNG.
	jpegStart, pngStart = 2, 8 + 25

	// quickPixels is the size from which a PNG is compressed fast. Better compression would
	// take seconds and save a fifth.
	quickPixels = 1_000_000
)

// bestQuality is that of a JPEG that is not larger than an upload may be.
const bestQuality = 90

// lowerQualities are those of a JPEG that would be larger, best first. Each has the share of the
// bytes that remains of black and white noise. Of photos, less remains.
var lowerQualities = [...]struct {
	quality int
	share   float64
}{{80, 0.76}, {70, 0.65}, {40, 0.46}, {20, 0.29}, {10, 0.21}}

// qualityFor returns the best quality with which a JPEG is not larger than an upload may be, from
// its length with the best one.
func qualityFor(length int) int {
	if length <= media.MaxBytes {
		return bestQuality
	}
	for _, l := range lowerQualities {
		if l.share*float64(length) <= media.MaxBytes {
			return l.quality
		}
	}
	return lowerQualities[len(lowerQualities)-1].quality
}

// errLonger is the error of a file that is longer than it may be.
var errLonger = errors.New("the file is longer than it may be")

// encode returns the pixels as a JPEG or a PNG.
func (p picture) encode() (media.Upload, error) {
	size := p.pixels.Bounds().Size()
	u := media.Upload{Type: "image/jpeg", Width: size.X, Height: size.Y}
	start, inFile := jpegStart, jpegProfile
	out, isPNG, err := p.smallest()
	if isPNG {
		u.Type, start, inFile = "image/png", pngStart, pngProfile
	}
	if err != nil {
		return media.Upload{}, fmt.Errorf("encoding a picture as %s: %w", u.Type, err)
	}
	first := [][]byte{out[0][:start], inFile(p.profileBytes()), out[0][start:]}
	u.Bytes = slices.Concat(slices.Concat(first, out[1:])...)
	return u, nil
}

// smallest encodes the pixels as a PNG if they are transparent or exceed JPEG's limit, or if
// they came without loss and the PNG is not longer than the JPEG. The PNG of a photo is given
// up where it becomes longer, long before its end.
func (p picture) smallest() (file pieces, isPNG bool, err error) {
	size := p.pixels.Bounds().Size()
	if n, is := p.pixels.(*image.NRGBA); is && !n.Opaque() || max(size.X, size.Y) > jpegSide {
		file, err = p.png(math.MaxInt)
		return file, true, err
	}
	if file, err = p.jpeg(bestQuality); err != nil {
		return nil, false, err
	}
	length := file.length()
	if p.lossless {
		if png, err := p.png(min(length, media.MaxBytes)); err == nil {
			return png, true, nil
		}
	}
	if quality := qualityFor(length); quality < bestQuality {
		file = nil
		debug.FreeOSMemory() // before the next one takes as much
		file, err = p.jpeg(quality)
	}
	return file, false, err
}

func (p picture) jpeg(quality int) (pieces, error) {
	pixels := p.pixels
	if n, ok := pixels.(*image.NRGBA); ok {
		pixels = asRGBA(n) // the encoder has a fast path for RGBA
	}
	return encoded(math.MaxInt, func(out io.Writer) error { return jpeg.Encode(out, pixels, &jpeg.Options{Quality: quality}) })
}

func (p picture) png(most int) (pieces, error) {
	return encoded(most, func(out io.Writer) error { return encodePNG(out, p.pixels) })
}

// encoded returns what encode writes, or as much of it as is allowed, with errLonger.
func encoded(most int, encode func(io.Writer) error) (pieces, error) {
	out := &bounded{left: most}
	err := encode(out)
	return out.pieces, err
}

// bounded collects at most so many bytes. A buffer that doubles would take three times as much memory.
type bounded struct {
	pieces
	left int
}

type pieces [][]byte

func (b *bounded) Write(p []byte) (n int, err error) {
	const piece = 256 << 10
	for n < min(len(p), b.left) {
		last := len(b.pieces) - 1
		if last < 0 || len(b.pieces[last]) == piece {
			b.pieces = append(b.pieces, make([]byte, 0, piece))
			continue
		}
		part := p[n:min(len(p), b.left, n+piece-len(b.pieces[last]))]
		b.pieces[last], n = append(b.pieces[last], part...), n+len(part)
	}
	if b.left -= n; n < len(p) {
		return n, errLonger
	}
	return n, nil
}

func (p pieces) length() int {
	total := 0
	for _, piece := range p {
		total += len(piece)
	}
	return total
}

func encodePNG(out io.Writer, pixels image.Image) error {
	e, large := png.Encoder{}, area(pixels.Bounds().Size()) > quickPixels
	if large {
		e.CompressionLevel = png.BestSpeed
	}
	if n, ok := pixels.(*image.NRGBA); ok {
		few := paletted(n)
		switch {
		case few != nil:
			pixels = few
		case n.Opaque():
			pixels = asRGBA(n)
		case large:
			return encodeQuickPNG(out, n)
		}
	}
	return e.Encode(out, pixels)
}

// paletted returns the pixels as numbers of their colours, or nil if they have too many. The
// PNG of numbers has less than half of the bytes.
func paletted(m *image.NRGBA) *image.Paletted {
	p := &image.Paletted{Pix: make([]byte, area(m.Rect.Size())), Stride: m.Rect.Dx(), Rect: m.Rect}
	numbers := map[[4]byte]int{}
	var colour [4]byte
	number, isKnown := 0, false
	for i := range p.Pix {
		at := m.Pix[i/p.Stride*m.Stride+i%p.Stride*4:]
		if next := [4]byte(at); next != colour || !isKnown {
			colour = next
			if number, isKnown = numbers[colour]; !isKnown {
				if number, isKnown = len(numbers), true; number == 256 {
					return nil
				}
				numbers[colour] = number
				p.Palette = append(p.Palette, color.NRGBA{colour[0], colour[1], colour[2], colour[3]})
			}
		}
		p.Pix[i] = uint8(number)
	}
	return p
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
