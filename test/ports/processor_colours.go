package ports

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// colours are what a profile says: the primaries in XYZ, by their tags, and the exponent of the curve.
type colours struct {
	primaries map[string][3]float64
	gamma     float64
}

// wideColours have primaries far out, like those of a telephone, and a plain curve.
func wideColours() colours {
	return colours{gamma: 1.8, primaries: map[string][3]float64{
		"rXYZ": {0.5151, 0.2412, -0.0011}, "gXYZ": {0.2920, 0.6922, 0.0419}, "bXYZ": {0.1571, 0.0666, 0.7841},
	}}
}

// iccProfile is a profile of the space (RGB, GRAY, CMYK), with a note wherever there is room for one.
func iccProfile(space string, c colours, note string) []byte {
	be := binary.BigEndian
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01" + string(be.AppendUint16(nil, uint16(math.Round(c.gamma*256)))) + note
	tags := []pictures.Tag{
		{Name: "desc", Data: "desc\x00\x00\x00\x00\x00\x00\x00\x7f" + note}, {Name: "cprt", Data: "text\x00\x00\x00\x00" + note},
		{Name: "prvt", Data: "data\x00\x00\x00\x00" + note}, {Name: "kTRC", Data: curve},
	}
	for name, xyz := range c.primaries {
		point := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range xyz {
			point = be.AppendUint32(point, uint32(int32(math.Round(v*65536))))
		}
		tags = append(tags, pictures.Tag{Name: name, Data: string(point) + note}, pictures.Tag{Name: name[:1] + "TRC", Data: curve})
	}
	out := pictures.ICC(2, space, "XYZ ", tags...)
	copy(out[100:], note)
	return append(out, note...)
}

// iccOf is the profile in a file, empty if there is none.
func iccOf(t *testing.T, u media.Upload) []byte {
	if u.Type != "image/png" {
		return pictures.ProfileOf(u.Bytes)
	}
	be := binary.BigEndian
	for raw := u.Bytes[8:]; len(raw) >= 12; raw = raw[12+be.Uint32(raw):] {
		if _, content, found := bytes.Cut(raw[8:8+be.Uint32(raw)], []byte{0, 0}); found && string(raw[4:8]) == "iCCP" {
			z, err := zlib.NewReader(bytes.NewReader(content))
			require.NoError(t, err)
			icc, err := io.ReadAll(z)
			require.NoError(t, err)
			return icc
		}
	}
	return nil
}

// iccTag is the content of a tag.
func iccTag(t *testing.T, icc []byte, name string) []byte {
	be := binary.BigEndian
	require.Equal(t, len(icc), int(be.Uint32(icc)), "the length that it says")
	for i := range int(be.Uint32(icc[128:])) {
		if entry := icc[132+12*i:]; string(entry[:4]) == name {
			return icc[be.Uint32(entry[4:])+8 : be.Uint32(entry[4:])+be.Uint32(entry[8:])]
		}
	}
	return nil
}

// light is the colour that the pixel of a file stands for, in XYZ. It knows profiles with a matrix or for greys, with curves that are
// exponents, and sRGB where there is none.
func light(t *testing.T, u media.Upload, x, y int) (xyz [3]float64) {
	be := binary.BigEndian
	pixel := color.NRGBA64Model.Convert(asPicture(t, u).At(x, y)).(color.NRGBA64)
	icc := iccOf(t, u)
	c := colours{gamma: 2.2, primaries: map[string][3]float64{
		"rXYZ": {0.4361, 0.2225, 0.0139}, "gXYZ": {0.3851, 0.7169, 0.0971}, "bXYZ": {0.1431, 0.0606, 0.7141},
	}}
	if icc != nil {
		curve := "rTRC"
		_, isGrey := asPicture(t, u).(*image.Gray)
		require.Equal(t, map[bool]string{true: "GRAY", false: "RGB "}[isGrey], string(icc[16:20]), "it goes with the pixels")
		if isGrey {
			curve = "kTRC"
		} else {
			for name := range c.primaries {
				var p [3]float64
				for i := range p {
					p[i] = float64(int32(be.Uint32(iccTag(t, icc, name)[4*i:]))) / 65536
				}
				c.primaries[name] = p
			}
		}
		data := iccTag(t, icc, curve)
		require.Equal(t, uint32(1), be.Uint32(data))
		c.gamma = float64(be.Uint16(data[4:])) / 256
	}
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		v := math.Pow(float64([]uint16{pixel.R, pixel.G, pixel.B}[i])/0xffff, c.gamma)
		for k := range xyz {
			xyz[k] += v * c.primaries[name][k]
		}
	}
	return xyz
}

