package jpeg_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	gojpeg "image/jpeg"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging/jpeg"
	"plaza/test/pictures"
)

// made returns the files of testdata. libjpeg has made them of one picture of 41 × 37 pixels (at and key). They are
// named by the sampling factors of their components. Those that are apart have scans of one component.
func made(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.jpg")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	files := map[string][]byte{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		files[strings.TrimSuffix(filepath.Base(name), ".jpg")] = raw
	}
	return files
}

// at is the picture's red, green and blue. Its cyan, magenta and yellow are the opposite.
func at(x, y int) [3]int { return [3]int{40 + 4*x, 230 - 5*y, 60 + 2*x + 2*y} }

// key is the picture's black.
func key(x, y int) int { return x + y }

// distance returns how far the colour of a pixel is from the picture's, of 255.
func distance(c color.Color, x, y int) (most int) {
	want := at(x, y)
	differ := func(got uint8, want int) { most = max(most, int(got)-want, want-int(got)) }
	switch c := c.(type) {
	case color.Gray:
		differ(c.Y, (299*want[0]+587*want[1]+114*want[2])/1000)
	case color.CMYK:
		differ(255-c.C, want[0])
		differ(255-c.M, want[1])
		differ(255-c.Y, want[2])
		differ(c.K, key(x, y))
	default:
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		differ(n.R, want[0])
		differ(n.G, want[1])
		differ(n.B, want[2])
	}
	return most
}

// TestEverySampling: the colours of a component of a quarter of the size are 20 apart.
func TestEverySampling(t *testing.T) {
	for name, raw := range made(t) {
		m, err := jpeg.Decode(bytes.NewReader(raw))
		require.NoError(t, err, name)
		require.Equal(t, image.Rect(0, 0, 41, 37), m.Bounds(), name)
		config, err := jpeg.DecodeConfig(bytes.NewReader(raw))
		require.NoError(t, err, name)
		assert.Equal(t, []int{41, 37}, []int{config.Width, config.Height}, name)
		assert.Equal(t, m.At(0, 0), config.ColorModel.Convert(m.At(0, 0)), name)
		most := 0
		for y := range 37 {
			for x := range 41 {
				most = max(most, distance(m.At(x, y), x, y))
			}
		}
		t.Log(name, most)
		assert.LessOrEqual(t, most, 9, name)
	}
}

// TestItAgreesWithPackageImage compares the pictures that both decoders read.
func TestItAgreesWithPackageImage(t *testing.T) {
	grain, noise := image.NewGray(image.Rect(0, 0, 203, 101)), rand.New(rand.NewPCG(1, 2))
	colours := image.NewRGBA(grain.Rect)
	for i := range grain.Pix {
		grain.Pix[i] = uint8(60 + 100*(i/40%2) + noise.IntN(90))
	}
	for i := range colours.Pix {
		colours.Pix[i] = uint8(noise.IntN(256)) | uint8(i%4/3*255)
	}
	files := made(t)
	files["grey"], files["colours"] = pictures.JPEG(t, grain), pictures.JPEG(t, colours)
	files["named R, G and B"] = bytes.Replace(files["rgb-1x1"], []byte("Adobe"), []byte("Other"), 1)
	var poor bytes.Buffer
	require.NoError(t, gojpeg.Encode(&poor, grain, &gojpeg.Options{Quality: 30}))
	files["16 bits of quantisation"] = coarse(poor.Bytes())
	agreed := 0
	for name, raw := range files {
		want, err := gojpeg.Decode(bytes.NewReader(raw))
		if err != nil || name == "4x2-2x1-apart" { // which package image/jpeg misreads
			continue
		}
		agreed++
		got, err := jpeg.Decode(bytes.NewReader(raw))
		require.NoError(t, err, name)
		require.Equal(t, want.Bounds(), got.Bounds(), name)
		require.Equal(t, want.ColorModel(), got.ColorModel(), name)
		for y := range want.Bounds().Dy() {
			for x := range want.Bounds().Dx() {
				require.LessOrEqual(t, apart(want.At(x, y), got.At(x, y)), 3, "%s at %d, %d", name, x, y)
			}
		}
	}
	assert.GreaterOrEqual(t, agreed, 8)
}

// apart returns how far two colours of the same model are from each other, of 255.
func apart(a, b color.Color) (most int) {
	differ := func(a, b uint8) { most = max(most, int(a)-int(b), int(b)-int(a)) }
	switch a := a.(type) {
	case color.YCbCr:
		b := b.(color.YCbCr)
		differ(a.Y, b.Y)
		differ(a.Cb, b.Cb)
		differ(a.Cr, b.Cr)
	default:
		r, g, blue, _ := a.RGBA()
		r2, g2, blue2, _ := b.RGBA()
		differ(uint8(r>>8), uint8(r2>>8))
		differ(uint8(g>>8), uint8(g2>>8))
		differ(uint8(blue>>8), uint8(blue2>>8))
	}
	return most
}

