package imaging_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/media"
)

var _ media.Portraits = (*imaging.Portraits)(nil)

func TestAddresses(t *testing.T) {
	for _, public := range []string{"https://plaza.example/base", "https://plaza.example/base/"} {
		p := imaging.NewPortraits(public).Portrait(12)
		assert.Equal(t, media.Picture{
			Path: "https://plaza.example/base/media/portrait/12-lg.png",
			Sizes: []media.Size{
				{Name: "sm", Width: 64, Height: 64, Path: "https://plaza.example/base/media/portrait/12-sm.png"},
				{Name: "md", Width: 128, Height: 128, Path: "https://plaza.example/base/media/portrait/12-md.png"},
				{Name: "lg", Width: 256, Height: 256, Path: "https://plaza.example/base/media/portrait/12-lg.png"},
			},
		}, p)
	}
}

func TestNamesThatAreNone(t *testing.T) {
	for _, name := range []string{
		"", ".png", "-", "0-md.png", "-1-md.png", "-.png", "-md.png", "12", "12.png", "12-md", "12-.png", "12-xl.png",
		"12-MD.png", "12-md.PNG", "12-md.jpg", "12-md.png.png", "012-md.png",
		"+12-md.png", " 12-md.png", "12 -md.png", "1e3-md.png", "0x1-md.png", "1_0-md.png", "--1-md.png", "-0-md.png",
		"1.5-md.png", "12--md.png", "a-md.png",
		"9223372036854775808-md.png", "../12-md.png", "12-md.png/", "１２-md.png", "12-md.png\x00",
	} {
		_, _, ok := imaging.ParsePortrait(name)
		assert.False(t, ok, "%q", name)
	}
}

// TestPortraitsStayAsTheyAre fails if existing portraits change.
func TestPortraitsStayAsTheyAre(t *testing.T) {
	for seed, sum := range map[int64]string{
		1:             "be7cb67060aa5bad",
		2:             "6352581d5e229dd9",
		-1:            "5faecafb00f76d7a",
		math.MaxInt64: "1bfec9e2abfbeeda",
	} {
		assert.Equal(t, sum, checksum(drawn(t, seed, 64)), "%d", seed)
	}
}

func drawn(t *testing.T, seed int64, size int) *image.RGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(imaging.Draw(seed, size)))
	require.NoError(t, err)
	return img.(*image.RGBA)
}

func checksum(img *image.RGBA) string {
	sum := fnv.New64a()
	sum.Write(img.Pix)
	return fmt.Sprintf("%016x", sum.Sum64())
}
