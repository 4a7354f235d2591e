package jpeg

import (
	"image"
	"image/color"
)

// zigzag leads from the order of coefficients in a file to the one in a block.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// block is 8 × 8 coefficients, or the samples that they stand for.
type block [64]int32

// The square root of two times the cosine of multiples of π/16, times 1<<fraction.
const (
	fraction         = 13
	cos1, cos2, cos3 = 11363, 10703, 9633
	cos5, cos6, cos7 = 6437, 4433, 2260
	between          = 2 // bits of fraction that samples have between the two passes
)

// write writes the samples of the coefficients (section A.3.3).
func (b *block) write(to []byte, stride int) {
	var half block
	b.transform(&half, fraction-between)
	half.transform(b, fraction+between+3)
	for y := range 8 {
		row := (*[8]byte)(to[y*stride:])
		for x := range row {
			row[x] = uint8(max(0, min(b[8*y+x]+128, 255)))
		}
	}
}

// transform transforms each row of the block into a column of the other one. Two passes, each of which multiplies by
// the square root of eight, are the inverse cosine transform.
func (b *block) transform(to *block, shift uint) {
	round := int32(1) << (shift - 1)
	for i := range 8 {
		s := (*[8]int32)(b[8*i:])
		if s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7] == 0 {
			v := (s[0]<<fraction + round) >> shift
			to[i], to[8+i], to[16+i], to[24+i], to[32+i], to[40+i], to[48+i], to[56+i] = v, v, v, v, v, v, v, v
			continue
		}
		sum, difference := (s[0]+s[4])<<fraction+round, (s[0]-s[4])<<fraction+round
		outer, inner := s[2]*cos2+s[6]*cos6, s[2]*cos6-s[6]*cos2
		even := [4]int32{sum + outer, difference + inner, difference - inner, sum - outer}
		odd := [4]int32{
			s[1]*cos1 + s[3]*cos3 + s[5]*cos5 + s[7]*cos7,
			s[1]*cos3 - s[3]*cos7 - s[5]*cos1 - s[7]*cos5,
			s[1]*cos5 - s[3]*cos1 + s[5]*cos7 + s[7]*cos3,
			s[1]*cos7 - s[3]*cos5 + s[5]*cos3 - s[7]*cos1,
		}
		to[i], to[56+i] = (even[0]+odd[0])>>shift, (even[0]-odd[0])>>shift
		to[8+i], to[48+i] = (even[1]+odd[1])>>shift, (even[1]-odd[1])>>shift
		to[16+i], to[40+i] = (even[2]+odd[2])>>shift, (even[2]-odd[2])>>shift
		to[24+i], to[32+i] = (even[3]+odd[3])>>shift, (even[3]-odd[3])>>shift
	}
}

// at returns the samples from a block on.
func (c *component) at(x, y int) []byte { return c.samples[8*(8*y*c.blocks.X+x):] }

// reconstruct makes the samples of a progressive component.
func (c *component) reconstruct() {
	if c.coded == nil {
		return
	}
	c.samples = make([]byte, len(c.coded))
	for y := range ceil(c.size.Y, 8) {
		for x := range ceil(c.size.X, 8) {
			var b block
			for k, v := range (*[64]int16)(c.coded[64*(y*c.blocks.X+x):]) {
				b[zigzag[k]] = int32(v) * c.quant[k]
			}
			b.write(c.at(x, y), 8*c.blocks.X)
		}
	}
	c.coded = nil
}

