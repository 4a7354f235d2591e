package imaging

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"image"
	"image/draw"
	"io"
	"math"
	"runtime/debug"
)

// tableBytes is what a decoder takes for any picture, and the largest file.
const tableBytes = 32 << 20

// perPixel is how many bytes a decoder takes for a pixel: its planes, and the result; and how many more for opacity.
type perPixel struct{ plain, deep, alpha float64 }

var (
	heicBytes = perPixel{plain: 11, deep: 22}
	avifBytes = perPixel{plain: 27, deep: 42, alpha: 10}
)

// memory returns how many bytes the decoder of a picture may take. A plain one takes at most what a picture may need
// at all: few of them need all that is counted, so that most are read up to the largest.
func (b perPixel) memory(h heif) int64 {
	pixels, each := float64(area(h.size)), b.plain
	if h.deep {
		each = b.deep
	}
	if h.alpha {
		each += b.alpha
	}
	all := tableBytes + int64(each*pixels)
	if h.deep || h.alpha {
		return all
	}
	return min(all, mostMemory-int64(copied*pixels)-2*perPicture)
}

// copied is how many bytes a pixel has outside of the decoder's memory.
const copied = 4

// need returns what a picture needs while its pixels are copied out of the decoder's memory.
func (b perPixel) need(h heif) need {
	return need{plain: copied, most: float64(b.memory(h))/float64(area(h.size)) + copied}
}

// readWhole reads a file whose picture must not be cut off. Phones append other things, which need not be boxes.
func readWhole(r io.Reader) ([]byte, heif, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, heif{}, err
	}
	for rest := file; len(rest) >= boxHead; {
		size := int64(binary.BigEndian.Uint32(rest))
		if kind := string(rest[4:boxHead]); size > int64(len(rest)) && (kind == "mdat" || kind == "meta") {
			return nil, heif{}, errCutOff
		}
		if size < boxHead || size > int64(len(rest)) {
			break
		}
		rest = rest[size:]
	}
	h, err := readHEIF(bufio.NewReader(bytes.NewReader(file)))
	return file, h, err
}

// decodeHEIC decodes with libheif and libde265, which return values of 8 bits. The opacity is another picture of the file, whose
// brightness it is.
func decodeHEIC(ctx context.Context, r io.Reader) (image.Image, error) {
	file, h, err := readWhole(r)
	if err != nil {
		return nil, err
	}
	copy(file[8:], "heic") // the brand that the decoder knows, also where another one is the first
	m, multiplied, err := h.decodePrimary(ctx, file)
	if err != nil || h.opacity == 0 {
		return m, err
	}
	debug.FreeOSMemory() // the memory of the first decoder
	setPrimary(file, h.opacity)
	h.narrow = false
	opacity, _, err := h.decodePrimary(ctx, file)
	if err != nil {
		return nil, err
	}
	return withOpacity(m, opacity, multiplied)
}

// withOpacity returns the picture with the brightness of another one as its opacity. Multiplied says that the colours are
// multiplied by it. What can't be seen has no colour.
func withOpacity(m, opacity image.Image, multiplied bool) (image.Image, error) {
	var from []byte
	var stride int
	switch o := opacity.(type) {
	case *image.Gray:
		from, stride = o.Pix, o.Stride
	case *image.YCbCr:
		from, stride = o.Y, o.YStride
	default:
		return nil, errDecoder
	}
	size, has := m.Bounds().Size(), opacity.Bounds().Size()
	n := image.NewRGBA(m.Bounds())
	draw.Draw(n, n.Rect, m, image.Point{}, draw.Src)
	for i, p := 0, n.Pix; len(p) >= 4; i, p = i+1, p[4:] {
		p[3] = from[i/size.X*has.Y/size.Y*stride+i%size.X*has.X/size.X]
		if p[3] == 0 {
			clear(p[:4])
		}
	}
	if multiplied {
		return unmultiplied(n), nil
	}
	return &image.NRGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}, nil
}

