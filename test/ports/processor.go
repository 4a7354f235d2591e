package ports

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
)

// Processor is the suite of media.Processor. fresh may be called inside a bubble of
// testing/synctest, and returns a processor with less than 40 pictures in the making at
// once.
func Processor(t *testing.T, fresh func(t *testing.T) media.Processor) {
	for _, p := range []struct {
		sentence string
		kept     func(*testing.T, media.Processor)
	}{
		{"Develop returns the picture that the bytes are, judged by their content", processorFormats},
		{"it is a PNG where something is transparent", processorTransparent},
		{"what came without loss is a PNG where that is not larger than the JPEG", processorLossless},
		{"a JPEG is not larger than MaxBytes", processorLength},
		{"of an animation it is the first picture", processorAnimations},
		{"so it is of a WebP", processorAnimatedWebP},
		{"a wrong checksum of metadata is ignored, and so is an unknown extension", processorLenient},
		{"a first image that ends outside of its screen enlarges it", processorLargeFrames},
		{"it is upright", processorUpright},
		{"so are HEIC and AVIF", processorHEIF},
		{"its colours mean what they did", processorColours},
		{"they mean what a PNG's gamma says", processorGamma},
		{"greys stay grey and mean what they did", processorGreys},
		{"inks become colours, and their profile is dropped", processorInks},
		{"there is no metadata, and nothing behind the picture", processorMetadata},
		{"each frame gets a rendering, in their order, as large as fits and never larger than the picture", processorSizes},
		{"a rendering is the picture, sharp", processorSharp},
		{"what is no picture of an accepted type is ErrNotAccepted", processorOtherFiles},
		{"what ends before its picture is ErrCutOff, and what can't be decoded otherwise is ErrUnreadable", processorBroken},
		{"more than MaxPixels is ErrTooManyPixels", processorPixels},
		{"more than MaxStoredPixels has half of its width and height", processorHalved},
		{"more than MaxBytes is ErrTooLarge", processorBytes},
		{"a cancelled call returns the error of its context", processorCancelled},
		{"what can't be read is no fault of the picture", processorUnreadable},
	} {
		t.Run(p.sentence, func(t *testing.T) { p.kept(t, fresh(t)) })
	}
	processorWaits(t, fresh)
}

// processed returns the processed picture of the bytes.
func processed(t *testing.T, s media.Processor, raw []byte, frames ...media.SizeSpec) media.Processed {
	t.Helper()
	d, err := s.Process(t.Context(), "user 1", bytes.NewReader(raw), frames...)
	require.NoError(t, err, "%.40q", raw)
	return d
}

// asPicture decodes an upload, which must be what it says that it is.
func asPicture(t *testing.T, u media.Upload) image.Image {
	t.Helper()
	m, kind, err := image.Decode(bytes.NewReader(u.Bytes))
	require.NoError(t, err)
	assert.Equal(t, u.Type, "image/"+kind)
	assert.Equal(t, image.Rect(0, 0, u.Width, u.Height), m.Bounds())
	return m
}

// assertColour asserts that the pixel has the colour, but for what a JPEG loses.
func assertColour(t *testing.T, want color.Color, m image.Image, x, y int, more ...any) {
	t.Helper()
	w, got := color.NRGBAModel.Convert(want).(color.NRGBA), color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
	for _, pair := range [][2]uint8{{w.R, got.R}, {w.G, got.G}, {w.B, got.B}, {w.A, got.A}} {
		if math.Abs(float64(pair[0])-float64(pair[1])) > 24 {
			assert.Equal(t, w, got, more...)
			return
		}
	}
}

// assertQuarters asserts that the quarters have the colours with those numbers.
func assertQuarters(t *testing.T, m image.Image, order [4]int, more ...any) {
	t.Helper()
	size := m.Bounds().Size()
	for i, colour := range order {
		assertColour(t, quarterColours[colour], m, (2*(i%2)+1)*size.X/4, (2*(i/2)+1)*size.Y/4, more...)
	}
}