func assertLight(t *testing.T, want [3]float64, u media.Upload, x, y int, more ...any) {
	got := light(t, u, x, y)
	for i := range want {
		if math.Abs(want[i]-got[i]) > 0.02 {
			assert.Equal(t, want, got, more...)
			return
		}
	}
}

// profiled are files of the picture with the profile.
func profiled(t *testing.T, m *image.NRGBA, icc []byte) map[string][]byte {
	of := encoded(t, m)
	parts := pictures.ProfileSegments(icc, max(1, (len(icc)+1)/2))
	slices.Reverse(parts)
	const hasICC = 0x20
	return map[string][]byte{
		"JPEG": pictures.WithSegments(of["image/jpeg"], parts...),
		"PNG":  pictures.WithChunks(of["image/png"], pictures.ProfileChunk(t, icc)),
		"WebP": pictures.WebPFile(pictures.WebPCanvas(hasICC, m.Rect.Dx(), m.Rect.Dy()), pictures.WebPChunk("ICCP", icc), webPOf(m)),
	}
}

// assertWide asserts that the first quarters of the upload show the primaries of the colours.
func assertWide(t *testing.T, wide colours, u media.Upload, about string) {
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		assertLight(t, wide.primaries[name], u, (2*(i%2)+1)*u.Width/4, (2*(i/2)+1)*u.Height/4, "%s: %s", about, name)
	}
}

func processorGamma(c processorClient) {
	grey, colour := image.NewGray(image.Rect(0, 0, 64, 48)), image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = 100
		copy(colour.Pix[4*i:], []byte{100, 100, 100, 255})
	}
	gamma := func(n uint32) []byte { return pictures.Chunk("gAMA", binary.BigEndian.AppendUint32(nil, n)...) }
	srgb, small := pictures.Chunk("sRGB", 0), media.SizeSpec{Name: "sm", Width: 32, Height: 32}
	for _, m := range []image.Image{grey, colour} {
		plain := pictures.PNG(c.T, m)
		for n, exponent := range map[uint32]float64{55_556: 1.8, 100_000: 1, 30_000: 1 / 0.3} {
			d := c.processed(pictures.WithChunks(plain, gamma(n)), small)
			for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
				assert.InDelta(c, math.Pow(100./255, exponent), light(c.T, u, 10, 10)[1], 0.01, "%d of %T", n, m)
			}
		}
		atEnd := slices.Concat(plain[:len(plain)-12], gamma(55_556), plain[len(plain)-12:])
		assert.Empty(c, iccOf(c.T, c.processed(atEnd).Upload), "behind the pixels")
		for _, chunks := range [][][]byte{
			{gamma(45_455)}, {gamma(47_000)}, {srgb, gamma(55_556)}, {gamma(55_556), srgb}, {gamma(0)}, {gamma(1)}, {pictures.Chunk("gAMA", 0, 1)},
		} {
			assert.Empty(c, iccOf(c.T, c.processed(pictures.WithChunks(plain, chunks...)).Upload), "%q", chunks)
		}
	}
	wide := wideColours()
	profile := pictures.ProfileChunk(c.T, iccProfile("RGB ", wide, ""))
	assertWide(c.T, wide, c.processed(pictures.WithChunks(pictures.PNG(c.T, quarters(64, 48)), gamma(100_000), profile)).Upload, "a profile")
}

