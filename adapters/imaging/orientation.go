package imaging

import (
	"encoding/binary"
	"image"
)

// orientation is an Exif orientation from 1 to 8. Other values count as 1.
type orientation uint16

// parseOrientation reads the orientation from the first directory of a TIFF file, the form
// of Exif. It returns zero if the file has none.
func parseOrientation(tiff []byte) orientation {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 0
	}
	const entrySize, tag, short = 12, 0x0112, 3
	count, entries := int(order.Uint16(tiff[start:])), tiff[start+2:]
	for ; count > 0 && len(entries) >= entrySize; count, entries = count-1, entries[entrySize:] {
		if order.Uint16(entries) != tag {
			continue
		}
		o := orientation(order.Uint16(entries[8:]))
		if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || o > 8 {
			return 0
		}
		return o
	}
	return 0
}

// The orientations derive from the upright picture: its rows and columns are swapped first,
// then it is mirrored.
func (o orientation) swaps() bool   { return o >= 5 }
func (o orientation) mirrorX() bool { return o == 2 || o == 3 || o == 7 || o == 8 }
func (o orientation) mirrorY() bool { return o == 3 || o == 4 || o == 6 || o == 7 }

// turned returns the orientation of which the picture is then turned anticlockwise, so many times by 90 degrees.
func (o orientation) turned(times byte) orientation {
	for ; times > 0; times-- {
		o = [...]orientation{8, 8, 5, 6, 7, 4, 1, 2, 3}[o]
	}
	return o
}

// mirrored returns the orientation of which top and bottom are then exchanged (axis 0), or left and right (axis 1).
func (o orientation) mirrored(axis byte) orientation {
	return [...][9]orientation{{4, 4, 3, 2, 1, 8, 7, 6, 5}, {2, 2, 1, 4, 3, 6, 5, 8, 7}}[axis][o]
}

// upright rotates and mirrors the pixels.
func (o orientation) upright(pixels image.Image) image.Image {
	if o <= 1 {
		return pixels
	}
	size := pixels.Bounds().Size()
	r := image.Rectangle{Max: size}
	if o.swaps() {
		r.Max = image.Pt(size.Y, size.X)
	}
	switch m := pixels.(type) {
	case *image.Gray:
		return &image.Gray{Pix: o.turn(m.Pix, m.Stride, size, 1), Stride: r.Max.X, Rect: r}
	case *image.NRGBA:
		return &image.NRGBA{Pix: o.turn(m.Pix, m.Stride, size, 4), Stride: 4 * r.Max.X, Rect: r}
	case *image.YCbCr:
		return o.uprightYCbCr(m, size, r)
	}
	return pixels
}

func (o orientation) uprightYCbCr(m *image.YCbCr, size image.Point, r image.Rectangle) image.Image {
	colours, stride := size, r.Max.X
	switch {
	case m.SubsampleRatio == image.YCbCrSubsampleRatio444:
	case m.SubsampleRatio == image.YCbCrSubsampleRatio420 && size.X%2 == 0 && size.Y%2 == 0:
		colours, stride = size.Div(2), stride/2
	default:
		// Rotation would break the chroma subsampling.
		m = unshared(m, size)
	}
	return &image.YCbCr{
		Y:  o.turn(m.Y, m.YStride, size, 1),
		Cb: o.turn(m.Cb, m.CStride, colours, 1), Cr: o.turn(m.Cr, m.CStride, colours, 1),
		YStride: r.Max.X, CStride: stride, SubsampleRatio: m.SubsampleRatio, Rect: r,
	}
}

// unshared gives every pixel its own chroma values.
func unshared(m *image.YCbCr, size image.Point) *image.YCbCr {
	n := *m
	n.SubsampleRatio, n.CStride = image.YCbCrSubsampleRatio444, size.X
	n.Cb, n.Cr = make([]byte, size.X*size.Y), make([]byte, size.X*size.Y)
	for y := range size.Y {
		colourRow(n.Cb[y*size.X:][:size.X], m, m.Cb, y)
		colourRow(n.Cr[y*size.X:][:size.X], m, m.Cr, y)
	}
	return &n
}

// turn returns the upright plane of the size; bytes is the bytes a pixel.
func (o orientation) turn(from []byte, stride int, size image.Point, bytes int) []byte {
	// start is the source of the upright plane's first pixel. right and down are the steps
	// from there to its neighbours.
	start, right, down := 0, bytes, stride
	if o.mirrorX() {
		start, right = start+(size.X-1)*bytes, -right
	}
	if o.mirrorY() {
		start, down = start+(size.Y-1)*stride, -down
	}
	if o.swaps() {
		right, down, size = down, right, image.Pt(size.Y, size.X)
	}
	to := make([]byte, size.X*size.Y*bytes)
	const tile = 64 // in tiles, so that reading columns stays in the cache
	for top := 0; top < size.Y; top += tile {
		for left := 0; left < size.X; left += tile {
			for y := top; y < min(top+tile, size.Y); y++ {
				row := to[(y*size.X+left)*bytes : (y*size.X+min(left+tile, size.X))*bytes]
				copyAlong(row, from, start+y*down+left*right, right, bytes)
			}
		}
	}
	return to
}

// copyAlong fills the row with pixels of one or four bytes that are a step apart.
func copyAlong(row, from []byte, at, step, bytes int) {
	if bytes == 1 {
		for i := range row {
			row[i] = from[at]
			at += step
		}
		return
	}
	for ; len(row) >= 4; row = row[4:] {
		copy(row[:4], from[at:at+4])
		at += step
	}
}
