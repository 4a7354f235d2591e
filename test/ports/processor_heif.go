package ports

import (
	"bytes"
	"fmt"
	"image/color"
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
	for _, name := range []string{"deep.avif", "full-chroma.heic", "narrow.heic", "exif-6.heic"} { // the orientation of Exif is not that of a HEIC
		assertQuarters(t, asPicture(t, processed(t, s, pictures.Made(t, name)).Upload), [4]int{0, 1, 2, 3}, name)
	}
	for _, name := range []string{"grey.heic", "grey.avif"} {
		m := asPicture(t, processed(t, s, pictures.Made(t, name)).Upload)
		for _, x := range []int{8, 32, 56} {
			assertColour(t, color.Gray{Y: uint8(4 * x)}, m, x, 32, name)
		}
	}
	d := processed(t, s, pictures.Made(t, "hole.avif"))
	assert.Equal(t, "image/png", d.Type)
	assertColour(t, color.NRGBA{}, asPicture(t, d.Upload), 3, 3)
	assertColour(t, quarterColours[0], asPicture(t, d.Upload), 20, 20)
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
