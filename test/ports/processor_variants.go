package ports

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// noise is a picture that compresses badly.
func noise(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	dice := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(m.Pix); i += 4 {
		for channel := range 3 {
			m.Pix[i+channel] = uint8(-(dice.IntN(2))) // 0 or 255, for the WebP
		}
		m.Pix[i+3] = 255
	}
	return m
}

func processorSizes(t *testing.T, s media.Processor) {
	frames := []media.SizeSpec{{Name: "a", Width: 30, Height: 30}, {Name: "b", Width: 100, Height: 100}, {Name: "c", Width: 30, Height: 5},
		{Name: "d", Width: 60, Height: 60}, {Name: "e", Width: 30, Height: 30}}
	for _, c := range []struct {
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
		for kind, raw := range encoded(t, quarters(c.picture.X, c.picture.Y)) {
			d := processed(t, s, raw, frames...)
			require.Len(t, d.Variants, len(frames))
			for i, r := range d.Variants {
				assert.Equal(t, frames[i].Name, r.Name)
				want := c.sizes[i]
				if want == (image.Point{}) {
					assert.Nil(t, r.Bytes, "%s of %v in %s", kind, c.picture, r.Name)
					assert.Equal(t, []any{d.Type, d.Width, d.Height}, []any{r.Type, r.Width, r.Height})
					continue
				}
				assert.Equal(t, want, image.Pt(r.Width, r.Height), "%s of %v in %s", kind, c.picture, r.Name)
				m := asPicture(t, r.Upload)
				if want.X > 20 && want.Y > 20 {
					assertQuarters(t, m, [4]int{0, 1, 2, 3}, "%s of %v in %s", kind, c.picture, r.Name)
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
func variants(t *testing.T, s media.Processor, raw []byte) []media.Variant {
	t.Helper()
	frames := []media.SizeSpec{{Name: "s", Width: 40, Height: 40}, {Name: "m", Width: 100, Height: 100}, {Name: "l", Width: 230, Height: 230}}
	all := processed(t, s, raw, frames...).Variants
	for _, f := range frames {
		all = append(all, processed(t, s, raw, f).Variants...)
	}
	return all
}

var kinds = []string{"image/png", "image/webp", "image/gif", "image/jpeg"}

func processorSharp(t *testing.T, s media.Processor) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	black, white := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}
	// A chequerboard too fine to be seen is grey, everywhere alike.
	board := encoded(t, drawn(image.Pt(480, 480), func(x, y int) color.NRGBA {
		if (x+y)%2 == 0 {
			return white
		}
		return black
	}))
	for _, kind := range kinds {
		for _, r := range variants(t, s, board[kind]) {
			m := asPicture(t, r.Upload)
			for y := 2; y < r.Height-2; y += 7 {
				for x := 2; x < r.Width-2; x++ {
					require.InDelta(t, 127, level(m, x, y), 12, "%s, %s at %d, %d", kind, r.Name, x, y)
				}
			}
		}
	}
	// An edge through the middle is still one, without grey beside it.
	edge := encoded(t, drawn(image.Pt(480, 360), func(x, _ int) color.NRGBA {
		if x < 240 {
			return black
		}
		return white
	}))
	for _, kind := range kinds {
		for _, r := range variants(t, s, edge[kind]) {
			m := asPicture(t, r.Upload)
			for y := 0; y < r.Height; y += 7 {
				for x := range r.Width {
					if away := float64(x) + 0.5 - float64(r.Width)/2; math.Abs(away) > 2.5 {
						want := 255.0
						if away < 0 {
							want = 0
						}
						require.InDelta(t, want, level(m, x, y), 24, "%s, %s at %d, %d", kind, r.Name, x, y)
					}
				}
			}
		}
	}
	processorGhosts(t, s)
}

// processorGhosts shows that what can't be seen does not colour its neighbours.
func processorGhosts(t *testing.T, s media.Processor) {
	ghost := drawn(image.Pt(480, 480), func(x, _ int) color.NRGBA {
		if x/8%2 == 0 {
			return color.NRGBA{255, 0, 0, 0}
		}
		return color.NRGBA{0, 0, 255, 255}
	})
	for _, r := range variants(t, s, encoded(t, ghost)["image/png"]) {
		assert.Equal(t, "image/png", r.Type)
		m := asPicture(t, r.Upload)
		for x := range r.Width {
			if c := color.NRGBAModel.Convert(m.At(x, r.Height/2)).(color.NRGBA); c.A > 16 {
				require.InDelta(t, 0, c.R, 8, "%s at %d", r.Name, x)
				require.InDelta(t, 255, c.B, 8, "%s at %d", r.Name, x)
			}
		}
	}
}
