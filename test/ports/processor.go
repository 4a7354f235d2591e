package ports

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
)

// Processor is the suite of media.Processor. fresh may be called inside a bubble of testing/synctest, and returns a processor with less
// than 40 pictures in the making at once.
func Processor(t *testing.T, fresh func(t *testing.T) media.Processor) {
	for _, p := range []struct {
		sentence string
		kept     func(processorClient)
	}{
		{"Process returns the picture that the bytes are, judged by their content", processorFormats},
		{"it is a PNG where something is transparent", processorTransparent},
		{"what came without loss is a PNG where that is not larger than the JPEG", processorLossless},
		{"a JPEG is not larger than MaxBytes", processorLength},
		{"of an animation it is the first picture", processorAnimations},
		{"a wrong checksum of metadata is ignored, and so is an unknown extension", processorLenient},
		{"a first image that ends outside of its screen enlarges it", processorLargeFrames},
		{"it is upright", processorUpright},
		{"so are HEIC and AVIF", processorHEIF},
		{"its colours mean what they did", processorColours},
		{"they mean what a PNG's gamma says", processorGamma},
		{"greys stay grey and mean what they did", processorGreys},
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
		t.Run(p.sentence, func(t *testing.T) { p.kept(processorClient{t, fresh(t)}) })
	}
	processorWaits(t, fresh)
}

// processorClient has pictures processed.
type processorClient struct {
	*testing.T
	s media.Processor
}

// sample is a picture, and what becomes of it.
type sample struct {
	name          string
	raw           []byte
	kind          string
	width, height int
	order         [4]int // of the colours of its quarters; zero: it has none
	pixels        map[image.Point]color.NRGBA
}

// asIs is the order of the colours of a picture that is not turned.
var asIs = [4]int{0, 1, 2, 3}

// becomes asserts what becomes of the pictures, and that their variants show the same quarters.
func (c processorClient) becomes(all ...sample) {
	for _, s := range all {
		d := c.processed(s.raw, media.SizeSpec{Name: "sm", Width: 24, Height: 24})
		assert.Equal(c, []any{s.kind, s.width, s.height}, []any{d.Type, d.Width, d.Height}, s.name)
		m := asPicture(c.T, d.Upload)
		for at, want := range s.pixels {
			assertColour(c.T, want, m, at.X, at.Y, "%s at %v", s.name, at)
		}
		if s.order == [4]int{} {
			continue
		}
		assertQuarters(c.T, m, s.order, s.name)
		if v := d.Variants[0]; v.Bytes != nil {
			assertQuarters(c.T, asPicture(c.T, v.Upload), s.order, s.name)
		}
	}
}

// processed returns the processed picture of the bytes.
func (c processorClient) processed(raw []byte, frames ...media.SizeSpec) media.Processed {
	d, err := c.s.Process(c.Context(), "user 1", bytes.NewReader(raw), frames...)
	require.NoError(c, err, "%.40q", raw)
	return d
}

// refused asserts that the bytes are refused with the fault.
func (c processorClient) refused(raw []byte, why error) {
	d, err := c.s.Process(c.Context(), "user 1", bytes.NewReader(raw), media.AvatarSizes...)
	assert.ErrorIs(c, err, why, "%.40q", raw)
	assert.Zero(c, d)
}

// asPicture decodes an upload, which must be what it says that it is.
func asPicture(t *testing.T, u media.Upload) image.Image {
	m, kind, err := image.Decode(bytes.NewReader(u.Bytes))
	require.NoError(t, err)
	assert.Equal(t, u.Type, "image/"+kind)
	assert.Equal(t, image.Rect(0, 0, u.Width, u.Height), m.Bounds())
	return m
}

// assertColour asserts that the pixel has the colour, but for what a JPEG loses. What is transparent has any.
func assertColour(t *testing.T, want color.Color, m image.Image, x, y int, more ...any) {
	w, got := color.NRGBAModel.Convert(want).(color.NRGBA), color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
	if w.A == 0 && got.A == 0 {
		return
	}
	for _, pair := range [][2]uint8{{w.R, got.R}, {w.G, got.G}, {w.B, got.B}, {w.A, got.A}} {
		if math.Abs(float64(pair[0])-float64(pair[1])) > 24 {
			assert.Equal(t, w, got, more...)
			return
		}
	}
}

