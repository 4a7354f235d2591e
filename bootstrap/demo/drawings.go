package demo

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
)

// drawing describes a picture that the program draws: deterministic and free of other people's
// copyright. The seed varies it.
type drawing struct {
	Motif string `json:"motif"`
	Light string `json:"light"`
	Seed  uint64 `json:"seed"`
}

// motifs draw something onto a sky.
var motifs = map[string]func(c *canvas, l light){"bars": bars, "card": card, "ridges": ridges, "shore": shore, "towers": towers}

// light has the colours of a time of day or of a season.
type light struct{ high, low, sun, far, near color.RGBA }

var lights = map[string]light{
	"dawn":   {rgb(0x6F8FB5), rgb(0xF7D6C1), rgb(0xFFF1DC), rgb(0x9A8FB0), rgb(0x3D4A66)},
	"noon":   {rgb(0x5BA4D6), rgb(0xDDF0F7), rgb(0xFFFBE8), rgb(0x8DB8B0), rgb(0x2F6657)},
	"autumn": {rgb(0xE8B878), rgb(0xFBEBCB), rgb(0xF06543), rgb(0xD98E54), rgb(0x7A2E24)},
	"night":  {rgb(0x0E1836), rgb(0x3B4F7D), rgb(0xF4EFD3), rgb(0x26355E), rgb(0x0A1024)},
	"moss":   {rgb(0xDCE5CF), rgb(0xF5F6EA), rgb(0xE9C46A), rgb(0x94B08A), rgb(0x375A3F)},
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// The size of a drawing: small enough not to slow down the first start.
const (
	drawnWidth  = 360
	drawnHeight = 240
)

// canvas is the image that motifs draw on.
type canvas struct {
	*image.RGBA
	chance *rand.Rand
}

// check returns an error if the program can't draw the picture.
func (d drawing) check() error {
	_, unknownMotif := find(motifs, "motif", d.Motif)
	_, unknownLight := find(lights, "light", d.Light)
	return errors.Join(unknownMotif, unknownLight)
}

// png draws the picture and encodes it as PNG.
func (d drawing) png() ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	l := lights[d.Light]
	c := &canvas{image.NewRGBA(image.Rect(0, 0, drawnWidth, drawnHeight)), rand.New(rand.NewPCG(d.Seed, 0))}
	for y := range drawnHeight {
		c.row(y, blend(l.high, l.low, float64(y)/drawnHeight))
	}
	motifs[d.Motif](c, l)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&out, c)
	return out.Bytes(), err
}

// ridges draws four ranges of hills, the nearest darkest.
func ridges(c *canvas, l light) {
	c.disc(c.between(60, 300), c.between(40, 90), 22, l.sun)
	const ranges = 4
	for i := range ranges {
		depth := float64(i) / (ranges - 1)
		c.ground(blend(l.far, l.near, depth), c.waves(105+depth*90, 34-depth*18, 2+depth))
	}
}

// shore draws a far shore, the sun or the moon, and its reflection on the water.
func shore(c *canvas, l light) {
	const horizon = 140
	x := c.between(90, 270)
	c.disc(x, c.between(45, 80), 26, l.sun)
	c.ground(l.far, c.waves(horizon-14, 12, 2))
	c.ground(blend(l.far, l.near, 0.5), func(float64) float64 { return horizon })
	for y := horizon + 6.0; y < drawnHeight; y += c.between(6, 10) {
		half := c.between(8, 14) + (y-horizon)/4
		drift := c.between(-6, 6)
		c.bar(x+drift-half, x+drift+half, y, y+2, l.sun)
	}
	c.ground(l.near, c.waves(drawnHeight-12, 7, 1))
}

// towers draws the roofs of a town, with light in some windows.
func towers(c *canvas, l light) {
	c.disc(c.between(60, 300), c.between(35, 70), 18, l.sun)
	for i, row := range []color.RGBA{l.far, blend(l.far, l.near, 0.6), l.near} {
		for x := c.between(-20, 0); x < drawnWidth; {
			width, top := c.between(26, 48), c.between(95, 140)+float64(i)*32
			c.gable(x, x+width, top, row)
			if i == 2 && c.chance.IntN(2) == 0 {
				c.bar(x+width/2-3, x+width/2+3, top+10, top+19, l.sun)
			}
			x += width + c.between(0, 6)
		}
	}
}

