package imaging_test

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/media"
)

// TestPLA03_JPEGsThatPackageImageRefuses: they have unusual sampling factors, or restarts in scans of one component.
func TestPLA03_JPEGsThatPackageImageRefuses(t *testing.T) {
	names, err := filepath.Glob("jpeg/testdata/*.jpg")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		d, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(held(raw, 3)), media.SizeSpec{Name: "sm", Width: 20, Height: 20})
		require.NoError(t, err, name)
		assert.Equal(t, []any{"image/jpeg", 41, 37, 20, 18}, []any{d.Type, d.Width, d.Height, d.Variants[0].Width, d.Variants[0].Height}, name)
		// Across, the red of the picture falls, once it is upside down. The grey is mostly the green, which rises.
		m, _, err := image.Decode(bytes.NewReader(d.Bytes))
		require.NoError(t, err, name)
		left, right := color.NRGBAModel.Convert(m.At(4, 18)).(color.NRGBA), color.NRGBAModel.Convert(m.At(36, 18)).(color.NRGBA)
		top, bottom := color.NRGBAModel.Convert(m.At(20, 4)).(color.NRGBA), color.NRGBAModel.Convert(m.At(20, 32)).(color.NRGBA)
		if _, isGrey := m.(*image.Gray); !isGrey {
			assert.InDelta(t, 4*32, int(left.R)-int(right.R), 40, "%s: %v %v", name, left, right)
		}
		assert.InDelta(t, 5*28, int(bottom.G)-int(top.G), 70, "%s: %v %v", name, top, bottom)
		for _, part := range []int{50, 80, 97} {
			_, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw[:len(raw)*part/100]))
			assert.ErrorIs(t, err, media.ErrCutOff, name)
		}
		_, err = imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(bytes.Replace(raw, []byte("Adobe"), []byte("Other"), 1)))
		assert.NoError(t, err, "%s without Adobe's mark", name)
	}
}
