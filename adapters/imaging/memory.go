package imaging

import (
	"bufio"
	"image"
	"image/color"

	"plaza/adapters/imaging/jpeg"
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

// jpegHeader knows the layout of the pixels. The coefficients of a progressive picture take two bytes
// each until all have come.
func jpegHeader(r *bufio.Reader) (header, error) {
	c, err := jpeg.DecodeConfig(r)
	n, progressive := need{plain: 3, most: 7}, 12.1
	switch {
	case c.ColorModel == color.CMYKModel || c.ColorModel == color.RGBAModel:
		n, progressive = need{plain: 4, most: 8}, 16.1
	case c.ColorModel == color.GrayModel, c.Ratio == image.YCbCrSubsampleRatio420 && c.Width%2 == 0 && c.Height%2 == 0:
		n, progressive = need{plain: 1.5, most: 3.8}, 4.6
	}
	if c.Progressive {
		n.most = progressive
	}
	return header{image.Pt(c.Width, c.Height), n}, err
}
