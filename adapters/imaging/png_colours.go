package imaging

import (
	"encoding/binary"
	"math"
)

// pngColours are the chunks of a PNG that tell what its colours mean without a profile: sRGB, or
// else gAMA with or without cHRM. They precede the palette and the pixels.
type pngColours struct {
	gamma      []byte // the exponent of the encoder, in 100,000ths
	primaries  []byte // x and y of white, red, green and blue, in 100,000ths
	isComplete bool
}

// read reads the chunks that come before the palette and the pixels.
func (c *pngColours) read(kind string, content []byte) {
	switch {
	case c.isComplete:
	case kind == "gAMA" && len(content) == 4:
		c.gamma = content
	case kind == "cHRM" && len(content) == 32:
		c.primaries = content
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
	primaries := primaryTags(c.primaries)
	isSRGB := math.Abs(screen/exponent-1) <= tolerance && (primaries == nil || grey)
	if isSRGB || exponent < flattest || exponent > steepest {
		return nil
	}
	curve := binary.BigEndian.AppendUint16([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), uint16(math.Round(exponent*256)))
	p := &profile{grey: true, space: "XYZ ", tags: []profileTag{{"kTRC", string(curve)}}}
	if !grey {
		p = p.inColour()
		copy(p.tags, primaries)
	}
	return p.bytes()
}

type vector [3]float64

func (v vector) by(m [3]vector) vector { return vector{v.dot(m[0]), v.dot(m[1]), v.dot(m[2])} }
func (v vector) dot(w vector) float64  { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }
func (v vector) cross(w vector) vector {
	return vector{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// primaryTags returns the tags of red, green and blue, or nil if the primaries are sRGB's, or
// impossible. ICC profiles have them as they look in the light of D50, by Bradford's matrix.
func primaryTags(chunk []byte) []profileTag {
	if chunk == nil {
		return nil
	}
	bradford := [3]vector{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	inverse := [3]vector{{0.9869929, -0.1470543, 0.1599627}, {0.4323053, 0.5183603, 0.0492912}, {-0.0085287, 0.0400428, 0.9684867}}
	srgb := [8]float64{31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000}
	var at [4]vector // white, red, green and blue
	isSRGB := true
	for i := range at {
		x, y := float64(binary.BigEndian.Uint32(chunk[8*i:])), float64(binary.BigEndian.Uint32(chunk[8*i+4:]))
		isSRGB = isSRGB && math.Abs(x-srgb[2*i]) <= 100 && math.Abs(y-srgb[2*i+1]) <= 100
		at[i] = vector{x / y, 1, (100_000 - x - y) / y}
	}
	if isSRGB {
		return nil
	}
	tags := make([]profileTag, 3)
	white, d50 := at[0].by(bradford), vector{0.9642, 1, 0.8249}.by(bradford)
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		others := at[1+(i+1)%3].cross(at[1+(i+2)%3])
		share := at[0].dot(others) / at[1+i].dot(others) // of white
		cone := at[1+i].by(bradford)
		for k := range cone {
			cone[k] *= share * d50[k] / white[k]
		}
		data := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range cone.by(inverse) {
			if !(math.Abs(v) < 4) {
				return nil
			}
			data = binary.BigEndian.AppendUint32(data, uint32(int32(math.Round(v*65536))))
		}
		tags[i] = profileTag{name, string(data)}
	}
	return tags
}
