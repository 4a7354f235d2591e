package ports

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// processorHEIF works on HEIC and AVIF.
func processorHEIF(t *testing.T, s media.Processor) {
	for orientation, order := range uprightQuarters {
		for _, kind := range []string{"heic", "avif"} {
			d := processed(t, s, pictures.Made(t, fmt.Sprintf("turned-%d.%s", orientation, kind)), media.SizeSpec{Name: "sm", Width: 24, Height: 24})
			width, height := 63, 47
			if orientation >= 5 {
				width, height = height, width
			}
			assert.Equal(t, []any{"image/jpeg", width, height}, []any{d.Type, d.Width, d.Height}, "%s, %d", kind, orientation)
			assertQuarters(t, asPicture(t, d.Upload), order, "%s, %d", kind, orientation)
			assertQuarters(t, asPicture(t, d.Variants[0].Upload), order, "%s, %d", kind, orientation)
		}
	}
	// the orientation of Exif is not that of a HEIC
	for _, name := range []string{"deep.avif", "full-chroma.heic", "narrow.heic", "exif-6.heic"} {
		assertQuarters(t, asPicture(t, processed(t, s, pictures.Made(t, name)).Upload), [4]int{0, 1, 2, 3}, name)
	}
	for _, name := range []string{"grey.heic", "grey.avif"} {
		m := asPicture(t, processed(t, s, pictures.Made(t, name)).Upload)
		for _, x := range []int{8, 32, 56} {
			assertColour(t, color.Gray{Y: uint8(4 * x)}, m, x, 32, name)
		}
	}
	for _, name := range []string{"hole.avif", "hole.heic", "hole-colours.heic", "hole-multiplied.heic"} {
		d := processed(t, s, pictures.Made(t, name))
		assert.Equal(t, "image/png", d.Type, name)
		m := asPicture(t, d.Upload)
		assert.Equal(t, color.NRGBA{}, color.NRGBAModel.Convert(m.At(3, 3)), "%s: what can't be seen has no colour", name)
		assertColour(t, quarterColours[0], m, 20, 20, name)
		if strings.HasSuffix(name, ".heic") {
			assertColour(t, color.NRGBA{G: 255, A: 128}, m, 60, 3, name)
		}
	}
	// A map of depth, and the opacity of another picture.
	for of, is := range map[string]string{"auxid:1": "auxid:2", "auxl\x00\x04\x00\x01\x00\x02": "auxl\x00\x04\x00\x01\x00\x01"} {
		raw := bytes.Replace(pictures.Made(t, "hole.heic"), []byte(of), []byte(is), 1)
		assert.Equal(t, "image/jpeg", processed(t, s, raw).Type, "%q", is)
	}
	d := processed(t, s, pictures.Made(t, "aperture.avif"))
	assert.Equal(t, image.Pt(20, 16), image.Pt(d.Width, d.Height))
	assertColour(t, quarterColours[3], asPicture(t, d.Upload), 1, 1)
	assertColour(t, quarterColours[3], asPicture(t, d.Upload), 18, 14)
	d = processed(t, s, pictures.Made(t, "aperture-turned.avif"))
	assert.Equal(t, image.Pt(16, 20), image.Pt(d.Width, d.Height))
	// A file whose first brand is of pictures in general, and one that is not whole.
	general := pictures.Made(t, "turned-1.heic")
	copy(general[8:], "mif1")
	assertQuarters(t, asPicture(t, processed(t, s, general).Upload), [4]int{0, 1, 2, 3})
	c := processorClient{t, s}
	for _, kind := range []string{"heic", "avif"} {
		raw := pictures.Made(t, "turned-1."+kind)
		c.refused(raw[:len(raw)-20], media.ErrCutOff)
		c.refused(raw[:100], media.ErrCutOff)
		processed(t, s, append(bytes.Clone(raw), "a film, and no box"...))
		c.refused(bytes.Replace(raw, []byte("ispe"), []byte("free"), -1), media.ErrUnreadable)
		large := bytes.Replace(raw, []byte{0, 0, 0, 63, 0, 0, 0, 47}, []byte{0, 0, 100, 0, 0, 0, 100, 0}, -1)
		c.refused(large, media.ErrTooManyPixels)
	}
}