func processorFormats(t *testing.T, s media.Processor) {
	accepted := []string{"image/heic", "image/avif"} // processorHEIF
	for kind, raw := range encoded(t, quarters(63, 35)) {
		accepted = append(accepted, kind)
		d := processed(t, s, raw)
		assert.Equal(t, []any{storedAs(kind), 63, 35}, []any{d.Type, d.Width, d.Height}, kind)
		assertQuarters(t, asPicture(t, d.Upload), [4]int{0, 1, 2, 3}, kind)
		assert.Empty(t, d.Variants)
	}
	assert.ElementsMatch(t, accepted, media.Accepted)
	d := processed(t, s, lossyWebP(t))
	assert.Equal(t, []any{"image/jpeg", 1, 1}, []any{d.Type, d.Width, d.Height})
	assert.InDelta(t, 130, level(asPicture(t, d.Upload), 0, 0), 1, "its 128 is one of those from 16 to 235")
}

// storedAs is the type of a drawing with few colours that was uploaded as the kind.
func storedAs(kind string) string {
	if kind == "image/jpeg" {
		return kind
	}
	return "image/png"
}

func processorLossless(t *testing.T, s media.Processor) {
	drawing := quarters(640, 480)
	for kind, raw := range encoded(t, drawing) {
		d := processed(t, s, raw, media.SizeSpec{Name: "sm", Width: 320, Height: 320})
		assert.Equal(t, storedAs(kind), d.Variants[0].Type, kind)
		if kind == "image/jpeg" {
			continue
		}
		assert.Less(t, len(d.Bytes), 2000, kind)
		m := asPicture(t, d.Upload)
		for i := range drawing.Rect.Dx() {
			require.Equal(t, drawing.At(i, i/2), color.NRGBAModel.Convert(m.At(i, i/2)), "%s: every pixel is as it was", kind)
		}
	}
	four := [4]color.NRGBA{{10, 20, 30, 255}, {70, 50, 90, 255}, {110, 190, 130, 255}, {200, 210, 240, 255}}
	dice := rand.New(rand.NewPCG(1, 2))
	speckled := drawn(image.Pt(640, 480), func(int, int) color.NRGBA { return four[dice.IntN(4)] })
	assert.Less(t, len(processed(t, s, pictures.PNG(t, speckled)).Bytes), 640*480/4*11/10, "two bits tell four colours")
	// Each pixel of these has a colour of its own, and only the second can be told in few bytes.
	grain := drawn(image.Pt(640, 480), func(x, y int) color.NRGBA {
		n := uint32(640*y+x) * 2654435761
		return color.NRGBA{uint8(100 + n>>28), uint8(100 + n>>24&15), uint8(100 + n>>20&15), 255}
	})
	ramp := drawn(image.Pt(640, 480), func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), uint8(x + y), 255} })
	assert.Equal(t, "image/jpeg", processed(t, s, pictures.PNG(t, grain)).Type)
	assert.Equal(t, "image/png", processed(t, s, pictures.PNG(t, ramp)).Type)
	assert.Equal(t, "image/jpeg", processed(t, s, pictures.JPEG(t, ramp)).Type)
}

func processorLength(t *testing.T, s media.Processor) {
	m := image.NewGray(image.Rect(0, 0, 5000, 4000))
	n := uint32(1)
	for i := range m.Pix {
		n = n*1664525 + 1013904223
		m.Pix[i] = uint8(-(n >> 31)) // 0 or 255
	}
	var raw bytes.Buffer
	require.NoError(t, jpeg.Encode(&raw, m, &jpeg.Options{Quality: 40}))
	require.Less(t, raw.Len(), media.MaxBytes)
	d := processed(t, s, raw.Bytes())
	assert.Equal(t, "image/jpeg", d.Type)
	assert.LessOrEqual(t, len(d.Bytes), media.MaxBytes)
	assert.Greater(t, len(d.Bytes), media.MaxBytes*3/4, "it is as good as it may be")
}

func processorTransparent(t *testing.T, s media.Processor) {
	m := quarters(40, 30)
	for kind, raw := range encoded(t, m) {
		assert.Equal(t, storedAs(kind), processed(t, s, raw).Type, kind)
	}
	m.SetNRGBA(3, 4, color.NRGBA{})
	of := encoded(t, m)
	delete(of, "image/jpeg")
	for kind, raw := range of {
		d := processed(t, s, raw)
		assert.Equal(t, "image/png", d.Type, kind)
		assertColour(t, color.NRGBA{}, asPicture(t, d.Upload), 3, 4, kind)
		assertQuarters(t, asPicture(t, d.Upload), [4]int{0, 1, 2, 3}, kind)
	}

	for alpha, want := range map[byte]string{255: "image/jpeg", 100: "image/png"} {
		const hasAlpha = 0x10
		d := processed(t, s, webPFile(webPCanvas(hasAlpha, 1, 1), webPChunk("ALPH", []byte{0, alpha}), lossyWebP(t)[12:]))
		assert.Equal(t, want, d.Type)
		assertColour(t, color.NRGBA{130, 130, 130, alpha}, asPicture(t, d.Upload), 0, 0)
	}
}