// assertQuarters asserts that the quarters have the colours with those numbers.
func assertQuarters(t *testing.T, m image.Image, order [4]int, more ...any) {
	size := m.Bounds().Size()
	for i, colour := range order {
		assertColour(t, quarterColours[colour], m, (2*(i%2)+1)*size.X/4, (2*(i/2)+1)*size.Y/4, more...)
	}
}

func processorFormats(c processorClient) {
	accepted := []string{"image/heic", "image/avif"} // processorHEIF
	for kind, raw := range encoded(c.T, quarters(63, 35)) {
		accepted = append(accepted, kind)
		c.becomes(sample{name: kind, raw: raw, kind: storedAs(kind), width: 63, height: 35, order: asIs})
	}
	assert.ElementsMatch(c, accepted, media.Accepted)
	d := c.processed(lossyWebP(c.T))
	assert.Empty(c, d.Variants)
	assert.Equal(c, []any{"image/jpeg", 1, 1}, []any{d.Type, d.Width, d.Height})
	assert.InDelta(c, 130, level(asPicture(c.T, d.Upload), 0, 0), 1, "its 128 is one of those from 16 to 235")
}

// storedAs is the type of a drawing with few colours that was uploaded as the kind.
func storedAs(kind string) string {
	if strings.HasPrefix(kind, "JPEG") || kind == "image/jpeg" {
		return "image/jpeg"
	}
	return "image/png"
}

func processorTransparent(c processorClient) {
	m := quarters(40, 30)
	m.SetNRGBA(3, 4, color.NRGBA{})
	of := encoded(c.T, m)
	delete(of, "image/jpeg")
	for kind, raw := range of {
		c.becomes(sample{kind, raw, "image/png", 40, 30, asIs, map[image.Point]color.NRGBA{{X: 3, Y: 4}: {}}})
	}
	for alpha, want := range map[byte]string{255: "image/jpeg", 100: "image/png"} {
		const hasAlpha = 0x10
		raw := pictures.WebPFile(pictures.WebPCanvas(hasAlpha, 1, 1), pictures.WebPChunk("ALPH", []byte{0, alpha}), lossyWebP(c.T)[12:])
		c.becomes(sample{raw: raw, kind: want, width: 1, height: 1, pixels: map[image.Point]color.NRGBA{{}: {130, 130, 130, alpha}}})
	}
}

func processorLossless(c processorClient) {
	drawing := quarters(640, 480)
	for kind, raw := range encoded(c.T, drawing) {
		d := c.processed(raw, media.SizeSpec{Name: "sm", Width: 320, Height: 320})
		assert.Equal(c, storedAs(kind), d.Variants[0].Type, kind)
		if kind == "image/jpeg" {
			continue
		}
		assert.Less(c, len(d.Bytes), 2000, kind)
		m := asPicture(c.T, d.Upload)
		for i := range drawing.Rect.Dx() {
			require.Equal(c, drawing.At(i, i/2), color.NRGBAModel.Convert(m.At(i, i/2)), "%s: every pixel is as it was", kind)
		}
	}
	four := [4]color.NRGBA{{10, 20, 30, 255}, {70, 50, 90, 255}, {110, 190, 130, 255}, {200, 210, 240, 255}}
	dice := rand.New(rand.NewPCG(1, 2))
	speckled := drawn(image.Pt(640, 480), func(int, int) color.NRGBA { return four[dice.IntN(4)] })
	assert.Less(c, len(c.processed(pictures.PNG(c.T, speckled)).Bytes), 640*480/4*11/10, "two bits tell four colours")
	// Each pixel of these has a colour of its own, and only the second can be told in few bytes.
	grain := drawn(image.Pt(640, 480), func(x, y int) color.NRGBA {
		n := uint32(640*y+x) * 2654435761
		return color.NRGBA{uint8(100 + n>>28), uint8(100 + n>>24&15), uint8(100 + n>>20&15), 255}
	})
	ramp := drawn(image.Pt(640, 480), func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), uint8(x + y), 255} })
	assert.Equal(c, "image/jpeg", c.processed(pictures.PNG(c.T, grain)).Type)
	assert.Equal(c, "image/png", c.processed(pictures.PNG(c.T, ramp)).Type)
	assert.Equal(c, "image/jpeg", c.processed(pictures.JPEG(c.T, ramp)).Type)
}

