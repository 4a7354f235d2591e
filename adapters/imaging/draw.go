package imaging

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// Sizes that are drawn, in pixels. They are multiples of sizeStep, so that the
// borders of tiles run between pixels and are sharp.
const (
	sizeStep = 16
	maxSize  = 512
)

// A portrait is a grid of tiles, the right half mirroring the left, inside a
// margin that is lost when pictures are cut round.
const (
	tiles     = 4
	margin    = 1. / 8
	tileWidth = (1 - 2*margin) / tiles
)

// Draw returns the portrait of the seed as a square PNG of so many pixels: a
// multiple of 16, at most 512.
func Draw(seed int64, size int) ([]byte, error) {
	if size < sizeStep || size > maxSize || size%sizeStep != 0 {
		return nil, fmt.Errorf("a portrait has a multiple of %d pixels up to %d, not %d", sizeStep, maxSize, size)
	}
	d := newDesign(seed)
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.SetRGBA(x, y, d.at((float64(x)+0.5)/float64(size), (float64(y)+0.5)/float64(size), size))
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// design is what a seed decides.
type design struct {
	from, to rgb // the background, top left and bottom right
	tiles    [tiles][tiles / 2]tile
}

type tile struct {
	shape shape
	ink   rgb
}

// newDesign must never change: people know each other by these pictures.
func newDesign(seed int64) design {
	dice := dice(seed)
	hue := dice.roll(360)
	turned := hue + 25 + dice.roll(35)
	inks := [...]rgb{
		hsl(hue-20+dice.roll(40), 0.52, 0.40),
		hsl(hue+150+dice.roll(90), 0.58, 0.60),
		{255, 255, 255},
	}
	d := design{from: hsl(hue, 0.62, 0.90), to: hsl(turned, 0.60, 0.78)}
	for row := range d.tiles {
		for column := range d.tiles[row] {
			d.tiles[row][column] = tile{shape: shapes[dice.roll(len(shapes))], ink: inks[dice.roll(len(inks))]}
		}
	}
	return d
}

// at is the colour at a place, given as parts of the picture's size.
func (d *design) at(x, y float64, size int) color.RGBA {
	background := mix(d.from, d.to, (x+y)/2)
	x = min(x, 1-x)
	column, u := math.Modf(float64((x - margin) / tileWidth))
	row, v := math.Modf(float64((y - margin) / tileWidth))
	if x < margin || y < margin || y >= 1-margin {
		return background.color()
	}
	t := d.tiles[int(row)][int(column)]
	// The pixel counts as covered as far as the edge of the shape runs through it.
	outside := float64(t.shape(u, v) * tileWidth * float64(size))
	return mix(background, t.ink, 0.5-outside).color()
}
