package imaging_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"math"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"

	"plaza/adapters/imaging"
	"plaza/domain/media"
	"plaza/test/ports"
)

var _ media.Portraits = (*imaging.Portraits)(nil)

func TestPortraits(t *testing.T) {
	ports.Portraits(t, func(*testing.T) media.Portraits { return imaging.NewPortraits("https://plaza.example") }, serve)
}

// serve returns the picture of a URL as the server does.
func serve(t *testing.T, address string) []byte {
	t.Helper()
	seed, size, ok := imaging.ParsePortrait(path.Base(address))
	require.True(t, ok, address)
	picture, err := imaging.Draw(seed, size)
	require.NoError(t, err)
	return picture
}

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
		"", ".png", "-", "0-md.png", "-1-md.png", "-.png", "-md.png", "12", "12.png", "12-md", "12-.png", "12-xl.png", "12-MD.png", "12-md.PNG", "12-md.jpg", "12-md.png.png", "012-md.png",
		"+12-md.png", " 12-md.png", "12 -md.png", "1e3-md.png", "0x1-md.png", "1_0-md.png", "--1-md.png", "-0-md.png", "1.5-md.png", "12--md.png", "a-md.png",
		"9223372036854775808-md.png", "../12-md.png", "12-md.png/", "１２-md.png", "12-md.png\x00",
	} {
		_, _, ok := imaging.ParsePortrait(name)
		assert.False(t, ok, "%q", name)
	}
}

func FuzzParsePortrait(f *testing.F) {
	f.Add("12-md.png")
	f.Add("9223372036854775807-lg.png")
	f.Fuzz(func(t *testing.T, name string) {
		seed, size, ok := imaging.ParsePortrait(name)
		if !ok {
			return
		}
		var names []string
		for _, s := range imaging.NewPortraits("").Portrait(seed).Sizes {
			if s.Width == size {
				names = append(names, path.Base(s.Path))
			}
		}
		require.Equal(t, []string{name}, names, "a picture has one name")
	})
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

func TestAPortraitIsTheSameInAllSizes(t *testing.T) {
	for seed := range int64(8) {
		large := drawn(t, seed, 256)
		for _, size := range []int{64, 128} {
			shrunk := image.NewRGBA(image.Rect(0, 0, size, size))
			draw.ApproxBiLinear.Scale(shrunk, shrunk.Bounds(), large, large.Bounds(), draw.Src, nil)
			assert.Less(t, difference(shrunk, drawn(t, seed, size)), 3.0, "seed %d at %d", seed, size)
		}
	}
}

func TestSizesThatAreNotDrawn(t *testing.T) {
	for _, size := range []int{math.MinInt, -16, -1, 0, 1, 15, 100, 513, 528, math.MaxInt} {
		_, err := imaging.Draw(1, size)
		assert.Error(t, err, "%d", size)
	}
	for _, size := range []int{16, 48, 512} {
		assert.Equal(t, size, drawn(t, 1, size).Bounds().Dx())
	}
}

func drawn(t *testing.T, seed int64, size int) *image.RGBA {
	t.Helper()
	picture, err := imaging.Draw(seed, size)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	return img.(*image.RGBA)
}

func checksum(img *image.RGBA) string {
	sum := fnv.New64a()
	sum.Write(img.Pix)
	return fmt.Sprintf("%016x", sum.Sum64())
}

// difference returns the average difference of the colours of two pictures, of 255.
func difference(a, b *image.RGBA) float64 {
	var sum float64
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix)) * 4 / 3 // the fourth component is opacity, which never differs
}