func processorLength(c processorClient) {
	m := image.NewGray(image.Rect(0, 0, 5000, 4000))
	n := uint32(1)
	for i := range m.Pix {
		n = n*1664525 + 1013904223
		m.Pix[i] = uint8(-(n >> 31)) // 0 or 255
	}
	var raw bytes.Buffer
	require.NoError(c, jpeg.Encode(&raw, m, &jpeg.Options{Quality: 40}))
	require.Less(c, raw.Len(), media.MaxBytes)
	d := c.processed(raw.Bytes())
	assert.Equal(c, "image/jpeg", d.Type)
	assert.LessOrEqual(c, len(d.Bytes), media.MaxBytes)
	assert.Greater(c, len(d.Bytes), media.MaxBytes*3/4, "it is as good as it may be")
}

func processorOtherFiles(c processorClient) {
	for _, raw := range []string{
		"", "\x00", "text", "<html><img></html>", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "BM\x3a\x00\x00\x00", "II*\x00",
		"\xff\xd8", "\x89PNG", "GIF88a\x01\x00\x01\x00\x00\x00\x00",
		"RIFF\x24\x00\x00\x00WAVEfmt ", "\x00\x00\x00\x1cftypmp42", "\x00\x00\x00\x18ftypcrx ", "data:image/png;base64,iVBORw0KGgo=",
	} {
		c.refused([]byte(raw), media.ErrNotAccepted)
	}
	for _, raw := range encoded(c.T, quarters(7, 5)) {
		c.refused(append([]byte(" "), raw...), media.ErrNotAccepted)
	}
}

func processorBroken(c processorClient) {
	for _, raw := range [][]byte{hollowGIF(0, 5), hollowPNG(0, 5), hollowGIF(50, 50), hollowPNG(50, 50), hollowWebP(50, 50)} {
		c.refused(raw, media.ErrUnreadable)
	}
	for _, raw := range [][]byte{hollowJPEG(50, 50), []byte("\xff\xd8\xff"), []byte("\x89PNG\r\n\x1a\n"), []byte("GIF89a"),
		[]byte("\x00\x00\x00\x1cftypavif")} {
		c.refused(raw, media.ErrCutOff)
	}
	for kind, raw := range encoded(c.T, quarters(64, 48)) {
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
			c.withoutEnd(raw)
		}
	}
	const animated = 0x02
	frame := append(make([]byte, 16), webPOf(quarters(4, 4))...)
	animation := [][]byte{pictures.WebPCanvas(animated, 4, 4), pictures.WebPChunk("ANIM", make([]byte, 6)), pictures.WebPChunk("ANMF", frame)}
	c.refused(pictures.WebPFile(animation...), media.ErrUnreadable)
	c.refused(pictures.WebPFile(pictures.WebPCanvas(0, 40, 40), webPOf(quarters(4, 4))), media.ErrUnreadable)
}

// withoutEnd works on a whole JPEG, and on a progressive one, without the marker of its end.
func (c processorClient) withoutEnd(raw []byte) {
	for name, raw := range map[string][]byte{"sequential": raw, "progressive": pictures.Progressive(64, 48)} {
		whole, end := c.processed(raw), len(raw)-2
		for _, cut := range []int{end, end + 1} {
			assert.Equal(c, whole, c.processed(raw[:cut]), name)
		}
		c.refused(raw[:end-1], media.ErrCutOff)
		scan := bytes.LastIndex(raw, []byte("\xff\xda"))
		c.refused(raw[:scan], media.ErrCutOff)
		c.refused(raw[:scan+1], media.ErrCutOff)
	}
}

