package imaging

import (
	"bufio"
	"image"
	"image/color"

	"plaza/domain/media"
)

// Pictures of the two lanes don't wait for each other. The large lane has the memory of nearly all
// pictures of 40 megapixels; the small one that of two photos of 16 megapixels for two processors.
const (
	largeMemory = 600 << 20 // bytes
	smallMemory = 64 << 20  // bytes, for each processor; a picture that takes more is large
	mostMemory  = 1 << 30   // what takes more is refused
)

// need is how much memory the pictures of a form take at most, in bytes a pixel. It counts
// what is in use at the same time: the garbage of each step of a large picture is collected
// before the next one.
type need struct {
	plain float64 // plain pixels
	most  float64 // any step
	extra int64   // bytes of tables, for any size
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

// pngNeed reads the header. The passes of an interlaced picture take as much as the picture.
func pngNeed(r *bufio.Reader, _ image.Config) need {
	const interlacing = 28 // offset
	if head, _ := r.Peek(interlacing + 1); len(head) > interlacing && head[interlacing] == 0 {
		return need{plain: 4, most: 12.1}
	}
	return need{plain: 4, most: 16}
}

func gifNeed(*bufio.Reader, image.Config) need { return need{plain: 4, most: 12.1} }

// webpNeed knows simple files, which are lossy and opaque. Any other may be lossless, and
// have thousands of Huffman trees.
func webpNeed(r *bufio.Reader, _ image.Config) need {
	const chunk, trees = 12, 150_000_000 // offset; bytes
	if head, _ := r.Peek(chunk + 4); len(head) == chunk+4 && string(head[chunk:]) == "VP8 " {
		return need{plain: 1.5, most: 3.8}
	}
	return need{plain: 4, most: 12.1, extra: trees}
}

// jpegNeed reads the layout of the pixels. The coefficients of a progressive picture take two bytes
// each until all have come. Without a layout it is the largest need.
func jpegNeed(r *bufio.Reader, c image.Config) need {
	marker, length, err := nextSegment(r)
	for err == nil && marker != markerSOS && marker != markerEOI && (marker < markerSOF0 || marker > markerSOF2) {
		if _, err = r.Discard(length); err == nil {
			marker, length, err = nextSegment(r)
		}
	}
	layout := upTo(r, int64(length))
	needs := func(plain, baseline, progressive float64) need {
		if marker == markerSOF0 || marker == markerSOF0+1 {
			return need{plain: plain, most: baseline}
		}
		return need{plain: plain, most: progressive}
	}
	const luma, blue, red = 7, 10, 13 // the offsets of the sampling of brightness and of the colours
	switch {
	case c.ColorModel == color.CMYKModel || c.ColorModel == color.RGBAModel:
		return needs(4, 8, 16.1)
	case c.ColorModel == color.GrayModel,
		len(layout) > red && layout[luma] == 0x22 && layout[blue] == 0x11 && layout[red] == 0x11 && c.Width%2 == 0 && c.Height%2 == 0: // 4:2:0
		return needs(1.5, 3.8, 4.6)
	}
	return needs(3, 7, 12.1)
}
