package imaging

import "image"

// box is how many columns and rows of pixels become one pixel.
type box struct{ x, y int }

// average replaces each box of pixels by one. Boxes at the right and bottom edges may be
// smaller.
func average(pixels image.Image, b box) image.Image {
	if b == (box{1, 1}) {
		return pixels
	}
	size := pixels.Bounds().Size()
	r := image.Rect(0, 0, (size.X+b.x-1)/b.x, (size.Y+b.y-1)/b.y)
	switch m := pixels.(type) {
	case *image.Gray:
		return &image.Gray{Pix: b.plane(size, func(y int) []byte { return m.Pix[y*m.Stride:][:size.X] }), Stride: r.Max.X, Rect: r}
	case *image.YCbCr:
		row := make([]byte, size.X)
		return &image.YCbCr{
			Y:       b.plane(size, func(y int) []byte { return m.Y[y*m.YStride:][:size.X] }),
			Cb:      b.plane(size, func(y int) []byte { return colourRow(row, m, m.Cb, y) }),
			Cr:      b.plane(size, func(y int) []byte { return colourRow(row, m, m.Cr, y) }),
			YStride: r.Max.X, CStride: r.Max.X, SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: r,
		}
	case *image.NRGBA:
		return &image.NRGBA{Pix: b.colours(m, size), Stride: 4 * r.Max.X, Rect: r}
	}
	return pixels
}

// colourRow fills the row with the colour of each pixel of a line, undoing the chroma
// subsampling.
func colourRow(row []byte, m *image.YCbCr, plane []byte, y int) []byte {
	from, shift := plane[m.COffset(0, y):], 0
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		shift = 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		shift = 2
	}
	for x := range row {
		row[x] = from[x>>shift]
	}
	return row
}

// plane averages the boxes of a plane with one byte a pixel, line by line.
func (b box) plane(size image.Point, line func(y int) []byte) []byte {
	sums := make([]uint64, (size.X+b.x-1)/b.x)
	to := make([]byte, 0, len(sums)*((size.Y+b.y-1)/b.y))
	for top := 0; top < size.Y; top += b.y {
		bottom := min(top+b.y, size.Y)
		clear(sums)
		for y := top; y < bottom; y++ {
			from := line(y)
			for i := range sums {
				var sum uint64
				for _, v := range from[i*b.x : min((i+1)*b.x, size.X)] {
					sum += uint64(v)
				}
				sums[i] += sum
			}
		}
		for i, sum := range sums {
			n := uint64((min((i+1)*b.x, size.X) - i*b.x) * (bottom - top))
			to = append(to, uint8((sum+n/2)/n))
		}
	}
	return to
}

// colours averages the boxes of pixels with transparency, weighting each colour by its
// opacity.
func (b box) colours(m *image.NRGBA, size image.Point) []byte {
	sums := make([][4]uint64, (size.X+b.x-1)/b.x)
	to := make([]byte, 0, 4*len(sums)*((size.Y+b.y-1)/b.y))
	for top := 0; top < size.Y; top += b.y {
		bottom := min(top+b.y, size.Y)
		clear(sums)
		for y := top; y < bottom; y++ {
			line := m.Pix[y*m.Stride:][:4*size.X]
			for i := range sums {
				sum := &sums[i]
				for p := line[4*i*b.x : 4*min((i+1)*b.x, size.X)]; len(p) >= 4; p = p[4:] {
					a := uint64(p[3])
					sum[0] += uint64(p[0]) * a
					sum[1] += uint64(p[1]) * a
					sum[2] += uint64(p[2]) * a
					sum[3] += a
				}
			}
		}
		for i, sum := range sums {
			n := uint64((min((i+1)*b.x, size.X) - i*b.x) * (bottom - top))
			a := max(sum[3], 1)
			to = append(to, uint8((sum[0]+a/2)/a), uint8((sum[1]+a/2)/a), uint8((sum[2]+a/2)/a), uint8((sum[3]+n/2)/n))
		}
	}
	return to
}
