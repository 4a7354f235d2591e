package imaging

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// A portrait is a grid of tiles whose right half mirrors the left. Clients may crop its
// margin to a circle.
const (
	tiles     = 4
	margin    = 1. / 8
	tileWidth = (1 - 2*margin) / tiles
)

// Draw returns the portrait of the seed as a square PNG. Tiles have sharp borders if the size is a multiple of 16.
func Draw(seed int64, size int) []byte {
	d := newDesign(seed)
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.SetRGBA(x, y, d.at((float64(x)+0.5)/float64(size), (float64(y)+0.5)/float64(size), size))
		}
	}
	var out bytes.Buffer
	_ = png.Encode(&out, img) // a buffer takes all bytes
	return out.Bytes()
}

// design holds everything that a seed determines.
type design struct {
	from, to rgb // the background, top left and bottom right
	tiles    [tiles][tiles / 2]tile
}

type tile struct {
	shape shape
	ink   rgb
}

// newDesign must never change: users recognise each other by these pictures.
func newDesign(seed int64) design {
	random := random(seed)
	hue := random.below(360)
	turned := hue + 25 + random.below(35)
	inks := [...]rgb{
		hsl(hue-20+random.below(40), 0.52, 0.40),
		hsl(hue+150+random.below(90), 0.58, 0.60),
		{255, 255, 255},
	}
	d := design{from: hsl(hue, 0.62, 0.90), to: hsl(turned, 0.60, 0.78)}
	for row := range d.tiles {
		for column := range d.tiles[row] {
			d.tiles[row][column] = tile{shape: shapes[random.below(len(shapes))], ink: inks[random.below(len(inks))]}
		}
	}
	return d
}

// at returns the colour at a point, given as fractions of the picture's size.
func (d *design) at(x, y float64, size int) color.RGBA {
	background := mix(d.from, d.to, (x+y)/2)
	x = min(x, 1-x)
	column, u := math.Modf(float64((x - margin) / tileWidth))
	row, v := math.Modf(float64((y - margin) / tileWidth))
	if x < margin || y < margin || y >= 1-margin {
		return background.color()
	}
	t := d.tiles[int(row)][int(column)]
	// A pixel on the edge of the shape is covered in part.
	outside := float64(t.shape(u, v) * tileWidth * float64(size))
	return mix(background, t.ink, 0.5-outside).color()
}