func processorPixels(c processorClient) {
	for _, raw := range [][]byte{
		hollowPNG(60_000, 60_000), hollowPNG(8001, 8000), hollowPNG(64_000_001, 1), hollowGIF(65_535, 65_535), hollowGIF(8001, 8000),
		hollowJPEG(65_535, 65_535), hollowJPEG(8000, 8001), hollowWebP(16_383, 16_383), hollowWebP(8001, 8000),
	} {
		c.refused(raw, media.ErrTooManyPixels)
	}
}

func processorHalved(c processorClient) {
	for width, want := range map[int]int{40_000_000: 40_000_000, 40_000_001: 20_000_001} {
		assert.Equal(c, image.Pt(want, 1), sizeOf(c.processed(pictures.Plain(c.T, width, 1))))
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
	require.NoError(c, jpeg.Encode(&raw, m, nil))
	d := c.processed(pictures.WithSegments(raw.Bytes(), pictures.ExifSegment(pictures.Exif(binary.LittleEndian, 6, ""))),
		media.PictureSizes...)
	assert.Equal(c, []image.Point{{3024, 4032}, {240, 320}, {768, 1024}}, []image.Point{
		sizeOf(d), {X: d.Variants[0].Width, Y: d.Variants[0].Height}, {X: d.Variants[1].Width, Y: d.Variants[1].Height},
	})
	for _, u := range []media.Upload{d.Upload, d.Variants[1].Upload} {
		turned := asPicture(c.T, u)
		for _, at := range []image.Point{{1, 1}, {1, 3}, {3, 1}, {3, 3}} { // in quarters
			assertColour(c.T, m.At(at.Y*8064/4, (4-at.X)*6048/4), turned, at.X*u.Width/4, at.Y*u.Height/4)
		}
	}
}

func processorBytes(c processorClient) {
	raw := encoded(c.T, quarters(7, 5))["image/jpeg"]
	full := append(bytes.Clone(raw), make([]byte, media.MaxBytes-len(raw))...)
	c.processed(full)
	c.refused(append(full, 0), media.ErrTooLarge)
	c.refused(make([]byte, media.MaxBytes+1), media.ErrTooLarge)
}

func processorCancelled(c processorClient) {
	gone, cancel := context.WithCancel(c.Context())
	cancel()
	for kind, raw := range encoded(c.T, quarters(7, 5)) {
		d, err := c.s.Process(gone, "user 1", bytes.NewReader(raw))
		assert.ErrorIs(c, err, context.Canceled, kind)
		assert.Zero(c, d)
	}
}

func sizeOf(d media.Processed) image.Point { return image.Pt(d.Width, d.Height) }

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

func processorUnreadable(c processorClient) {
	worn := errors.New("the disk is worn out")
	for kind, raw := range encoded(c.T, noise(400, 300)) {
		for _, from := range []int64{0, int64(len(raw) / 2)} {
			d, err := c.s.Process(c.Context(), "user 1", broken{bytes.NewReader(raw), from, worn})
			assert.ErrorIs(c, err, worn, kind)
			_, isFault := fault.As(err)
			assert.False(c, isFault, kind)
			assert.Zero(c, d)
		}
	}
}

func processorSizes(c processorClient) {
	frames := []media.SizeSpec{{Name: "a", Width: 30, Height: 30}, {Name: "b", Width: 100, Height: 100}, {Name: "c", Width: 30, Height: 5},
		{Name: "d", Width: 60, Height: 60}, {Name: "e", Width: 30, Height: 30}}
	for _, p := range []struct {
		picture image.Point
		sizes   []image.Point // zero: the picture's own
	}{
		{image.Pt(200, 100), []image.Point{{30, 15}, {100, 50}, {10, 5}, {60, 30}, {30, 15}}},
		{image.Pt(100, 200), []image.Point{{15, 30}, {50, 100}, {3, 5}, {30, 60}, {15, 30}}},
		{image.Pt(60, 60), []image.Point{{30, 30}, {}, {5, 5}, {}, {30, 30}}},
		{image.Pt(31, 31), []image.Point{{30, 30}, {}, {5, 5}, {}, {30, 30}}},
		{image.Pt(30, 30), []image.Point{{}, {}, {5, 5}, {}, {}}},
		{image.Pt(7, 5), []image.Point{{}, {}, {}, {}, {}}},
		{image.Pt(1000, 3), []image.Point{{30, 1}, {100, 1}, {30, 1}, {60, 1}, {30, 1}}},
		{image.Pt(1, 700), []image.Point{{1, 30}, {1, 100}, {1, 5}, {1, 60}, {1, 30}}},
	} {
		for kind, raw := range encoded(c.T, quarters(p.picture.X, p.picture.Y)) {
			d := c.processed(raw, frames...)
			require.Len(c, d.Variants, len(frames))
			for i, r := range d.Variants {
				assert.Equal(c, frames[i].Name, r.Name)
				want := p.sizes[i]
				if want == (image.Point{}) {
					assert.Nil(c, r.Bytes, "%s of %v in %s", kind, p.picture, r.Name)
					assert.Equal(c, []any{d.Type, d.Width, d.Height}, []any{r.Type, r.Width, r.Height})
					continue
				}
				assert.Equal(c, want, image.Pt(r.Width, r.Height), "%s of %v in %s", kind, p.picture, r.Name)
				m := asPicture(c.T, r.Upload)
				if want.X > 20 && want.Y > 20 {
					assertQuarters(c.T, m, [4]int{0, 1, 2, 3}, "%s of %v in %s", kind, p.picture, r.Name)
				}
			}
		}
	}
}

// drawn is a picture of so many pixels, by the function.
func drawn(size image.Point, at func(x, y int) color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			m.SetNRGBA(x, y, at(x, y))
		}
	}
	return m
}