// TestInksWithoutAdobe: only Adobe's inks are inverted.
func TestInksWithoutAdobe(t *testing.T) {
	raw := bytes.Replace(made(t)["cmyk-2x1"], []byte("Adobe"), []byte("Other"), 1)
	m, err := jpeg.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	c := m.At(20, 20).(color.CMYK)
	assert.LessOrEqual(t, distance(color.CMYK{255 - c.C, 255 - c.M, 255 - c.Y, 255 - c.K}, 20, 20), 9)
}

// TestJFIF: a file of JFIF is never red, green and blue, also if Adobe's mark says so.
func TestJFIF(t *testing.T) {
	raw := made(t)["rgb-1x1"]
	for want, more := range map[color.Model]string{
		color.RGBAModel:  "\xff\xe0\x00\x08JFXX\x00\x10",
		color.YCbCrModel: "\xff\xe0\x00\x07JFIF\x00\xff\xe0\x00\x08JFXX\x00\x10",
	} {
		raw := slices.Concat(raw[:2], []byte(more), raw[2:])
		config, err := jpeg.DecodeConfig(bytes.NewReader(raw))
		require.NoError(t, err)
		assert.Equal(t, want, config.ColorModel)
		m, err := jpeg.Decode(bytes.NewReader(raw))
		require.NoError(t, err)
		assert.Equal(t, want, m.ColorModel())
	}
}

// coarse returns a JPEG of this program whose tables of quantisation have values of 16 bits, sixteen times as large. Those
// above 15 then need both bytes.
func coarse(raw []byte) []byte {
	const segment, values = 2 + 2, 64
	at := bytes.Index(raw, []byte("\xff\xdb")) + segment
	tables, rest := raw[at:at+2*(1+values)], raw[at+2*(1+values):]
	out := bytes.Clone(raw[:at])
	binary.BigEndian.PutUint16(out[at-2:], 2+2*(1+2*values))
	for ; len(tables) > 0; tables = tables[1+values:] {
		out = append(out, 0x10|tables[0])
		for _, v := range tables[1 : 1+values] {
			out = append(out, v>>4, v<<4)
		}
	}
	return append(out, rest...)
}

func TestFilesThatAreBroken(t *testing.T) {
	for name, raw := range made(t) {
		for n := 0; n < len(raw)-len("\xff\xd9"); n += 7 {
			_, err := jpeg.Decode(iotest.OneByteReader(bytes.NewReader(raw[:n])))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s, %d bytes", name, n)
		}
		_, err := jpeg.Decode(io.MultiReader(bytes.NewReader(raw[:len(raw)/2]), iotest.ErrReader(assert.AnError)))
		assert.ErrorIs(t, err, assert.AnError, name)
	}
	raw := made(t)["3x1"]
	frame := bytes.Index(raw, []byte("\xff\xc0"))
	for name, change := range map[string]func(b []byte){
		"arithmetic codes": func(b []byte) { b[1] = 0xc9 }, "without loss": func(b []byte) { b[1] = 0xc3 },
		"12 bits": func(b []byte) { b[4] = 12 }, "two components": func(b []byte) { b[3], b[9] = 14, 2 }, "five": func(b []byte) { b[9] = 5 },
		"factor 0": func(b []byte) { b[11] = 0x01 }, "factor 5": func(b []byte) { b[11] = 0x15 }, "table 4": func(b []byte) { b[12] = 4 },
		"a component twice": func(b []byte) { b[13] = 1 },
	} {
		wrong := bytes.Clone(raw)
		change(wrong[frame:])
		_, err := jpeg.Decode(bytes.NewReader(wrong))
		assert.Error(t, err, name)
		_, err = jpeg.DecodeConfig(bytes.NewReader(wrong))
		assert.Error(t, err, name)
	}
	restart := made(t)["2x2-apart-restarts"]
	_, err := jpeg.Decode(bytes.NewReader(append(bytes.Clone(restart[:bytes.LastIndex(restart, []byte("\xff\xda"))]), 0xff, 0xd9)))
	assert.Error(t, err, "no scan of the last component")
	_, err = jpeg.Decode(bytes.NewReader(bytes.Replace(restart, []byte("\xff\xd3"), []byte("\xff\xd5"), 1)))
	assert.Error(t, err, "another restart")
}

func FuzzJPEG(f *testing.F) {
	for _, raw := range made(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		config, err := jpeg.DecodeConfig(bytes.NewReader(raw))
		const most = 1 << 18 // larger pictures fail in the same places, but slowly
		if err != nil || config.Width*config.Height > most {
			return
		}
		m, err := jpeg.Decode(bytes.NewReader(raw))
		if err != nil {
			return
		}
		require.Equal(t, image.Rect(0, 0, config.Width, config.Height), m.Bounds())
		require.NotPanics(t, func() { m.At(config.Width-1, config.Height-1) })
	})
}
