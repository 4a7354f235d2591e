package imaging_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
	"plaza/test/ports"
)

func TestPLA03_Processor(t *testing.T) {
	ports.Processor(t, func(*testing.T) media.Processor { return imaging.NewProcessor(2) })
}

// photo has areas and grain, like one.
func photo(width, height int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, width, height), ratio)
	grain := uint32(1)
	for i := range m.Y {
		grain = grain*1664525 + 1013904223
		m.Y[i] = uint8(60 + 100*((i%width/90+i/width/90)%2) + int(grain>>28))
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = uint8(90+i%64), uint8(160-i%64)
	}
	return m
}

// held returns the JPEG with the orientation.
func held(raw []byte, orientation uint16) []byte {
	return pictures.WithSegments(raw, pictures.ExifSegment(pictures.Exif(binary.LittleEndian, orientation, "")))
}

// withProfile returns the JPEG with the profile.
func withProfile(raw, profile []byte) []byte {
	return pictures.WithSegments(raw, pictures.ProfileSegments(profile, 60_000)...)
}

// allocated returns how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func refused(t *testing.T, raw []byte) {
	t.Helper()
	_, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
	assert.ErrorIs(t, err, media.ErrUnreadable)
}

// declared is the picture with another size, which only its header knows, and behind that
// with enough bytes to get stuck in.
func declared(t *testing.T, width, height int, raw []byte) []byte {
	t.Helper()
	be, raw := binary.BigEndian, slices.Clone(raw)
	if raw[0] == 0x89 {
		be.PutUint32(raw[16:], uint32(width))
		be.PutUint32(raw[20:], uint32(height))
		be.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
		return pictures.WithChunks(raw, pictures.Chunk("prVt", make([]byte, 100<<10)...))
	}
	frame := max(bytes.Index(raw, []byte("\xff\xc0")), bytes.Index(raw, []byte("\xff\xc2")))
	require.Positive(t, frame)
	be.PutUint16(raw[frame+5:], uint16(height))
	be.PutUint16(raw[frame+7:], uint16(width))
	end := len(raw) - 2
	return slices.Concat(raw[:end], make([]byte, 100<<10), raw[end:])
}

// TestPLA03_pictures_are_admitted_by_their_memory: 600 MiB for large ones, and for each
// processor 64 MiB for small ones.
func TestPLA03_pictures_are_admitted_by_their_memory(t *testing.T) {
	const callers = 5 // one more than are admitted
	r := image.Rect(0, 0, 8, 8)
	deep, plain, interlaced := pictures.PNG(t, image.NewNRGBA64(r)), pictures.PNG(t, image.NewRGBA(r)), pictures.Deep(t, 8, 8, true)
	uneven, err := os.ReadFile("jpeg/testdata/2x2-1x1-1x2.jpg")
	require.NoError(t, err)
	photo, progressive := pictures.JPEG(t, image.NewRGBA(r)), pictures.Progressive(8, 8)
	for _, c := range []struct {
		name          string
		processors    int
		raw           []byte
		width, height int
		want          int64
	}{
		{"a pixel, without a processor", 0, plain, 1, 1, 1},
		{"largest photos", 8, photo, 8000, 8000, 2},
		{"photos, two processors", 2, photo, 8000, 5000, 2},
		{"photos, eight processors", 8, photo, 8000, 5000, 4},
		{"largest PNG of 16 bits", 8, deep, 8000, 8000, 1},
		{"PNG of 16 bits", 8, deep, 5000, 4000, 2},
		{"interlaced PNG of 16 bits", 8, interlaced, 5000, 4000, 1},
		{"JPEG of three samplings", 8, uneven, 8000, 5000, 2},
		{"largest progressive JPEG", 8, progressive, 8000, 8000, 1},
		{"progressive JPEG", 8, progressive, 5000, 4000, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, inner, gate, done := imaging.NewProcessor(c.processors), new(atomic.Int64), make(chan struct{}), make(chan struct{})
			raw := declared(t, c.width, c.height, c.raw)
			for n := range callers {
				go func() {
					_, err := s.Process(t.Context(), fmt.Sprint(n), stuck{bytes.NewReader(raw), gate, inner})
					assert.Error(t, err)
					done <- struct{}{}
				}()
			}
			synctest.Wait()
			assert.Equal(t, c.want, inner.Load(), c.name)
			close(gate)
			for range callers {
				<-done
			}
		})
	}
}

// stuck is a picture whose reader blocks at the gate and then fails.
type stuck struct {
	*bytes.Reader
	gate  chan struct{}
	inner *atomic.Int64
}

func (s stuck) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > 40<<10 {
		s.inner.Add(1)
		<-s.gate
		return 0, assert.AnError
	}
	return s.Reader.ReadAt(p, at)
}

// TestPLA03_ScansAreCounted: each scan visits the whole picture, though it may have few
// bytes.
func TestPLA03_ScansAreCounted(t *testing.T) {
	raw := pictures.JPEG(t, photo(64, 48, image.YCbCrSubsampleRatio420))
	scan := bytes.Index(raw, []byte("\xff\xda"))
	require.Positive(t, scan)
	scans := func(n int) []byte {
		return slices.Concat(raw[:scan], bytes.Repeat(raw[scan:len(raw)-2], n), raw[len(raw)-2:])
	}
	_, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(scans(100)))
	require.NoError(t, err)
	refused(t, scans(101))
	// The scans of a camera's thumbnail do not count.
	thumbnail := append([]byte("\xff\xe1\x01\x2eExif\x00\x00"), bytes.Repeat([]byte("\xff\xda"), 147)...)
	_, err = imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(slices.Concat(raw[:2], thumbnail, raw[2:])))
	require.NoError(t, err)
}

