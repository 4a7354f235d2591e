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

// colours are what a profile says: the primaries in XYZ, by their tags, and the
// exponent of the curve.
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

// iccProfile is a profile of the space (RGB, GRAY, CMYK), with a note wherever there
// is room for one.
func iccProfile(space string, c colours, note []byte) []byte {
	be := binary.BigEndian
	type tag struct {
		name string
		data []byte
	}
	fixed := func(v float64) uint32 { return uint32(int32(math.Round(v * 65536))) }
	curve := append([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), be.AppendUint16(nil, uint16(math.Round(c.gamma*256)))...)
	tags := []tag{
		{"desc", append([]byte("desc\x00\x00\x00\x00\x00\x00\x00\x7f"), note...)}, {"cprt", append([]byte("text\x00\x00\x00\x00"), note...)},
		{"prvt", append([]byte("data\x00\x00\x00\x00"), note...)}, {"kTRC", append(curve, note...)},
	}
	for name, xyz := range c.primaries {
		data := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range xyz {
			data = be.AppendUint32(data, fixed(v))
		}
		tags = append(tags, tag{name, append(data, note...)}, tag{name[:1] + "TRC", append(curve, note...)})
	}
	out := make([]byte, 128)
	out[8] = 2
	copy(out[12:], "mntr"+space+"XYZ ")
	copy(out[36:], "acsp")
	copy(out[100:], note)
	out = be.AppendUint32(out, uint32(len(tags)))
	at := len(out) + 12*len(tags)
	for _, t := range tags {
		out = be.AppendUint32(be.AppendUint32(append(out, t.name...), uint32(at)), uint32(len(t.data)))
		at += len(t.data)
	}
	for _, t := range tags {
		out = append(out, t.data...)
	}
	be.PutUint32(out, uint32(len(out)))
	return append(out, note...)
}

// iccOf is the profile in a file, empty if there is none.
func iccOf(t *testing.T, u media.Upload) []byte {
	t.Helper()
	be := binary.BigEndian
	var all []byte
	if u.Type == "image/png" {
		for raw := u.Bytes[8:]; len(raw) >= 12; raw = raw[12+be.Uint32(raw):] {
			if _, content, found := bytes.Cut(raw[8:8+be.Uint32(raw)], []byte{0, 0}); found && string(raw[4:8]) == "iCCP" {
				z, err := zlib.NewReader(bytes.NewReader(content))
				require.NoError(t, err)
				all, err = io.ReadAll(z)
				require.NoError(t, err)
			}
		}
		return all
	}
	for raw := u.Bytes[2:]; raw[1] != 0xda; raw = raw[2+int(be.Uint16(raw[2:])):] {
		if content, found := bytes.CutPrefix(raw[4:2+int(be.Uint16(raw[2:]))], []byte("ICC_PROFILE\x00")); found && raw[1] == 0xe2 {
			all = append(all, content[2:]...)
		}
	}
	return all
}

// iccTag is the content of a tag.
func iccTag(t *testing.T, icc []byte, name string) []byte {
	t.Helper()
	be := binary.BigEndian
	require.Equal(t, len(icc), int(be.Uint32(icc)), "the length that it says")
	for i := range int(be.Uint32(icc[128:])) {
		if entry := icc[132+12*i:]; string(entry[:4]) == name {
			return icc[be.Uint32(entry[4:])+8 : be.Uint32(entry[4:])+be.Uint32(entry[8:])]
		}
	}
	return nil
}

// light is the colour that the pixel of a file stands for, in XYZ. It knows profiles
// with a matrix or for greys, with curves that are exponents, and sRGB where there is
// none.
func light(t *testing.T, u media.Upload, x, y int) (xyz [3]float64) {
	t.Helper()
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
	t.Helper()
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
	t.Helper()
	of := encoded(t, m)
	half := len(icc) / 2
	name := "ICC_PROFILE\x00"
	const hasICC = 0x20
	return map[string][]byte{
		"JPEG": withSegments(of["image/jpeg"], segment(0xe2, append([]byte(name+"\x02\x02"), icc[half:]...)),
			segment(0xe2, append([]byte(name+"\x01\x02"), icc[:half]...))),
		"PNG":  withChunks(of["image/png"], chunk("iCCP", append([]byte("any\x00\x00"), deflated(t, icc)...)...)),
		"WebP": webPFile(webPCanvas(hasICC, m.Rect.Dx(), m.Rect.Dy()), webPChunk("ICCP", icc), webPOf(m)),
	}
}