func processorAnimations(t *testing.T, s media.Processor) {
	palette := color.Palette{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}}
	first := image.NewPaletted(image.Rect(5, 3, 20, 12), palette)
	second := image.NewPaletted(image.Rect(0, 0, 30, 20), palette)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var raw bytes.Buffer
	require.NoError(t, gif.EncodeAll(&raw, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{Width: 30, Height: 20, ColorModel: palette},
	}))
	d := processed(t, s, raw.Bytes())
	assert.Equal(t, []any{"image/png", 30, 20}, []any{d.Type, d.Width, d.Height}, "it is as large as its screen")
	m := asPicture(t, d.Upload)
	for _, p := range []image.Point{{5, 3}, {19, 11}, {4, 3}, {20, 11}} {
		want := color.NRGBA{}
		if p.In(first.Rect) {
			want = color.NRGBA{255, 0, 0, 255}
		}
		assert.Equal(t, want, color.NRGBAModel.Convert(m.At(p.X, p.Y)), "%v", p)
	}
}

// refused asserts that the bytes are refused with the fault.
func (c processorClient) refused(raw []byte, why error) {
	c.t.Helper()
	d, err := c.s.Process(c.t.Context(), "user 1", bytes.NewReader(raw), media.AvatarSizes...)
	assert.ErrorIs(c.t, err, why, "%.40q", raw)
	assert.Zero(c.t, d)
}

type processorClient struct {
	t *testing.T
	s media.Processor
}

func processorOtherFiles(t *testing.T, s media.Processor) {
	c := processorClient{t, s}
	for _, raw := range []string{
		"", "\x00", "text", "<html><img></html>", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "BM\x3a\x00\x00\x00", "II*\x00",
		"\xff\xd8", "\x89PNG", "GIF88a\x01\x00\x01\x00\x00\x00\x00",
		"RIFF\x24\x00\x00\x00WAVEfmt ", "\x00\x00\x00\x1cftypmp42", "\x00\x00\x00\x18ftypcrx ", "data:image/png;base64,iVBORw0KGgo=",
	} {
		c.refused([]byte(raw), media.ErrNotAccepted)
	}
	for _, raw := range encoded(t, quarters(7, 5)) {
		c.refused(append([]byte(" "), raw...), media.ErrNotAccepted)
	}
}

func processorBroken(t *testing.T, s media.Processor) {
	c := processorClient{t, s}
	for _, raw := range [][]byte{hollowGIF(0, 5), hollowPNG(0, 5), hollowGIF(50, 50), hollowPNG(50, 50), hollowWebP(50, 50)} {
		c.refused(raw, media.ErrUnreadable)
	}
	for _, raw := range [][]byte{hollowJPEG(50, 50), []byte("\xff\xd8\xff"), []byte("\x89PNG\r\n\x1a\n"), []byte("GIF89a"),
		[]byte("\x00\x00\x00\x1cftypavif")} {
		c.refused(raw, media.ErrCutOff)
	}
	for kind, raw := range encoded(t, quarters(64, 48)) {
		for _, part := range []int{50, 80, 97} {
			c.refused(raw[:len(raw)*part/100], media.ErrCutOff)
		}
		c.refused(raw[:12], media.ErrCutOff)
		if kind == "image/png" { // which alone has check sums
			wrong := bytes.Clone(raw)
			wrong[len(wrong)/2] ^= 0x10
			c.refused(wrong, media.ErrUnreadable)
		}
		if kind == "image/jpeg" {
			processorWithoutEnd(t, s, raw)
		}
	}
	const animated = 0x02
	frame := append(make([]byte, 16), webPOf(quarters(4, 4))...)
	c.refused(webPFile(webPCanvas(animated, 4, 4), webPChunk("ANIM", make([]byte, 6)), webPChunk("ANMF", frame)), media.ErrUnreadable)
	c.refused(webPFile(webPCanvas(0, 40, 40), webPOf(quarters(4, 4))), media.ErrUnreadable)
}

