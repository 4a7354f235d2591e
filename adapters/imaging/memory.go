package imaging

import (
	"bufio"
	"encoding/binary"
	"image"
	"image/color"

	"plaza/domain/media"
)

// need is how much memory the pictures of a form take at most, in bytes a pixel. It counts
// what is in use at the same time: the garbage of each step of a large picture is collected
// before the next one.
type need struct {
	plain float64 // plain pixels
	most  float64 // any step
	extra int64   // bytes of tables, for any size
}

// Encoded pixels are there twice for a moment: in pieces, and joined. A JPEG of noise has
// nine bits a pixel; a PNG of noise is as large as its pixels.
const (
	encodedJPEG = 2 * 1.15
	encodedPNG  = 2 * 4.01
)

// transparent is the need of pictures that may be transparent, with the bytes a pixel that
// it takes to decode them and to make them plain.
func transparent(decoding float64) need {
	const plain = 4
	return need{plain: plain, most: max(decoding, plain+encodedPNG)}
}

// perPicture is what a picture takes besides its pixels, in bytes: buffers, its profile.
const perPicture = 2 << 20

// bytes returns how much memory a picture of the size takes at most.
func (n need) bytes(size image.Point, specs []media.SizeSpec) int64 {
	pixels := float64(area(size))
	return max(int64(n.most*pixels), int64(n.plain*pixels)+shrinkBytes(size, specs)) + n.extra + perPicture
}

// shrinkBytes returns how much memory the largest of a picture's variants takes at most.
func shrinkBytes(size image.Point, specs []media.SizeSpec) int64 {
	const pixel, filtered, result = 4, 32, 4 + 9 // bytes: averaged, between the passes of the filter, and encoded
	most := 0
	for _, spec := range specs {
		to := fit(size, spec)
		b, averaging := boxFor(size, to), 0
		averaged := image.Pt((size.X+b.x-1)/b.x, (size.Y+b.y-1)/b.y)
		if averaged != size {
			averaging = pixel * area(averaged)
		}
		most = max(most, averaging+filtered*averaged.Y*to.X+result*area(to))
	}
	return int64(most)
}

// pngNeed reads the header. 16 bits a sample are decoded as such and then copied. The passes
// of an interlaced picture take as much as the picture.
func pngNeed(r *bufio.Reader, _ image.Config) need {
	const depth, interlacing = 24, 28 // offsets
	head, _ := r.Peek(interlacing + 1)
	decoded, toPlain := 4.0, 1.0 // the indices of a palette, or the pixels
	if len(head) > depth && head[depth] == 16 {
		decoded, toPlain = 8, 4
	}
	if len(head) > interlacing && head[interlacing] != 0 {
		return transparent(max(2*decoded, 1+decoded+toPlain))
	}
	return transparent(decoded + toPlain)
}

func gifNeed(*bufio.Reader, image.Config) need { return transparent(5) }

// webpNeed knows simple files, which are lossy and opaque. Any other may be lossless, and
// have thousands of Huffman trees.
func webpNeed(r *bufio.Reader, _ image.Config) need {
	const chunk, trees = 12, 150_000_000 // offset; bytes
	if head, _ := r.Peek(chunk + 4); len(head) == chunk+4 && string(head[chunk:]) == "VP8 " {
		return need{plain: 1.5, most: 1.5 + encodedJPEG}
	}
	n := transparent(8)
	n.extra = trees
	return n
}

// jpegNeed reads the frame. The coefficients of a progressive picture take four bytes each
// until all have come. Without a frame it is the largest need.
func jpegNeed(r *bufio.Reader, c image.Config) need {
	for {
		marker, length, err := nextSegment(r)
		switch {
		case err != nil, marker == markerSOS, marker == markerEOI:
			return frame{c, true, 4, 4}.need()
		case marker < markerSOF0 || marker > markerSOF2:
			if _, err := r.Discard(length); err != nil {
				return frame{c, true, 4, 4}.need()
			}
			continue
		}
		content := upTo(r, int64(length))
		return parseFrame(content, c, marker == markerSOF2).need()
	}
}

// frame is the layout of a JPEG's pixels.
type frame struct {
	image.Config
	isProgressive bool
	components    int
	samples       float64 // a pixel
}

func parseFrame(segment []byte, c image.Config, isProgressive bool) frame {
	f := frame{c, isProgressive, 4, 4}
	const components, each, sampling = 5, 3, 1 // offsets and lengths
	if len(segment) <= components || len(segment) != components+1+each*int(segment[components]) ||
		int(binary.BigEndian.Uint16(segment[1:])) != c.Height || int(binary.BigEndian.Uint16(segment[3:])) != c.Width {
		return f
	}
	f.components, f.samples = int(segment[components]), 0
	blocks := func(i int) float64 {
		b := segment[components+1+each*i+sampling]
		return float64(b>>4) * float64(b&15)
	}
	for i := range f.components {
		f.samples += blocks(i) / max(blocks(0), 1)
	}
	return f
}

func (f frame) need() need {
	decoding, plain := f.samples, f.samples
	if f.isProgressive {
		const coefficient = 4
		decoding += coefficient * f.samples
	}
	upright := plain
	switch {
	case f.components == 4 || f.ColorModel == color.RGBAModel: // converted while all else is still there
		decoding, plain, upright = decoding+4, 4, 4
	case f.samples < 3 && (f.samples != 1.5 || f.Width%2 != 0 || f.Height%2 != 0) && f.components != 1:
		upright = 2 + 3 // the chroma for each pixel, then all
	}
	return need{plain: plain, most: max(decoding, plain+upright, plain+encodedJPEG)}
}
