package imaging_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
)

// maxFuzzed are the pixels of a header that is worth the fuzzer's time: larger pictures
// fail in the same places, but slowly.
const maxFuzzed = 1 << 20

func FuzzDevelop(f *testing.F) {
	clear := image.NewNRGBA(image.Rect(0, 0, 9, 7))
	clear.SetNRGBA(1, 1, color.NRGBA{9, 8, 7, 200})
	palette := image.NewPaletted(image.Rect(2, 1, 9, 7), color.Palette{color.White, color.Transparent, color.Black})
	var animation bytes.Buffer
	require.NoError(f, gif.EncodeAll(&animation, &gif.GIF{Image: []*image.Paletted{palette, palette}, Delay: []int{1, 1}, Config: image.Config{Width: 12, Height: 9}}))
	for _, raw := range [][]byte{
		held(pictures.JPEG(f, photo(33, 17, image.YCbCrSubsampleRatio420)), 5), pictures.JPEG(f, image.NewGray(image.Rect(0, 0, 20, 9))),
		pictures.PNG(f, clear), withChunk(pictures.PNG(f, image.NewGray16(image.Rect(0, 0, 5, 6))), "eXIf", []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x08\x00\x00")),
		pictures.PNG(f, palette), animation.Bytes(), pictures.Made(f, "turned-6.heic"), pictures.Made(f, "hole.avif"), pictures.Made(f, "animated-hole.webp"),
	} {
		f.Add(raw)
	}
	for _, s := range []string{"UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"} {
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