// processorWithoutEnd works on a whole JPEG, and on a progressive one, without the marker of its end.
func processorWithoutEnd(t *testing.T, s media.Processor, raw []byte) {
	grey := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(i % 64 * 3)
	}
	c := processorClient{t, s}
	for name, raw := range map[string][]byte{"sequential": raw, "progressive": pictures.Progressive(t, grey)} {
		whole, end := processed(t, s, raw), len(raw)-2
		for _, cut := range []int{end, end + 1} {
			assert.Equal(t, whole, processed(t, s, raw[:cut]), name)
		}
		c.refused(raw[:end-1], media.ErrCutOff)
		scan := []byte("\xff\xda")
		c.refused(raw[:bytes.LastIndex(raw, scan)], media.ErrCutOff)
		c.refused(raw[:bytes.LastIndex(raw, scan)+1], media.ErrCutOff)
	}
}

func processorPixels(t *testing.T, s media.Processor) {
	for _, raw := range [][]byte{
		hollowPNG(60_000, 60_000), hollowPNG(8001, 8000), hollowPNG(64_000_001, 1), hollowGIF(65_535, 65_535), hollowGIF(8001, 8000),
		hollowJPEG(65_535, 65_535), hollowJPEG(8000, 8001), hollowWebP(16_383, 16_383), hollowWebP(8001, 8000),
	} {
		processorClient{t, s}.refused(raw, media.ErrTooManyPixels)
	}
}

func processorHalved(t *testing.T, s media.Processor) {
	for width, want := range map[int]int{40_000_000: 40_000_000, 40_000_001: 20_000_001} {
		assert.Equal(t, image.Pt(want, 1), sizeOf(processed(t, s, pictures.Plain(t, width, 1))))
	}
	// As phones make them.
	m := image.NewYCbCr(image.Rect(0, 0, 8064, 6048), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = uint8(50 + i%8064/4032*150)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = uint8(100+i/4032/1512*50), 128
	}
	var raw bytes.Buffer
	require.NoError(t, jpeg.Encode(&raw, m, nil))
	d := processed(t, s, withSegments(raw.Bytes(), segment(0xe1, append([]byte("Exif\x00\x00"), exif(binary.LittleEndian, 6, "")...))),
		media.PictureSizes...)
	assert.Equal(t, []image.Point{{3024, 4032}, {240, 320}, {768, 1024}}, []image.Point{
		sizeOf(d), {X: d.Variants[0].Width, Y: d.Variants[0].Height}, {X: d.Variants[1].Width, Y: d.Variants[1].Height},
	})
	for _, u := range []media.Upload{d.Upload, d.Variants[1].Upload} {
		turned := asPicture(t, u)
		for _, at := range []image.Point{{1, 1}, {1, 3}, {3, 1}, {3, 3}} { // in quarters
			assertColour(t, m.At(at.Y*8064/4, (4-at.X)*6048/4), turned, at.X*u.Width/4, at.Y*u.Height/4)
		}
	}
}

func sizeOf(d media.Processed) image.Point { return image.Pt(d.Width, d.Height) }

func processorBytes(t *testing.T, s media.Processor) {
	raw := encoded(t, quarters(7, 5))["image/jpeg"]
	full := append(bytes.Clone(raw), make([]byte, media.MaxBytes-len(raw))...)
	processed(t, s, full)
	processorClient{t, s}.refused(append(full, 0), media.ErrTooLarge)
	processorClient{t, s}.refused(make([]byte, media.MaxBytes+1), media.ErrTooLarge)
}

func processorCancelled(t *testing.T, s media.Processor) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for kind, raw := range encoded(t, quarters(7, 5)) {
		d, err := s.Process(gone, "user 1", bytes.NewReader(raw))
		assert.ErrorIs(t, err, context.Canceled, kind)
		assert.Zero(t, d)
	}
}

// broken can't be read from somewhere on.
type broken struct {
	*bytes.Reader
	from int64
	err  error
}

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.from {
		return 0, b.err
	}
	return b.Reader.ReadAt(p, at)
}

func processorUnreadable(t *testing.T, s media.Processor) {
	worn := errors.New("the disk is worn out")
	for kind, raw := range encoded(t, noise(400, 300)) {
		for _, from := range []int64{0, int64(len(raw) / 2)} {
			d, err := s.Process(t.Context(), "user 1", broken{bytes.NewReader(raw), from, worn})
			assert.ErrorIs(t, err, worn, kind)
			_, isFault := fault.As(err)
			assert.False(t, isFault, kind)
			assert.Zero(t, d)
		}
	}
}
