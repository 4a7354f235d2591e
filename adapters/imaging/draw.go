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

// rgb is a colour with components from 0 to 255.
type rgb [3]float64

func (c rgb) color() color.RGBA {
	return color.RGBA{R: uint8(c[0] + 0.5), G: uint8(c[1] + 0.5), B: uint8(c[2] + 0.5), A: 255}
}

// mix interpolates between two colours; part runs from 0 to 1.
func mix(from, to rgb, part float64) rgb {
	part = max(0, min(part, 1))
	for i := range from {
		from[i] = float64(from[i]*(1-part)) + float64(to[i]*part)
	}
	return from
}

// hsl returns the colour of the hue, in degrees of any range.
func hsl(hue int, saturation, lightness float64) rgb {
	chroma := saturation * min(lightness, 1-lightness)
	var c rgb
	for i, offset := range [...]int{0, 8, 4} {
		k := math.Mod(float64(offset)+float64((hue%360+360)%360)/30, 12)
		c[i] = 255 * (lightness - float64(chroma*max(-1, min(k-3, 9-k, 1))))
	}
	return c
}

// random generates random numbers from a seed with SplitMix64.
type random uint64

func (d *random) below(sides int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(sides))
}
