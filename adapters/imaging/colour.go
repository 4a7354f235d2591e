package imaging

import (
	"encoding/binary"
	"image/color"
	"math"
)

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

// pngColours are the chunks of a PNG that tell what its colours mean without a profile: sRGB, or
// else gAMA. They precede the palette and the pixels. Primaries (cHRM) are not read: few PNGs have other ones than sRGB's.
type pngColours struct {
	gamma      []byte // the exponent of the encoder, in 100,000ths
	isComplete bool
}

// read reads the chunks that come before the palette and the pixels.
func (c *pngColours) read(kind string, content []byte) {
	switch {
	case c.isComplete:
	case kind == "gAMA" && len(content) == 4:
		c.gamma = content
	case kind == "sRGB":
		*c = pngColours{isComplete: true}
	case kind == "PLTE", kind == "IDAT":
		c.isComplete = true
	}
}

// profile returns a profile with the meaning of the chunks, or nothing if that is sRGB's. As in
// browsers, a gamma within a twentieth of sRGB's is sRGB's.
func (c *pngColours) profile(grey bool) []byte {
	const screen, tolerance = 2.2, 0.05
	const flattest, steepest = 0.1, 10 // exponents; others are mistakes
	if c.gamma == nil {
		return nil
	}
	exponent := 100_000 / float64(binary.BigEndian.Uint32(c.gamma))
	if math.Abs(screen/exponent-1) <= tolerance || exponent < flattest || exponent > steepest {
		return nil
	}
	curve := binary.BigEndian.AppendUint16([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), uint16(math.Round(exponent*256)))
	p := &profile{grey: true, space: "XYZ ", tags: []profileTag{{"kTRC", string(curve)}}}
	if !grey {
		p = p.inColour()
	}
	return p.bytes()
}