func level(m image.Image, x, y int) float64 {
	return float64(color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y)
}

// variants are those of the picture, made together and each alone.
func (c processorClient) variants(raw []byte) []media.Variant {
	frames := []media.SizeSpec{{Name: "s", Width: 40, Height: 40}, {Name: "m", Width: 100, Height: 100}, {Name: "l", Width: 230, Height: 230}}
	all := c.processed(raw, frames...).Variants
	for _, f := range frames {
		all = append(all, c.processed(raw, f).Variants...)
	}
	return all
}

func processorSharp(c processorClient) {
	if testing.Short() {
		c.Skip("make test-all runs this")
	}
	// A chequerboard too fine to be seen is grey, everywhere alike.
	board := drawn(image.Pt(480, 480), func(x, y int) color.NRGBA {
		v := uint8((x+y)%2) * 255
		return color.NRGBA{v, v, v, 255}
	})
	for kind, raw := range encoded(c.T, board) {
		for _, r := range c.variants(raw) {
			m := asPicture(c.T, r.Upload)
			for y := 2; y < r.Height-2; y += 7 {
				for x := 2; x < r.Width-2; x++ {
					require.InDelta(c, 127, level(m, x, y), 12, "%s, %s at %d, %d", kind, r.Name, x, y)
				}
			}
		}
	}
	// What can't be seen does not colour its neighbours.
	ghost := drawn(image.Pt(480, 480), func(x, _ int) color.NRGBA {
		if x/8%2 == 0 {
			return color.NRGBA{255, 0, 0, 0}
		}
		return color.NRGBA{0, 0, 255, 255}
	})
	for _, r := range c.variants(encoded(c.T, ghost)["image/png"]) {
		assert.Equal(c, "image/png", r.Type)
		m := asPicture(c.T, r.Upload)
		for x := range r.Width {
			if n := color.NRGBAModel.Convert(m.At(x, r.Height/2)).(color.NRGBA); n.A > 16 {
				require.InDelta(c, 0, n.R, 8, "%s at %d", r.Name, x)
				require.InDelta(c, 255, n.B, 8, "%s at %d", r.Name, x)
			}
		}
	}
}