// isRGB reports whether three components are red, green and blue, as package image/jpeg decides it.
func (d *decoder) isRGB() bool {
	c := d.components
	return !d.jfif && (d.adobe && d.transform == 0 || c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B')
}

func (d *decoder) picture() image.Image {
	whole, c := image.Rectangle{Max: d.size}, d.components
	stride := func(i int) int { return 8 * c[i].blocks.X }
	switch ratio, known := d.ratio(); {
	case len(c) == 1:
		return &image.Gray{Pix: c[0].samples, Stride: stride(0), Rect: whole}
	case len(c) == 4:
		m := image.NewCMYK(whole)
		d.interleave(m.Pix)
		return m
	case d.isRGB():
		m := image.NewRGBA(whole)
		d.interleave(m.Pix)
		return m
	case known:
		return &image.YCbCr{
			Y: c[0].samples, Cb: c[1].samples, Cr: c[2].samples, YStride: stride(0), CStride: stride(1), SubsampleRatio: ratio, Rect: whole,
		}
	}
	m := image.NewYCbCr(whole, image.YCbCrSubsampleRatio444)
	for i, plane := range [][]byte{m.Y, m.Cb, m.Cr} {
		l := d.lines(&c[i])
		for y := range d.size.Y {
			copy(plane[y*d.size.X:], l.at(y))
		}
	}
	return m
}

// ratio returns the ratio of brightness to colours, if package image knows it.
func (d *decoder) ratio() (image.YCbCrSubsampleRatio, bool) {
	c := d.components
	if len(c) != 3 || c[0].factors != d.factors || c[1].factors != c[2].factors ||
		d.factors.X%c[1].factors.X != 0 || d.factors.Y%c[1].factors.Y != 0 {
		return 0, false
	}
	ratio, known := map[image.Point]image.YCbCrSubsampleRatio{
		{X: 1, Y: 1}: image.YCbCrSubsampleRatio444, {X: 1, Y: 2}: image.YCbCrSubsampleRatio440,
		{X: 2, Y: 1}: image.YCbCrSubsampleRatio422, {X: 2, Y: 2}: image.YCbCrSubsampleRatio420,
		{X: 4, Y: 1}: image.YCbCrSubsampleRatio411, {X: 4, Y: 2}: image.YCbCrSubsampleRatio410,
	}[image.Pt(d.factors.X/c[1].factors.X, d.factors.Y/c[1].factors.Y)]
	return ratio, known
}

// interleave writes pixels of four bytes. Adobe's inks are inverted.
func (d *decoder) interleave(pix []byte) {
	all := make([]lines, len(d.components))
	for i := range all {
		all[i] = d.lines(&d.components[i])
	}
	inks := len(all) == 4
	for y := range d.size.Y {
		var row [4][]byte
		for i := range all {
			row[i] = all[i].at(y)
		}
		to := pix[4*y*d.size.X:][:4*d.size.X]
		for x := 0; len(to) >= 4; x, to = x+1, to[4:] {
			to[0], to[1], to[2], to[3] = row[0][x], row[1][x], row[2][x], 0xff
			switch {
			case inks && d.adobe && d.transform != 0: // the opposite of inks
				to[0], to[1], to[2] = color.YCbCrToRGB(to[0], to[1], to[2])
				to[3] = ^row[3][x]
			case inks && d.adobe:
				to[0], to[1], to[2], to[3] = ^to[0], ^to[1], ^to[2], ^row[3][x]
			case inks:
				to[3] = row[3][x]
			}
		}
	}
}

// lines are the lines of a component, stretched to the size of the picture. Samples have the distance of their centres
// to a pixel's as weight, which for factors of two is the usual triangle filter.
type lines struct {
	*component
	across, down []tap
	blend        []int32 // the line before it is stretched across
	line         []byte
}

// tap is the two samples that a pixel is made of, and the weight of the second one, of 256.
type tap struct{ first, second, weight int32 }

func (d *decoder) lines(c *component) lines {
	return lines{
		c, taps(d.size.X, c.size.X, c.factors.X, d.factors.X), taps(d.size.Y, c.size.Y, c.factors.Y, d.factors.Y),
		make([]int32, c.size.X), make([]byte, d.size.X),
	}
}

// taps are those of n pixels of a component with so many samples and a factor of so many.
func taps(n, samples, factor, factors int) []tap {
	all := make([]tap, n)
	for i := range all {
		at := (2*i+1)*factor - factors + 2*factors // of halves of pixels, from one sample before the first
		sample := at/(2*factors) - 1
		all[i] = tap{
			first: int32(max(sample, 0)), second: int32(min(sample+1, samples-1)),
			weight: int32(at % (2 * factors) * 256 / (2 * factors)),
		}
	}
	return all
}

// at returns the line y of the picture, until the next call.
func (l *lines) at(y int) []byte {
	stride, down := 8*l.blocks.X, l.down[y]
	first, second := l.samples[int(down.first)*stride:][:l.size.X], l.samples[int(down.second)*stride:][:l.size.X]
	if l.size.X == len(l.line) && down.weight == 0 {
		return first
	}
	for x := range l.blend {
		l.blend[x] = int32(first[x])<<8 + (int32(second[x])-int32(first[x]))*down.weight
	}
	for x, t := range l.across {
		first := l.blend[t.first]
		l.line[x] = uint8((first<<8 + (l.blend[t.second]-first)*t.weight + 1<<15) >> 16)
	}
	return l.line
}
