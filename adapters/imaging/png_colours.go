package imaging

import (
	"encoding/binary"
	"math"
)

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