// numbers are the content of a chunk of big-endian numbers.
func numbers(all ...uint32) []byte {
	var out []byte
	for _, n := range all {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

func processorGamma(t *testing.T, s media.Processor) {
	grey, colour := image.NewGray(image.Rect(0, 0, 64, 48)), image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = 100
		copy(colour.Pix[4*i:], []byte{100, 100, 100, 255})
	}
	gamma, srgb := func(n uint32) []byte { return chunk("gAMA", numbers(n)...) }, chunk("sRGB", 0)
	small := media.SizeSpec{Name: "sm", Width: 32, Height: 32}
	for _, m := range []image.Image{grey, colour} {
		for n, exponent := range map[uint32]float64{55_556: 1.8, 100_000: 1, 30_000: 1 / 0.3} {
			d := processed(t, s, withChunks(pictures.PNG(t, m), gamma(n)), small)
			for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
				assert.InDelta(t, math.Pow(100./255, exponent), light(t, u, 10, 10)[1], 0.01, "%d of %T", n, m)
			}
		}
		atEnd := pictures.PNG(t, m)
		atEnd = slices.Concat(atEnd[:len(atEnd)-12], gamma(55_556), atEnd[len(atEnd)-12:])
		for _, raw := range [][]byte{
			withChunks(pictures.PNG(t, m), gamma(45_455)), withChunks(pictures.PNG(t, m), gamma(47_000)), atEnd,
			withChunks(pictures.PNG(t, m), srgb, gamma(55_556)), withChunks(pictures.PNG(t, m), gamma(55_556), srgb),
			withChunks(pictures.PNG(t, m), gamma(0)), withChunks(pictures.PNG(t, m), gamma(1)), withChunks(pictures.PNG(t, m), chunk("gAMA", 0, 1)),
		} {
			assert.Empty(t, iccOf(t, processed(t, s, raw).Upload), "%q", raw[:120])
		}
	}
	wide := wideColours()
	icc := chunk("iCCP", append([]byte("any\x00\x00"), deflated(t, iccProfile("RGB ", wide, nil))...)...)
	u := processed(t, s, withChunks(pictures.PNG(t, quarters(64, 48)), gamma(100_000), icc)).Upload
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		assertLight(t, wide.primaries[name], u, (2*(i%2)+1)*u.Width/4, (2*(i/2)+1)*u.Height/4, name)
	}
}

func processorColours(t *testing.T, s media.Processor) {
	wide := wideColours()
	opaque, transparent := quarters(64, 48), quarters(64, 48)
	transparent.Pix[3] = 0
	for _, m := range []*image.NRGBA{opaque, transparent} {
		files := profiled(t, m, iccProfile("RGB ", wide, nil))
		if m == transparent {
			delete(files, "JPEG")
		}
		for kind, raw := range files {
			d := processed(t, s, raw, media.SizeSpec{Name: "sm", Width: 32, Height: 32})
			for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
				for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
					assertLight(t, wide.primaries[name], u, (2*(i%2)+1)*u.Width/4, (2*(i/2)+1)*u.Height/4, "%s: %s", kind, name)
				}
			}
		}
	}
	// A profile that does not fit the picture changes nothing.
	good := iccProfile("RGB ", wide, nil)
	unsigned, long, short := bytes.Clone(good), bytes.Clone(good), bytes.Clone(good)
	unsigned[36] ^= 1
	long[3]++
	short[3], short[2] = 100, 0
	for name, icc := range map[string][]byte{
		"unsigned": unsigned, "longer than it is": long, "shorter than a header": short, "of greys": iccProfile("GRAY", wide, nil),
		"of inks": iccProfile("CMYK", wide, nil), "nothing": {}, "text": []byte("text"), "without tags": good[:132],
	} {
		for kind, raw := range profiled(t, opaque, icc) {
			d := processed(t, s, raw)
			assert.Empty(t, iccOf(t, d.Upload), "%s in a %s", name, kind)
			assertQuarters(t, asPicture(t, d.Upload), [4]int{0, 1, 2, 3}, "%s in a %s", name, kind)
		}
	}
	// Of 16 bits the upper 8 are left.
	deep := image.NewNRGBA64(image.Rect(0, 0, 9, 9))
	for y := range 9 {
		for x := range 9 {
			deep.SetNRGBA64(x, y, color.NRGBA64{uint16(x * 0x1f00), 0x8080, uint16(y * 0x1f1f), 0x4040})
		}
	}
	m := asPicture(t, processed(t, s, pictures.PNG(t, deep)).Upload)
	assert.Equal(t, color.NRGBA{7 * 0x1f, 0x80, 3 * 0x1f, 0x40}, m.At(7, 3))
}