// TestPLA03_APictureThatIsTooLongForAJPEG: it is a PNG, though it is opaque.
func TestPLA03_APictureThatIsTooLongForAJPEG(t *testing.T) {
	grain := image.NewGray(image.Rect(0, 0, 65_536, 2))
	for i := range grain.Pix {
		grain.Pix[i] = uint8(uint32(i) * 2654435761 >> 24)
	}
	for _, m := range []image.Image{grain, image.NewPaletted(grain.Rect, color.Palette{color.NRGBA{1, 2, 3, 255}})} {
		d, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(pictures.PNG(t, m)))
		require.NoError(t, err)
		assert.Equal(t, []any{"image/png", 65_536, 2}, []any{d.Type, d.Width, d.Height})
	}
}

// TestPLA03_LargePNGsAreTheirPixels: from a million pixels on, they are encoded here.
func TestPLA03_LargePNGsAreTheirPixels(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 1201, 907))
	grain := uint32(1)
	for i := range m.Pix {
		grain = grain*1664525 + 1013904223
		m.Pix[i] = uint8(grain >> 24 >> (i / len(m.Pix[:1201*300*4])))
	}
	profile := pictures.ICC(2, "RGB ", "Lab ", tag("A2B0", "mft2\x00\x00\x00\x00some table"))
	raw := pictures.WithChunks(pictures.PNG(t, m), pictures.ProfileChunk(t, profile))
	d := developed(t, raw)
	assert.Equal(t, "image/png", d.Type)
	got, err := png.Decode(bytes.NewReader(d.Bytes))
	require.NoError(t, err)
	require.IsType(t, m, got)
	assert.True(t, bytes.Equal(m.Pix, got.(*image.NRGBA).Pix))
	assert.Equal(t, "iCCP", string(d.Bytes[8+25+4:8+25+8]), "the profile comes before the pixels")
	again := developed(t, d.Bytes)
	assert.Equal(t, d.Bytes, again.Bytes)
}

// maxFuzzed are the pixels of a header that is worth the fuzzer's time: larger pictures
// fail in the same places, but slowly.
const maxFuzzed = 1 << 20

func FuzzDevelop(f *testing.F) {
	clear := image.NewNRGBA(image.Rect(0, 0, 9, 7))
	clear.SetNRGBA(1, 1, color.NRGBA{9, 8, 7, 200})
	palette := image.NewPaletted(image.Rect(2, 1, 9, 7), color.Palette{color.White, color.Transparent, color.Black})
	var animation bytes.Buffer
	require.NoError(f, gif.EncodeAll(&animation, &gif.GIF{
		Image: []*image.Paletted{palette, palette}, Delay: []int{1, 1}, Config: image.Config{Width: 12, Height: 9},
	}))
	for _, raw := range [][]byte{
		held(pictures.JPEG(f, photo(33, 17, image.YCbCrSubsampleRatio420)), 5), pictures.JPEG(f, image.NewGray(image.Rect(0, 0, 20, 9))),
		pictures.PNG(f, clear), pictures.WithChunks(pictures.PNG(f, image.NewGray16(image.Rect(0, 0, 5, 6))),
			pictures.Chunk("eXIf", pictures.Exif(binary.BigEndian, 8, "")...)),
		pictures.PNG(f, palette), animation.Bytes(), pictures.Made(f, "turned-6.heic"),
		pictures.Made(f, "hole.avif"), pictures.Made(f, "animated-hole.webp"),
	} {
		f.Add(raw)
	}
	for _, s := range []string{
		"UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	} {
		raw, err := base64.StdEncoding.DecodeString(s)
		require.NoError(f, err)
		f.Add(raw)
	}
	s := imaging.NewProcessor(1)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(raw)); err == nil && c.Width*c.Height > maxFuzzed {
			return
		}
		d, err := s.Process(t.Context(), "user 1", bytes.NewReader(raw), media.AvatarSizes...)
		if err != nil {
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		sane(t, d.Upload)
		for _, r := range d.Variants {
			if r.Bytes != nil {
				sane(t, r.Upload)
			}
			assert.LessOrEqual(t, r.Width, d.Width)
			assert.LessOrEqual(t, r.Height, d.Height)
		}
	})
}

// sane asserts that the picture matches its declared format and size.
func sane(t *testing.T, u media.Upload) {
	t.Helper()
	m, kind, err := image.Decode(bytes.NewReader(u.Bytes))
	require.NoError(t, err)
	assert.Equal(t, u.Type, "image/"+kind)
	assert.Equal(t, image.Rect(0, 0, u.Width, u.Height), m.Bounds())
	assert.LessOrEqual(t, u.Width*u.Height, media.MaxPixels)
}

// TestIMG08_SizesOfAJPEG: dots that are a level grey from afar are shorter as a JPEG, and their size as a PNG.
func TestIMG08_SizesOfAJPEG(t *testing.T) {
	dots, noise := image.NewGray(image.Rect(0, 0, 512, 128)), rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(dots.Pix); i += 2 {
		v := uint8(noise.IntN(256))
		dots.Pix[i], dots.Pix[i+1] = v, 255-v
	}
	small := media.SizeSpec{Name: "sm", Width: 128, Height: 128}
	d, err := imaging.NewProcessor(1).Process(t.Context(), "account", bytes.NewReader(pictures.PNG(t, dots)), small)
	require.NoError(t, err)
	assert.Equal(t, []string{"image/jpeg", "image/jpeg"}, []string{d.Type, d.Variants[0].Type})
	assert.NotEmpty(t, d.Variants[0].Bytes)
}