// bars draws a bar chart without numbers.
func bars(c *canvas, l light) {
	const columns, foot = 9, 205.0
	for i := range columns {
		left := 36 + float64(i)*33
		height := 30 + float64(i)*12 + c.between(-14, 14)
		c.bar(left, left+22, foot-height, foot, blend(l.far, l.near, float64(i)/(columns-1)))
		c.disc(left+11, foot-height-12, 4, l.sun)
	}
	c.bar(26, drawnWidth-26, foot, foot+2, l.near)
}

// card draws a page with a heading and unreadable lines.
func card(c *canvas, l light) {
	const left, right, foot = 48.0, drawnWidth - 48.0, drawnHeight - 34.0
	c.bar(left, right, 30, foot, blend(l.low, rgb(0xFFFFFF), 0.6))
	c.bar(left, right, 30, 36, l.far)
	c.bar(left+24, left+c.between(130, 200), 56, 68, l.near)
	for y := 90.0; y < foot-20; y += 18 {
		c.bar(left+24, left+c.between(170, 236), y, y+5, blend(l.far, l.low, 0.3))
	}
	c.disc(right-34, 66, 13, l.sun)
}

func (c *canvas) row(y int, shade color.RGBA) {
	c.SetRGBA(0, y, shade)
	row := c.Pix[c.PixOffset(0, y):c.PixOffset(0, y+1)]
	for filled := 4; filled < len(row); filled *= 2 {
		copy(row[filled:], row[:filled])
	}
}

func (c *canvas) between(low, high float64) float64 { return low + c.chance.Float64()*(high-low) }

// waves returns an irregular wavy line around the height, with the number of waves given by
// times.
func (c *canvas) waves(height, swing, times float64) func(x float64) float64 {
	a, b := c.between(0, 2*math.Pi), c.between(0, 2*math.Pi)
	return func(x float64) float64 {
		turn := x / drawnWidth * 2 * math.Pi * times
		return height + swing*(math.Sin(turn+a)*0.7+math.Sin(turn*2.3+b)*0.3)
	}
}

// ground fills the area under the line.
func (c *canvas) ground(shade color.RGBA, line func(x float64) float64) {
	for x := range drawnWidth {
		c.column(x, line(float64(x)), drawnHeight, shade)
	}
}

// gable draws a house with a curved roof.
func (c *canvas) gable(left, right, top float64, shade color.RGBA) {
	middle := (left + right) / 2
	for x := max(0, int(left)); x < min(drawnWidth, int(right)); x++ {
		off := math.Abs(float64(x)-middle) / (right - middle)
		c.column(x, top-14*(1-off)*(1-off), drawnHeight, shade)
	}
}

func (c *canvas) bar(left, right, top, bottom float64, shade color.RGBA) {
	for x := max(0, int(left)); x < min(drawnWidth, int(right)); x++ {
		c.column(x, top, bottom, shade)
	}
}

func (c *canvas) disc(x, y, radius float64, shade color.RGBA) {
	for i := int(x - radius - 1); i <= int(x+radius+1); i++ {
		for j := int(y - radius - 1); j <= int(y+radius+1); j++ {
			c.dab(i, j, shade, radius+0.5-math.Hypot(float64(i)-x, float64(j)-y))
		}
	}
}

// column fills a column of pixels from top to bottom. The top pixel is antialiased.
func (c *canvas) column(x int, top, bottom float64, shade color.RGBA) {
	first := int(math.Floor(top))
	c.dab(x, first, shade, 1-(top-math.Floor(top)))
	for y := max(0, first+1); y < min(drawnHeight, int(bottom)); y++ {
		c.SetRGBA(x, y, shade)
	}
}

// dab blends the colour into the pixel with the opacity cover.
func (c *canvas) dab(x, y int, shade color.RGBA, cover float64) {
	if cover > 0 && (image.Point{X: x, Y: y}).In(c.Rect) {
		c.SetRGBA(x, y, blend(c.RGBAAt(x, y), shade, min(cover, 1)))
	}
}

// blend interpolates between two colours.
func blend(from, to color.RGBA, part float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*part)) }
	return color.RGBA{R: mix(from.R, to.R), G: mix(from.G, to.G), B: mix(from.B, to.B), A: 255}
}