func processorGreys(t *testing.T, s media.Processor) {
	grey := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = 100
	}
	icc := iccProfile("GRAY", colours{gamma: 1}, nil)
	inPNG := chunk("iCCP", append([]byte("any\x00\x00"), deflated(t, icc)...)...)
	inJPEG := segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), icc...))
	for kind, raw := range map[string][]byte{
		"JPEG": withSegments(pictures.JPEG(t, grey), inJPEG), "PNG": withChunks(pictures.PNG(t, grey), inPNG),
		"PNG with alpha": withChunks(greyAlphaPNG(t, 64, 48, 100, 200), inPNG),
	} {
		d := processed(t, s, raw, media.SizeSpec{Name: "sm", Width: 32, Height: 32})
		for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
			assert.InDelta(t, 100./255, light(t, u, 10, 10)[1], 0.02, kind)
			if kind != "PNG with alpha" {
				assert.IsType(t, grey, asPicture(t, u), kind)
			}
		}
	}
	// A profile for colours does not go with greys.
	wrong := segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), iccProfile("RGB ", wideColours(), nil)...))
	assert.Empty(t, iccOf(t, processed(t, s, withSegments(pictures.JPEG(t, grey), wrong)).Upload))
}

// greyAlphaPNG has a form that the encoder does not write.
func greyAlphaPNG(t *testing.T, width, height int, value, alpha byte) []byte {
	t.Helper()
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	row := append([]byte{0}, bytes.Repeat([]byte{value, alpha}, width)...)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 4, 0, 0, 0)...)...)
	out = append(out, chunk("IDAT", deflated(t, bytes.Repeat(row, height))...)...)
	return append(out, chunk("IEND")...)
}

func processorInks(t *testing.T, s media.Processor) {
	icc := segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), iccProfile("CMYK", wideColours(), nil)...))
	colour := segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), iccProfile("RGB ", wideColours(), nil)...))
	// Adobe's inks are written the other way round: 255 is none.
	for _, c := range []struct {
		inks [4]byte
		want color.NRGBA
	}{
		{[4]byte{255, 255, 255, 255}, color.NRGBA{255, 255, 255, 255}}, {[4]byte{255, 255, 255, 0}, color.NRGBA{0, 0, 0, 255}},
		{[4]byte{0, 255, 255, 255}, color.NRGBA{0, 255, 255, 255}}, {[4]byte{255, 0, 255, 255}, color.NRGBA{255, 0, 255, 255}},
		{[4]byte{255, 0, 0, 255}, color.NRGBA{255, 0, 0, 255}},
	} {
		for _, profile := range [][]byte{icc, colour, nil} {
			d := processed(t, s, withSegments(inkJPEG(c.inks[:]...), profile))
			assert.Empty(t, iccOf(t, d.Upload))
			assert.Equal(t, "image/jpeg", d.Type)
			assertColour(t, c.want, asPicture(t, d.Upload), 4, 4)
		}
	}
	assertColour(t, color.NRGBA{255, 0, 255, 255}, asPicture(t, processed(t, s, inkJPEG(255, 0, 255)).Upload), 4, 4,
		"red, green and blue as they are")
}