func processorColours(c processorClient) {
	wide := wideColours()
	good := iccProfile("RGB ", wide, "")
	opaque, transparent := quarters(64, 48), quarters(64, 48)
	transparent.Pix[3] = 0
	for _, m := range []*image.NRGBA{opaque, transparent} {
		files := profiled(c.T, m, good)
		if m == transparent {
			delete(files, "JPEG")
		}
		for kind, raw := range files {
			d := c.processed(raw, media.SizeSpec{Name: "sm", Width: 32, Height: 32})
			assertWide(c.T, wide, d.Upload, kind)
			assertWide(c.T, wide, d.Variants[0].Upload, kind)
		}
	}
	// A profile that does not fit the picture changes nothing.
	unsigned, long, short := bytes.Clone(good), bytes.Clone(good), bytes.Clone(good)
	unsigned[36] ^= 1
	long[3]++
	short[3], short[2] = 100, 0
	for name, icc := range map[string][]byte{
		"unsigned": unsigned, "longer than it is": long, "shorter than a header": short, "of greys": iccProfile("GRAY", wide, ""),
		"of inks": iccProfile("CMYK", wide, ""), "nothing": {}, "text": []byte("text"), "without tags": good[:132],
	} {
		for kind, raw := range profiled(c.T, opaque, icc) {
			d := c.processed(raw)
			assert.Empty(c, iccOf(c.T, d.Upload), "%s in a %s", name, kind)
			assertQuarters(c.T, asPicture(c.T, d.Upload), asIs, "%s in a %s", name, kind)
		}
	}
	// Of 16 bits the upper 8 are left.
	deep := image.NewNRGBA64(image.Rect(0, 0, 9, 9))
	for i := range 81 {
		deep.SetNRGBA64(i%9, i/9, color.NRGBA64{uint16(i % 9 * 0x1f00), 0x8080, uint16(i / 9 * 0x1f1f), 0x4040})
	}
	m := asPicture(c.T, c.processed(pictures.PNG(c.T, deep)).Upload)
	assert.Equal(c, color.NRGBA{7 * 0x1f, 0x80, 3 * 0x1f, 0x40}, m.At(7, 3))
}

func processorGreys(c processorClient) {
	grey := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = 100
	}
	icc := iccProfile("GRAY", colours{gamma: 1}, "")
	inPNG, inJPEG := pictures.ProfileChunk(c.T, icc), pictures.ProfileSegments(icc, len(icc))
	for kind, raw := range map[string][]byte{
		"JPEG": pictures.WithSegments(pictures.JPEG(c.T, grey), inJPEG...), "PNG": pictures.WithChunks(pictures.PNG(c.T, grey), inPNG),
		"PNG with alpha": pictures.WithChunks(greyAlphaPNG(c.T, 64, 48, 100, 200), inPNG),
	} {
		d := c.processed(raw, media.SizeSpec{Name: "sm", Width: 32, Height: 32})
		for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
			assert.InDelta(c, 100./255, light(c.T, u, 10, 10)[1], 0.02, kind)
			if kind != "PNG with alpha" {
				assert.IsType(c, grey, asPicture(c.T, u), kind)
			}
		}
	}
	// A profile for colours does not go with greys.
	wrong := iccProfile("RGB ", wideColours(), "")
	raw := pictures.WithSegments(pictures.JPEG(c.T, grey), pictures.ProfileSegments(wrong, len(wrong))...)
	assert.Empty(c, iccOf(c.T, c.processed(raw).Upload))
}

// greyAlphaPNG has a form that the encoder does not write.
func greyAlphaPNG(t *testing.T, width, height int, value, alpha byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	row := append([]byte{0}, bytes.Repeat([]byte{value, alpha}, width)...)
	out := append([]byte("\x89PNG\r\n\x1a\n"), pictures.Chunk("IHDR", append(head, 8, 4, 0, 0, 0)...)...)
	out = append(out, pictures.Chunk("IDAT", pictures.Deflated(t, bytes.Repeat(row, height))...)...)
	return append(out, pictures.Chunk("IEND")...)
}