// decodePrimary decodes the primary picture of a HEIC without its opacity, and reports whether its colours are multiplied by it.
func (h heif) decodePrimary(ctx context.Context, file []byte) (decoded image.Image, multiplied bool, err error) {
	d, err := libheif.start(ctx, heicBytes.memory(h))
	if err != nil {
		return nil, false, err
	}
	defer d.stop()
	at := d.put(file)
	// What the decoder says: width, height, colour space, sampling, and whether colours are multiplied by opacity.
	said := d.put(make([]byte, 5*4))
	decode := func(headerOnly, to uint64) {
		d.call("decode", at, uint64(len(file)), headerOnly, said, said+4, said+8, said+12, said+16, to)
	}
	decode(1, 0)
	says := d.words(said, 5)
	size := image.Pt(int(says[0]&(1<<31-1)), int(says[1]&(1<<31-1)))
	m, planes := heicImage(size, says[2], says[3])
	if m == nil || size.X == 0 || size.Y == 0 || int64(size.X)*int64(size.Y) > int64(area(h.size)) {
		return nil, false, cmp.Or(d.err, errDecoder)
	}
	to := d.alloc(planes)
	decode(0, to)
	pix := d.highBytesOf(to, planes, 1)
	if d.err != nil {
		return nil, false, d.err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		luma, chroma := m.YStride*size.Y, (planes-m.YStride*size.Y)/2
		m.Y, m.Cb, m.Cr = pix[:luma], pix[luma:luma+chroma], pix[luma+chroma:]
		if h.narrow {
			widen(m)
		}
	case *image.Gray:
		if m.Pix = pix; h.narrow {
			stretch(m.Pix, 16, 219, 0)
		}
	case *image.NRGBA:
		for m.Pix = pix; len(pix) >= 4; pix = pix[4:] {
			pix[3] = 255
		}
	}
	return m, says[4] != 0, nil
}

// heicImage returns an image without its values, and how many bytes they have, or nil if no decoder returns such ones. The rows of
// every plane are those of at least 64 pixels, and a multiple of 16 bytes long.
func heicImage(size image.Point, space, sampling uint32) (image.Image, int) {
	const yCbCr, colours, grey = 0, 1, 2
	const has420, has422, has444 = 1, 2, 3
	wide := func(pixels, bytes int) int { return (max(pixels, 64)*bytes + 15) &^ 15 }
	r, half := image.Rectangle{Max: size}, image.Pt((size.X+1)/2, (size.Y+1)/2)
	switch space {
	case grey:
		m := &image.Gray{Stride: wide(size.X, 1), Rect: r}
		return m, m.Stride * size.Y
	case colours:
		m := &image.NRGBA{Stride: wide(size.X, 4), Rect: r}
		return m, m.Stride * size.Y
	case yCbCr:
		m, rows := &image.YCbCr{YStride: wide(size.X, 1), CStride: wide(half.X, 1), Rect: r}, size.Y
		switch sampling {
		case has420:
			m.SubsampleRatio, rows = image.YCbCrSubsampleRatio420, half.Y
		case has422:
			m.SubsampleRatio = image.YCbCrSubsampleRatio422
		case has444:
			m.SubsampleRatio, m.CStride = image.YCbCrSubsampleRatio444, m.YStride
		default:
			return nil, 0
		}
		return m, m.YStride*size.Y + 2*m.CStride*rows
	}
	return nil, 0
}

// decodeAVIF decodes with libavif and libaom, which return colours multiplied by their opacity, of 8 bits or 16.
func decodeAVIF(ctx context.Context, r io.Reader) (image.Image, error) {
	file, h, err := readWhole(r)
	if err != nil {
		return nil, err
	}
	d, err := libavif.start(ctx, avifBytes.memory(h))
	if err != nil {
		return nil, err
	}
	defer d.stop()
	at := d.put(file)
	// What the decoder says: width, height, bits of a value, the number of pictures, and how long the first is shown.
	said := d.put(bytes.Repeat([]byte{0xff}, 4*4+8))
	decode := func(headerOnly, to uint64) {
		d.call("decode", at, uint64(len(file)), headerOnly, 0, said, said+4, said+8, said+12, said+16, to)
	}
	decode(1, 0)
	says := d.words(said, 3)
	size, bytesOfValue := image.Pt(int(says[0]), int(says[1])), 1
	if says[2] > 8 {
		bytesOfValue = 2
	}
	if size != h.size {
		return nil, cmp.Or(d.err, errDecoder)
	}
	bytesOfAll := 4 * bytesOfValue * area(size)
	to := d.alloc(bytesOfAll)
	decode(0, to)
	shownFor := d.words(said+16, 2)
	pix := d.highBytesOf(to, bytesOfAll, bytesOfValue)
	// The decoder reports success although it found no picture. It has not said then how long the picture is shown.
	if d.err != nil || shownFor[0] == math.MaxUint32 && shownFor[1] == math.MaxUint32 {
		return nil, cmp.Or(d.err, errDecoder)
	}
	whole := unmultiplied(&image.RGBA{Pix: pix, Stride: 4 * size.X, Rect: image.Rectangle{Max: size}})
	shown := h.shown()
	if shown.Empty() {
		return nil, errDecoder
	}
	from := whole.Pix[whole.PixOffset(shown.Min.X, shown.Min.Y):]
	return &image.NRGBA{Pix: from, Stride: whole.Stride, Rect: image.Rectangle{Max: shown.Size()}}, nil
}

// unmultiplied divides the colours by their opacity, in their own memory.
func unmultiplied(m *image.RGBA) *image.NRGBA {
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		if a := int(p[3]); a != 0 && a != 255 {
			for i := range 3 {
				p[i] = uint8(min(roundDiv(int(p[i])*255, a), 255))
			}
		}
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
}
